import { Agent, type IncomingMessage, type RequestOptions, request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';

/** The answer of a server. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed JSON; null when there is none. Its shape is what tests check, so it is not typed. */
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects by asserting, field by field.
  readonly body: any;
  /** The raw body. */
  readonly bytes: Buffer;
  /** The value to which the answer sets the cookie; null when it clears it, undefined when it does not mention it. */
  cookie(name: string): string | null | undefined;
}

export type Headed = Readonly<Record<string, string>>;

/** Makes calls below `/api`. */
export class Caller {
  readonly #api: string;
  readonly #headers: () => Promise<Headed>;

  constructor(url: string, headers: () => Promise<Headed> = async () => ({})) {
    this.#api = `${url}/api`;
    this.#headers = headers;
  }

  get(path: string, headers: Headed = {}): Promise<Answer> {
    return this.call('GET', path, undefined, headers);
  }
  post(path: string, body?: unknown, headers: Headed = {}): Promise<Answer> {
    return this.call('POST', path, body, headers);
  }
  put(path: string, body?: unknown, headers: Headed = {}): Promise<Answer> {
    return this.call('PUT', path, body, headers);
  }
  patch(path: string, body?: unknown, headers: Headed = {}): Promise<Answer> {
    return this.call('PATCH', path, body, headers);
  }
  delete(path: string, body?: unknown, headers: Headed = {}): Promise<Answer> {
    return this.call('DELETE', path, body, headers);
  }

  /** Sends a request. Strings and bytes are sent unchanged, anything else as JSON. Rejects like `fetch` when the server is gone. */
  async call(method: string, path: string, body: unknown, headers: Headed): Promise<Answer> {
    const [sent, kind] = encoded(body);
    const all = { ...AS_FETCH, ...kind, ...(await this.#headers()), ...headers };
    const answer = await send(this.#api + path, { method, agent, headers: all }, sent).catch((cause: unknown) => {
      throw new TypeError('fetch failed', { cause });
    });
    const text = answer.bytes.toString();
    // A raw file may also be JSON, or be labelled so.
    const isFile = answer.headers.has('content-disposition');
    const isJson = !isFile && (answer.headers.get('content-type')?.includes('json') ?? false);
    return {
      ...answer,
      body: text === '' ? null : isJson ? JSON.parse(text) : text,
      cookie: (name) => cookieOf(answer.headers, name),
    };
  }
}

/** Half of the work of `fetch`, which tests do hundreds of thousands of times. */
const agent = new Agent({ keepAlive: true });
/** Headers that `fetch` sends with every request. */
const AS_FETCH: Headed = {
  accept: '*/*',
  'accept-language': '*',
  'sec-fetch-mode': 'cors',
  'user-agent': 'node',
  'accept-encoding': 'gzip, deflate',
};
/** The codings in which the server answers. */
const DECODERS: Readonly<Record<string, (bytes: Buffer) => Buffer>> = { br: brotliDecompressSync, gzip: gunzipSync };

function encoded(body: unknown): [Buffer | undefined, Headed] {
  if (body === undefined) return [undefined, {}];
  if (body instanceof Uint8Array) return [Buffer.from(body), { 'content-length': String(body.length) }];
  const isText = typeof body === 'string';
  const bytes = Buffer.from(isText ? body : JSON.stringify(body));
  const type = isText ? 'text/plain;charset=UTF-8' : 'application/json';
  return [bytes, { 'content-type': type, 'content-length': String(bytes.length) }];
}

function send(
  url: string,
  options: RequestOptions,
  body: Buffer | undefined,
): Promise<Pick<Answer, 'status' | 'headers' | 'bytes'>> {
  return new Promise((resolve, reject) => {
    const sending = request(url, options, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('error', reject);
      response.on('end', () => {
        const headers = headersOf(response);
        const bytes = Buffer.concat(parts);
        const decode = bytes.length === 0 ? undefined : DECODERS[headers.get('content-encoding') ?? ''];
        resolve({ status: response.statusCode ?? 0, headers, bytes: decode?.(bytes) ?? bytes });
      });
    });
    sending.on('error', reject);
    sending.end(body);
  });
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '');
  return headers;
}

/** A person with an account, which is registered at the first call. */
export class Person extends Caller {
  readonly email: string;
  readonly password: string;
  readonly #url: string;
  readonly #register: () => Promise<Signed>;

  /** @param setupToken returns the token for the first account; null if another account is the first. */
  constructor(
    url: string,
    name: string,
    before: () => Promise<unknown>,
    setupToken: () => Promise<string | null> = async () => null,
  ) {
    let signed: Promise<Signed> | undefined;
    const [email, password] = [`${name}@example.org`, `${name}'s long password`];
    const register = () => {
      signed ??= before().then(async () => signUp(url, { email, password, setup_token: await setupToken() }));
      return signed;
    };
    super(url, async () => ({ authorization: `Bearer ${(await register()).accessToken}` }));
    this.#url = url;
    this.email = email;
    this.password = password;
    this.#register = register;
  }

  /** Signs in once more, by the password. */
  logIn(): Promise<Answer> {
    return new Caller(this.#url).post('/auth/login', { email: this.email, password: this.password });
  }

  /** The account and the credentials of its first session. */
  signed(): Promise<Signed> {
    return this.#register();
  }
}

export interface Signed {
  readonly id: string;
  readonly accessToken: string;
  /** Value of the refresh cookie. */
  readonly refreshToken: string;
}

async function signUp(
  url: string,
  account: { readonly email: string; readonly [field: string]: unknown },
): Promise<Signed> {
  const answer = await new Caller(url).post('/auth/register', account);
  if (answer.status !== 201) throw new Error(`registering ${account.email} was answered ${answer.status}`);
  const { user, access_token: accessToken } = answer.body;
  return { id: user.id, accessToken, refreshToken: answer.cookie('refresh_token') ?? '' };
}

function cookieOf(headers: Headers, name: string): string | null | undefined {
  const line = headers.getSetCookie().find((cookie) => cookie.startsWith(`${name}=`));
  if (line === undefined) return undefined;
  const value = line.slice(name.length + 1).split(';', 1)[0] ?? '';
  return value === '' ? null : value;
}
