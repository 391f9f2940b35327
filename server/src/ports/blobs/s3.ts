import { MB } from '@notevault/protocol/values/byte-units.ts';
import { type BlobId, type EpochMs, parseUuid, type VaultId } from '@notevault/protocol/values/ids.ts';
import type { Clock } from '../clock/clock.ts';
import {
  BlobError,
  type BlobKey,
  type Blobs,
  type ByteRange,
  checkKey,
  checkUuid,
  LIST_PAGE,
  type StoredBlob,
} from './blobs.ts';
import { type Chunk, rechunk } from './rechunk.ts';
import { Bucket, type BucketOptions, type StoredPart } from './s3.objects.ts';

export interface S3Options extends BucketOptions {
  /** Prefix of all object names, such as `notevault/`; may be empty. */
  readonly prefix: string;
  readonly clock: Clock;
}

/** Bytes per request. A reader never holds a connection, however slowly it reads. */
const READ_BYTES = 2 * MB;
/** An upload older than this belongs to a process that was killed. */
const UPLOAD_MS = 24 * 3_600_000;

/** Blobs as objects `<prefix><vault>/<blob>` of an existing bucket; connects at the first use. */
export function s3Blobs(options: S3Options): Blobs {
  return new S3Blobs(new Bucket(options), options);
}

class S3Blobs implements Blobs {
  readonly #bucket: Bucket;
  readonly #prefix: string;
  readonly #clock: Clock;
  readonly #pool = new BufferPool();

  constructor(bucket: Bucket, { prefix, clock }: S3Options) {
    this.#bucket = bucket;
    this.#prefix = prefix;
    this.#clock = clock;
  }

  async put(key: BlobKey, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    checkKey(key);
    await using upload = new S3Upload(this.#bucket, this.#nameOf(key), this.#pool);
    for await (const part of rechunk(bytes, () => upload.buffer())) await upload.add(part);
  }

  async read(key: BlobKey, { start, end }: ByteRange = { start: 0, end: Number.POSITIVE_INFINITY }) {
    checkKey(key);
    const name = this.#nameOf(key);
    if (start >= end) return (await this.#bucket.has(name)) ? this.#pieces(name, [], 0, 0) : null;
    const first = await this.#bucket.get(name, start, Math.min(end, start + READ_BYTES));
    if (first === null) return null;
    return this.#pieces(name, [first.bytes], start + first.bytes.length, Math.min(end, first.size));
  }

  async delete(keys: readonly BlobKey[]): Promise<void> {
    for (const key of keys) checkKey(key);
    for (let at = 0; at < keys.length; at += LIST_PAGE) {
      await this.#bucket.delete(keys.slice(at, at + LIST_PAGE).map((key) => this.#nameOf(key)));
    }
  }

  async *list(vaultId?: VaultId): AsyncGenerator<readonly StoredBlob[]> {
    if (vaultId !== undefined) checkUuid(vaultId);
    const prefix = this.#prefixOf(vaultId);
    await this.#abortUploads(prefix, this.#clock.now() - UPLOAD_MS);
    for (let from: string | undefined; ; ) {
      const { objects, next } = await this.#bucket.list(prefix, from);
      const page = objects.flatMap(({ name, storedAt }) => {
        const key = this.#keyOf(name);
        return key === null ? [] : [{ key, storedAt: (storedAt?.getTime() ?? this.#clock.now()) as EpochMs }];
      });
      if (page.length > 0) yield page;
      if (next === undefined) return;
      from = next;
    }
  }

  async deleteVault(vaultId: VaultId): Promise<boolean> {
    checkUuid(vaultId);
    const prefix = this.#prefixOf(vaultId);
    await this.#abortUploads(prefix, Number.POSITIVE_INFINITY);
    const { objects, next } = await this.#bucket.list(prefix, undefined);
    await this.#bucket.delete(objects.map(({ name }) => name));
    return next !== undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#bucket[Symbol.dispose]();
  }

  /** Yields what was already read, then the rest, prefetching one piece. */
  async *#pieces(name: string, read: Uint8Array[], from: number, end: number): AsyncGenerator<Uint8Array> {
    const get = (start: number) =>
      start < end ? this.#bucket.get(name, start, Math.min(end, start + READ_BYTES)) : null;
    let coming = get(from);
    coming?.catch(() => undefined);
    for (const piece of read) if (piece.length > 0) yield piece;
    for (let at = from; at < end; ) {
      const piece = await coming;
      if (piece === null || piece.bytes.length === 0)
        throw new BlobError('gone', 'A blob was deleted while it was read.');
      at += piece.bytes.length;
      coming = get(at);
      // Nobody awaits it when the reader stops early.
      coming?.catch(() => undefined);
      yield piece.bytes;
    }
  }

  async #abortUploads(prefix: string, before: number): Promise<void> {
    for (const { name, upload, begunAt } of await this.#bucket.unfinished(prefix)) {
      if (name === undefined || upload === undefined || (begunAt?.getTime() ?? before) >= before) continue;
      await this.#bucket.abort(name, upload);
    }
  }

  #prefixOf(vaultId: VaultId | undefined): string {
    return vaultId === undefined ? this.#prefix : `${this.#prefix}${vaultId}/`;
  }

  #nameOf({ vaultId, blobId }: BlobKey): string {
    return `${this.#prefixOf(vaultId)}${blobId}`;
  }

  /** The key of an object; null when the object is not a blob. */
  #keyOf(name: string): BlobKey | null {
    const [vaultId = '', blobId = '', ...more] = name.slice(this.#prefix.length).split('/');
    if (more.length > 0 || parseUuid(vaultId) !== vaultId || parseUuid(blobId) !== blobId) return null;
    return { vaultId: vaultId as VaultId, blobId: blobId as BlobId };
  }
}

/** The smallest part that S3 accepts, except for the last; 10,000 of them make 48 GB. */
export const PART_BYTES = 5 * MB;
/** Shared buffers beside the one of each upload, for parts that are being sent while the next one arrives. */
const SPARE_BUFFERS = 3;

/** Buffers shared by all uploads of a process, so that many at once take little more memory than one. */
class BufferPool {
  #left = SPARE_BUFFERS;

  acquire(): Buffer | null {
    if (this.#left === 0) return null;
    this.#left--;
    return Buffer.allocUnsafe(PART_BYTES);
  }

  release(count: number): void {
    this.#left += count;
  }
}

/**
 * An object being uploaded: one request if it has one part, else a multipart upload with several parts at once while
 * there are buffers. Disposing of it before `finish` has resolved removes what was uploaded.
 */
class S3Upload implements AsyncDisposable {
  readonly #bucket: Bucket;
  readonly #name: string;
  readonly #pool: BufferPool;
  #ownsPooled = 0;
  readonly #free: Buffer[] = [];
  #ownsOne = false;
  readonly #sending = new Set<Promise<void>>();
  readonly #parts: StoredPart[] = [];
  #id: string | null = null;
  #isDone = false;
  /** Whether the service may have created the object although its answer was lost. */
  #mayExist = false;

  constructor(bucket: Bucket, name: string, spare: BufferPool) {
    this.#bucket = bucket;
    this.#name = name;
    this.#pool = spare;
  }

  /** Returns the buffer for the next part; waits for a part to be stored when all buffers are in use. */
  async buffer(): Promise<Buffer> {
    for (;;) {
      const free = this.#free.pop() ?? this.#acquireBuffer();
      if (free !== null) return free;
      await Promise.race(this.#sending);
    }
  }

  /** Adds a part; the last one completes the object and resolves when the service has stored it. */
  async add({ bytes, isLast }: Chunk): Promise<void> {
    if (isLast && this.#id === null) {
      this.#mayExist = true;
      await this.#bucket.put(this.#name, bytes);
      this.#isDone = true;
      return;
    }
    this.#id ??= await this.#bucket.begin(this.#name);
    this.#send(this.#id, bytes, isLast);
    if (isLast) await this.#complete(this.#id);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.allSettled(this.#sending);
    this.#pool.release(this.#ownsPooled);
    if (this.#isDone) return;
    // If the service refuses to remove it now, `list` finds it a day later.
    if (this.#id !== null) await this.#bucket.abort(this.#name, this.#id).catch(() => undefined);
    if (this.#mayExist) await this.#bucket.delete([this.#name]).catch(() => undefined);
  }

  #acquireBuffer(): Buffer | null {
    if (!this.#ownsOne) {
      this.#ownsOne = true;
      return Buffer.allocUnsafe(PART_BYTES);
    }
    const buffer = this.#pool.acquire();
    if (buffer !== null) this.#ownsPooled++;
    return buffer;
  }

  #send(id: string, bytes: Buffer, isLast: boolean): void {
    const number = this.#parts.length + 1;
    // Reserves the part's position, because parts may be stored in another order.
    this.#parts.push({ PartNumber: number, ETag: undefined });
    const sent = this.#bucket.putPart(this.#name, id, number, bytes).then((part) => {
      this.#parts[number - 1] = part;
      if (!isLast) this.#free.push(bytes);
      this.#sending.delete(sent);
    });
    this.#sending.add(sent);
    // The failure stays in the set, and the next call that waits rejects with it.
    sent.catch(() => undefined);
  }

  async #complete(id: string): Promise<void> {
    await Promise.all(this.#sending);
    this.#mayExist = true;
    await this.#bucket.complete(this.#name, id, this.#parts);
    this.#isDone = true;
  }
}
