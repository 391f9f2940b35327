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
import { rechunk } from './rechunk.ts';
import { Bucket, type BucketOptions } from './s3.objects.ts';
import { BufferPool, S3Upload } from './s3.upload.ts';

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
