/** Who sends a request. Two programs with one credential differ at least in their user agents. */
export interface Sender {
  readonly credentialId: string;
  readonly userAgent: string | null;
}

const SENDERS_MAX = 10_000;
const NAME_LENGTH_MAX = 200;

/**
 * What clients of the revisions before 2026-07-28 call themselves. They say it only when they connect, in a request of
 * its own, and there are no sessions to keep it in: so it is remembered for their credential, in this process. Where it
 * is not known, the user agent stands for it.
 */
export class ClientNames {
  /** The sender that connected last is last. */
  readonly #names = new Map<string, string>();

  /** Remembers the name in the body of a request that connects. */
  remember(sender: Sender, body: unknown): void {
    const { method, params } = (body ?? {}) as { method?: unknown; params?: { clientInfo?: { name?: unknown } } };
    const name = params?.clientInfo?.name;
    if (method !== 'initialize' || typeof name !== 'string' || name === '') return;
    const key = keyOf(sender);
    this.#names.delete(key);
    this.#names.set(key, name.slice(0, NAME_LENGTH_MAX));
    const [oldest] = this.#names.keys();
    if (this.#names.size > SENDERS_MAX && oldest !== undefined) this.#names.delete(oldest);
  }

  of(sender: Sender): string | null {
    return this.#names.get(keyOf(sender)) ?? sender.userAgent;
  }
}

function keyOf({ credentialId, userAgent }: Sender): string {
  return `${credentialId} ${userAgent?.slice(0, NAME_LENGTH_MAX) ?? ''}`;
}
