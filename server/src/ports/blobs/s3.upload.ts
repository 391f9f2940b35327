import { MB } from '@notevault/protocol/values/byte-units.ts';
import type { Chunk } from './rechunk.ts';
import type { Bucket, StoredPart } from './s3.objects.ts';

/** The smallest part that S3 accepts, except for the last; 10,000 of them make 48 GB. */
export const PART_BYTES = 5 * MB;
/** Shared buffers beside the one of each upload, for parts that are being sent while the next one arrives. */
const SPARE_BUFFERS = 3;

/** Buffers shared by all uploads of a process, so that many at once take little more memory than one. */
export class BufferPool {
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
export class S3Upload implements AsyncDisposable {
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
