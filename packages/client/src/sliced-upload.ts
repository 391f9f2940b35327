import type { Attachment } from '@notevault/protocol/attachments.ts';
import type { SlicedUpload, UploadCreated } from '@notevault/protocol/uploads.ts';
import { MB } from '@notevault/protocol/values/byte-units.ts';
import { ApiError, type Call, ConnectionError, type Transport } from './transport.ts';

/** A file that is sent in slices. */
export interface SlicedFile {
  readonly path: string;
  readonly size: number;
  /** Epoch seconds. */
  readonly mtime: number;
  /** Returns the bytes from the first on; called again when an earlier slice has to be sent once more. */
  readonly bytes: () => AsyncIterable<Uint8Array>;
  /** The hash of the attachment to replace, or null if there must be none at the path; undefined to replace any. */
  readonly over?: string | null;
}

/** Store of the ids of unfinished uploads, so that they resume after a restart. */
export interface UploadMemory {
  read(key: string): Promise<string | null>;
  /** @param id null once the upload is over. */
  write(key: string, id: string | null): Promise<void>;
}

export interface SliceOptions {
  /** At least 256 KB. */
  readonly sliceBytes?: number;
  readonly memory?: UploadMemory;
  /** SHA-256, with which the server checks each slice. By default that of the page, if it has one. */
  readonly sha256?: ((bytes: Uint8Array<ArrayBuffer>) => Promise<Uint8Array>) | null;
  /** Called with the bytes that the server has. */
  readonly progress?: (sent: number, size: number) => void;
  readonly signal?: AbortSignal;
}

/** Thrown when a file has fewer bytes than it had. */
export class FileShorter extends Error {
  override readonly name = 'FileShorter';
}

export const SLICE_BYTES = 4 * MB;
/** Maximum consecutive slices without progress before the upload fails. */
const STANDSTILLS = 4;
const TUS = { 'tus-resumable': '1.0.0' };
const [NOT_FOUND, CONFLICT, GONE, REFUSED, MISMATCH] = [404, 409, 410, 412, 460];
/** The statuses with which a `PUT` would have been refused, by the code of its refusal. */
const OF_PUT: Readonly<Record<string, number>> = {
  version_conflict: 409,
  conflict: 409,
  limit_exceeded: 402,
  file_too_large: 413,
  extension_not_allowed: 415,
  mime_not_allowed: 415,
};

/**
 * Uploads a file in slices, from where an earlier upload of it has come. No more than a slice is in memory. Throws the
 * ApiErrors of `VaultClient.putAttachment`, FileShorter, and ConnectionError: then it can be called again.
 */
export async function uploadInSlices(
  transport: Transport,
  vault: string,
  file: SlicedFile,
  options: SliceOptions = {},
): Promise<Attachment> {
  const upload = new Upload(transport, vault, file, options);
  try {
    return await upload.run();
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== REFUSED) throw error;
    await upload.forget();
    throw new ApiError(OF_PUT[error.code] ?? error.status, error.body, error.requestId);
  }
}

class Upload {
  readonly #transport: Transport;
  readonly #vault: string;
  readonly #file: SlicedFile;
  readonly #options: SliceOptions;
  readonly #source: SliceSource;

  constructor(transport: Transport, vault: string, file: SlicedFile, options: SliceOptions) {
    this.#transport = transport;
    this.#vault = vault;
    this.#file = file;
    this.#options = options;
    this.#source = new SliceSource(file.bytes);
  }

  async run(): Promise<Attachment> {
    try {
      let [{ id, offset, attachment }, standstills] = [(await this.#begun()) ?? (await this.#begin()), 0];
      while (attachment === null && offset < this.#file.size) {
        this.#options.progress?.(offset, this.#file.size);
        const next = await this.#send(id, offset);
        if (next === null) {
          // It has expired, or was ended: what had arrived is gone.
          ({ id, offset, attachment } = await this.#begin());
          standstills += 1;
        } else {
          standstills = next > offset ? 0 : standstills + 1;
          offset = next;
        }
        if (standstills > STANDSTILLS)
          throw new ConnectionError(`${this.#transport.origin} takes no slice of the file`);
      }
      attachment ??= (await this.#read(id))?.attachment ?? null;
      if (attachment === null) throw new ConnectionError(`${this.#transport.origin} has lost an upload`);
      await this.forget();
      this.#options.progress?.(this.#file.size, this.#file.size);
      return attachment;
    } finally {
      await this.#source.close();
    }
  }

  async forget(): Promise<void> {
    await this.#options.memory?.write(this.#key, null);
  }

  /** Another file, also one that replaces another, has another key. */
  get #key(): string {
    const { path, size, mtime, over = '' } = this.#file;
    return JSON.stringify([this.#vault, path, size, mtime, over]);
  }

  /** Returns the upload that an earlier run began; null if there is none any more. */
  async #begun(): Promise<SlicedUpload | null> {
    const id = (await this.#options.memory?.read(this.#key)) ?? null;
    const upload = id === null ? null : await this.#read(id);
    return upload?.path === this.#file.path && upload.length === this.#file.size ? upload : null;
  }

  async #begin(): Promise<SlicedUpload> {
    const { path, size, mtime, over } = this.#file;
    const condition = over === undefined ? {} : over === null ? { if_none_match: '*' } : { if_match: over };
    const metadata = Object.entries({ path, mtime: mtime.toFixed(6), ...condition });
    const headers = {
      'upload-length': `${size}`,
      'upload-metadata': metadata.map(([key, value]) => `${key} ${base64(new TextEncoder().encode(value))}`).join(','),
    };
    const answer = await this.#ask({ method: 'POST', path: '/uploads', headers });
    const { upload } = await this.#transport.read<UploadCreated>(answer);
    await this.#options.memory?.write(this.#key, upload.id);
    return upload;
  }

  async #read(id: string): Promise<SlicedUpload | null> {
    const answer = await this.#ask({ method: 'GET', path: `/uploads/${id}` }, [NOT_FOUND, GONE]);
    const body = await this.#transport.read<SlicedUpload>(answer);
    return answer.ok ? body : null;
  }

  /** Sends the slice at a place; resolves to where the upload has come, or to null when it is gone. */
  async #send(id: string, offset: number): Promise<number | null> {
    const { size } = this.#file;
    const bytes = await this.#source.at(offset, Math.min(this.#options.sliceBytes ?? SLICE_BYTES, size - offset));
    const checksum = await this.#checksum(bytes);
    const headers = {
      'content-type': 'application/offset+octet-stream',
      'upload-offset': `${offset}`,
      ...(checksum && { 'upload-checksum': `sha256 ${base64(checksum)}` }),
    };
    const call = { method: 'PATCH', path: `/uploads/${id}`, headers, bytes: () => bytes } as const;
    const answer = await this.#ask(call, [NOT_FOUND, CONFLICT, GONE, MISMATCH]);
    await answer.body?.cancel();
    if (answer.status === NOT_FOUND || answer.status === GONE) return null;
    // Of a slice that was damaged on its way nothing was kept.
    return answer.status === MISMATCH ? offset : Number(answer.headers.get('upload-offset') ?? offset);
  }

  async #checksum(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array | null> {
    const { sha256 = digest } = this.#options;
    return sha256 === null ? null : sha256(bytes);
  }

  #ask(call: Call, expected: readonly number[] = []): Promise<Response> {
    const { signal } = this.#options;
    const headers = { ...TUS, ...call.headers };
    return this.#transport.send({ ...call, headers, vault: this.#vault, ...(signal && { signal }) }, expected);
  }
}

/** Returns the SHA-256 checksum of a slice; null on pages without Web Crypto, such as those without https. */
async function digest(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array | null> {
  const subtle: SubtleCrypto | undefined = crypto.subtle;
  return subtle === undefined ? null : new Uint8Array(await subtle.digest('SHA-256', bytes));
}

/** Gives slices of bytes that can only be read from the first on. */
class SliceSource {
  readonly #open: () => AsyncIterable<Uint8Array>;
  #reading: AsyncIterator<Uint8Array> | null = null;
  #at = 0;
  #rest: Uint8Array = new Uint8Array(0);

  constructor(open: () => AsyncIterable<Uint8Array>) {
    this.#open = open;
  }

  /** Throws when the file is shorter. */
  async at(offset: number, length: number): Promise<Uint8Array<ArrayBuffer>> {
    if (this.#reading === null || offset < this.#at) await this.#restart();
    while (this.#at < offset) await this.#take(offset - this.#at);
    const slice = new Uint8Array(length);
    for (let filled = 0; filled < length; ) {
      const piece = await this.#take(length - filled);
      slice.set(piece, filled);
      filled += piece.length;
    }
    return slice;
  }

  async close(): Promise<void> {
    await this.#reading?.return?.();
    this.#reading = null;
  }

  async #restart(): Promise<void> {
    await this.close();
    this.#reading = this.#open()[Symbol.asyncIterator]();
    [this.#at, this.#rest] = [0, new Uint8Array(0)];
  }

  async #take(most: number): Promise<Uint8Array> {
    while (this.#rest.length === 0) {
      const next = await this.#reading?.next();
      if (next === undefined || next.done === true) throw new FileShorter();
      this.#rest = next.value;
    }
    const piece = this.#rest.subarray(0, most);
    this.#rest = this.#rest.subarray(piece.length);
    this.#at += piece.length;
    return piece;
  }
}

function base64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}
