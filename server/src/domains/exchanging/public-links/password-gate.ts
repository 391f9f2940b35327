import { timingSafeEqual } from 'node:crypto';
import type { OpenLink, PublicLinksDeps } from './public-links.ts';

/** How long a form may be filled in. */
const FORM_MS = 60 * 60_000;
/** How long a password opens a link, and how long the address of a file works. */
export const OPEN_MS = 12 * 60 * 60_000;

/** Passwords of public links, and signed values of limited lifetime: of forms, cookies and addresses of files. */
export class PasswordGate {
  readonly #deps: Pick<PublicLinksDeps, 'keys' | 'clock' | 'secrets'>;

  constructor(deps: Pick<PublicLinksDeps, 'keys' | 'clock' | 'secrets'>) {
    this.#deps = deps;
  }

  formToken = (link: OpenLink): Promise<string> => this.#sign('form', link.id, FORM_MS);
  isForm = (link: OpenLink, token: string): Promise<boolean> => this.#isSigned('form', link.id, token);
  cookie = (link: OpenLink): Promise<string> => this.#sign('open', link.id, OPEN_MS);
  isOpen = async (link: OpenLink, cookie: string): Promise<boolean> =>
    link.password === null || (await this.#isSigned('open', link.id, cookie));

  /** Signs the addresses of the files of a page, for this link alone. */
  async fileSigner({ id }: OpenLink): Promise<(file: string) => string> {
    const key = await this.#deps.keys.openServer();
    const until = this.#deps.clock.now() + OPEN_MS;
    return (file) => signed(key, 'file', `${id} ${file}`, until);
  }

  isFile = ({ id }: OpenLink, file: string, signature: string): Promise<boolean> =>
    this.#isSigned('file', `${id} ${file}`, signature);

  /** Returns whether a password opens a link. Throws `rate_limited` after some wrong ones, with growing waits. */
  async check({ id, password }: OpenLink, sent: string): Promise<boolean> {
    return password === null || (await this.#deps.secrets.verify(`public link ${id}`, sent, password));
  }

  async #sign(kind: string, value: string, forMs: number): Promise<string> {
    return signed(await this.#deps.keys.openServer(), kind, value, this.#deps.clock.now() + forMs);
  }

  async #isSigned(kind: string, value: string, signature: string): Promise<boolean> {
    const until = Number(/^(\d{1,15})\./.exec(signature)?.[1] ?? 0);
    const wanted = Buffer.from(signed(await this.#deps.keys.openServer(), kind, value, until));
    const sent = Buffer.from(signature);
    return until > this.#deps.clock.now() && sent.length === wanted.length && timingSafeEqual(sent, wanted);
  }
}

type SigningKey = Awaited<ReturnType<PublicLinksDeps['keys']['openServer']>>;

function signed(key: SigningKey, kind: string, value: string, until: number): string {
  return `${until}.${key.mac('public_link', `${kind} ${value} ${until}`).toString('base64url')}`;
}
