/** A note as far as a copying client reads it. */
export interface RemoteNote {
  readonly id: string;
  readonly path: string;
  readonly content_hash: string;
  readonly version: number;
  readonly parse_status: 'ok' | 'degraded';
  readonly links: readonly { readonly dangling: boolean }[];
}

export interface RemoteVault {
  readonly id: string;
  readonly name: string;
}

/** The server answered with an error; `body` is what it sent. */
export class RestError extends Error {
  override readonly name = 'RestError';
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  constructor(status: number, body: Readonly<Record<string, unknown>>) {
    super(typeof body.error === 'string' ? body.error : `status ${status}`);
    this.status = status;
    this.body = body;
  }
}

const TRIES = 5;

/**
 * The operations of a Notevault server that the command line uses, over `fetch`.
 *
 * @param origin scheme, host and port, without `/api`.
 * @param token asked for anew after a 401, since a session token lasts minutes and an import may last longer.
 */
export class RestClient {
  readonly #origin: string;
  readonly #freshToken: () => Promise<string>;
  #token: Promise<string> | null = null;

  constructor(origin: string, token: () => Promise<string>) {
    this.#origin = origin.replace(/\/(api\/?)?$/, '');
    this.#freshToken = token;
  }

  async listVaults(): Promise<RemoteVault[]> {
    const { vaults } = (await this.#call('GET', '/vaults')) as { vaults: RemoteVault[] };
    return vaults;
  }

  async createVault(name: string): Promise<RemoteVault> {
    const { vault } = (await this.#call('POST', '/vaults', { body: { name } })) as { vault: RemoteVault };
    return vault;
  }

  async upsertNote(vault: string, note: { path: string; content: string; mtime: number }): Promise<RemoteNote> {
    return ((await this.#call('POST', '/notes', { vault, body: note })) as { note: RemoteNote }).note;
  }

  /** The note at a path, or null when there is none. */
  async getNote(vault: string, path: string): Promise<RemoteNote | null> {
    const url = `/notes/${path.split('/').map(encodeURIComponent).join('/')}`;
    try {
      return (await this.#call('GET', url, { vault })) as RemoteNote;
    } catch (error) {
      if (error instanceof RestError && error.status === 404 && error.body.error === 'not found') return null;
      throw error;
    }
  }

  async #call(method: string, path: string, more: { vault?: string; body?: unknown } = {}): Promise<unknown> {
    for (let attempt = 1; ; attempt++) {
      this.#token ??= this.#freshToken();
      const token = this.#token;
      const answer = await fetch(`${this.#origin}/api${path}`, {
        method,
        headers: {
          authorization: `Bearer ${await token}`,
          ...(more.vault === undefined ? {} : { 'x-vault-id': more.vault }),
          ...(more.body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(more.body === undefined ? {} : { body: JSON.stringify(more.body) }),
      });
      const body = (await answer.json().catch(() => ({}))) as Record<string, unknown>;
      if (answer.ok) return body;
      if (attempt === TRIES || ![401, 429, 503].includes(answer.status)) throw new RestError(answer.status, body);
      if (answer.status === 401) {
        // One expired token refuses all calls under way: only the first of them asks for the next.
        if (attempt > 1) throw new RestError(answer.status, body);
        if (this.#token === token) this.#token = null;
      } else {
        const seconds = Number(answer.headers.get('retry-after') ?? 1);
        await new Promise((resolve) => setTimeout(resolve, Math.min(60, seconds || 1) * 1000));
      }
    }
  }
}
