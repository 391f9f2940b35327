/** The fields of a note that a client needs to copy it. */
export interface RemoteNote {
  readonly id: string;
  readonly path: string;
  readonly content: string;
  readonly content_hash: string;
  /** Epoch seconds. */
  readonly mtime: number;
  readonly version: number;
  readonly parse_status: 'ok' | 'degraded';
  readonly links: readonly { readonly dangling: boolean }[];
}

/** The fields of an attachment that a client needs to copy it. */
export interface RemoteAttachment {
  readonly path: string;
  readonly content_hash: string;
  readonly size_bytes: number;
  /** Epoch seconds. */
  readonly mtime: number;
}

/** The notes and attachments of a vault, by path. */
export interface RemoteManifest {
  readonly notes: readonly { readonly path: string; readonly content_hash: string }[];
}

export interface RemoteVault {
  readonly id: string;
  readonly name: string;
  readonly is_default: boolean;
  readonly note_count: number;
}

export interface RemoteSearch {
  readonly query: string;
  readonly mode?: string;
  readonly limit?: number;
}

/** A note that a search found. */
export interface RemoteResult {
  readonly id: string;
  readonly path: string;
  readonly title: string;
  readonly heading_path: string;
  readonly snippet: string;
  readonly highlights: readonly (readonly number[])[];
  readonly match_count: number;
  readonly score: number;
}

/** Thrown when the server answers with an error; `body` is the body of the answer. */
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

interface Sent {
  readonly vault?: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent unchanged. */
  readonly raw?: Blob;
  readonly headers?: Readonly<Record<string, string>>;
}

function encoded(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}

/**
 * The operations of a Notevault server that the command line uses, over `fetch`.
 *
 * @param origin scheme, host and port, without `/api`.
 * @param token called again after a 401, because a session token lasts minutes and an import may last longer.
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

  /** Returns the notes that match best; see `POST /search` of the API. */
  async search(vault: string, body: RemoteSearch): Promise<RemoteResult[]> {
    return ((await this.#call('POST', '/search', { vault, body })) as { results: RemoteResult[] }).results;
  }

  /** The note at a path, or null when there is none. */
  async getNote(vault: string, path: string): Promise<RemoteNote | null> {
    try {
      return (await this.#call('GET', `/notes/${encoded(path)}`, { vault })) as RemoteNote;
    } catch (error) {
      if (error instanceof RestError && error.status === 404 && error.body.error === 'not found') return null;
      throw error;
    }
  }

  async manifest(vault: string): Promise<RemoteManifest> {
    return (await this.#call('GET', '/sync/manifest', { vault })) as RemoteManifest;
  }

  /** Returns the folders that remain when they are empty. */
  async listFolders(vault: string): Promise<string[]> {
    const { folders } = (await this.#call('GET', '/folders/explicit', { vault })) as { folders: { name: string }[] };
    return folders.map(({ name }) => name);
  }

  async listAttachments(vault: string): Promise<RemoteAttachment[]> {
    return ((await this.#call('GET', '/attachments', { vault })) as { attachments: RemoteAttachment[] }).attachments;
  }

  /** Streams the bytes to the server while they are read. @param mtime epoch seconds */
  async putAttachment(vault: string, path: string, bytes: Blob, mtime: number): Promise<RemoteAttachment> {
    const headers = { 'content-type': 'application/octet-stream', 'x-mtime': mtime.toFixed(6) };
    const answer = await this.#send('PUT', `/attachments/${encoded(path)}`, { vault, raw: bytes, headers });
    return ((await answer.json()) as { attachment: RemoteAttachment }).attachment;
  }

  /** Returns the bytes of an attachment as a stream. */
  async readAttachment(vault: string, path: string): Promise<AsyncIterable<Uint8Array>> {
    const { body } = await this.#send('GET', `/attachments/${encoded(path)}?raw=1`, { vault });
    return body ?? new ReadableStream<Uint8Array>({ start: (controller) => controller.close() });
  }

  async #call(method: string, path: string, more: Sent = {}): Promise<unknown> {
    return (await this.#send(method, path, more)).json();
  }

  /**
   * Sends a request, and again when a retry may help. Returns the successful answer; throws RestError for any other.
   */
  async #send(method: string, path: string, { vault, body, raw, headers = {} }: Sent): Promise<Response> {
    for (let attempt = 1; ; attempt++) {
      this.#token ??= this.#freshToken();
      const token = this.#token;
      const answer = await fetch(`${this.#origin}/api${path}`, {
        method,
        headers: {
          authorization: `Bearer ${await token}`,
          ...(vault === undefined ? {} : { 'x-vault-id': vault }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(raw !== undefined ? { body: raw } : body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      if (answer.ok) return answer;
      const said = (await answer.json().catch(() => ({}))) as Record<string, unknown>;
      if (attempt === TRIES || ![401, 429, 503].includes(answer.status)) throw new RestError(answer.status, said);
      if (answer.status === 401) {
        // One expired token fails all requests under way; only the first of them fetches a new one.
        if (attempt > 1) throw new RestError(answer.status, said);
        if (this.#token === token) this.#token = null;
      } else {
        const seconds = Number(answer.headers.get('retry-after') ?? 1);
        await new Promise((resolve) => setTimeout(resolve, Math.min(60, seconds || 1) * 1000));
      }
    }
  }
}
