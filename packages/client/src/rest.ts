import type { Attachment, AttachmentsResponse, AttachmentUploaded } from '@notevault/protocol/attachments.ts';
import { type ErrorBody, errors } from '@notevault/protocol/errors.ts';
import type { ExplicitFolders } from '@notevault/protocol/folders.ts';
import type { Note, NoteUpserted, UpsertNote } from '@notevault/protocol/notes.ts';
import type { SearchRequest, SearchResponse, SearchResult } from '@notevault/protocol/search.ts';
import type { Manifest } from '@notevault/protocol/sync.ts';
import type { Vault, VaultResponse, VaultsResponse } from '@notevault/protocol/vaults.ts';

/** Thrown when the server answers with an error; `body` is the body of the answer. */
export class RestError extends Error {
  override readonly name = 'RestError';
  readonly status: number;
  readonly body: ErrorBody;
  constructor(status: number, body: ErrorBody) {
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

  async listVaults(): Promise<Vault[]> {
    return (await this.#call<VaultsResponse>('GET', '/vaults')).vaults;
  }

  async createVault(name: string): Promise<Vault> {
    return (await this.#call<VaultResponse>('POST', '/vaults', { body: { name } })).vault;
  }

  async upsertNote(vault: string, note: UpsertNote): Promise<Note> {
    return (await this.#call<NoteUpserted>('POST', '/notes', { vault, body: note })).note;
  }

  /** Returns the notes that match best; see `POST /search` of the API. */
  async search(vault: string, body: SearchRequest): Promise<SearchResult[]> {
    return (await this.#call<SearchResponse>('POST', '/search', { vault, body })).results;
  }

  /** Returns the note at a path, or null when there is none. */
  async getNote(vault: string, path: string): Promise<Note | null> {
    try {
      return await this.#call<Note>('GET', `/notes/${encoded(path)}`, { vault });
    } catch (error) {
      const { status, error: text } = errors.note_not_found;
      if (error instanceof RestError && error.status === status && error.body.error === text) return null;
      throw error;
    }
  }

  async manifest(vault: string): Promise<Manifest> {
    return this.#call<Manifest>('GET', '/sync/manifest', { vault });
  }

  /** Returns the folders that remain when they are empty. */
  async listFolders(vault: string): Promise<string[]> {
    const { folders } = await this.#call<ExplicitFolders>('GET', '/folders/explicit', { vault });
    return folders.map(({ name }) => name);
  }

  async listAttachments(vault: string): Promise<Attachment[]> {
    return (await this.#call<AttachmentsResponse>('GET', '/attachments', { vault })).attachments;
  }

  /** Streams the bytes to the server while they are read. @param mtime epoch seconds */
  async putAttachment(vault: string, path: string, bytes: Blob, mtime: number): Promise<Attachment> {
    const headers = { 'content-type': 'application/octet-stream', 'x-mtime': mtime.toFixed(6) };
    const answer = await this.#send('PUT', `/attachments/${encoded(path)}`, { vault, raw: bytes, headers });
    return ((await answer.json()) as AttachmentUploaded).attachment;
  }

  /** Returns the bytes of an attachment as a stream. */
  async readAttachment(vault: string, path: string): Promise<AsyncIterable<Uint8Array>> {
    const { body } = await this.#send('GET', `/attachments/${encoded(path)}?raw=1`, { vault });
    return body ?? new ReadableStream<Uint8Array>({ start: (controller) => controller.close() });
  }

  async #call<Body>(method: string, path: string, more: Sent = {}): Promise<Body> {
    return (await this.#send(method, path, more)).json() as Promise<Body>;
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
      const said = (await answer.json().catch(() => ({}))) as ErrorBody;
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
