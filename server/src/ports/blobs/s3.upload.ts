import type { Chunk } from './rechunk.ts';
import type { Bucket, StoredPart } from './s3.objects.ts';

/** The least that S3 takes as a part, but for the last: 10,000 of them make 48 GB. */
export const PART_BYTES = 5 * 1024 * 1024;
/** Buffers beside the one that each upload has of its own: what may be on the way while the next part comes in. */
const SPARE_BUFFERS = 3;

/** Buffers that all uploads of a process share, so that many at once take little more memory than one. */
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
 * One object on its way: a single request when it is one part, else an upload in parts, several at once while there are
 * buffers. Unless `finish` has resolved, disposing of it removes what was uploaded.
 */
export class S3Upload implements AsyncDisposable {
  readonly #bucket: Bucket;
  readonly #name: string;
  readonly #pool: BufferPool;
  #ownsPooled = 0;
  readonly #free: Buffer[] = [Buffer.allocUnsafe(PART_BYTES)];
  readonly #sending = new Set<Promise<void>>();
  readonly #parts: StoredPart[] = [];
  #id: string | null = null;
  #isDone = false;
  /** Whether the service may have made the object without our hearing of it. */
  #mayExist = false;

  constructor(bucket: Bucket, name: string, spare: BufferPool) {
    this.#bucket = bucket;
    this.#name = name;
    this.#pool = spare;
  }

  /** What the next part goes into; waits for a part to be stored when all buffers are on the way. */
  async buffer(): Promise<Buffer> {
    for (;;) {
      const free = this.#free.pop() ?? this.#acquireBuffer();
      if (free !== null) return free;
      await Promise.race(this.#sending);
    }
  }

  /** Takes a part; the last one completes the object, and resolves when the service has stored it. */
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
    // What the service refuses to remove now, `list` finds a day later.
    if (this.#id !== null) await this.#bucket.abort(this.#name, this.#id).catch(() => undefined);
    if (this.#mayExist) await this.#bucket.delete([this.#name]).catch(() => undefined);
  }

  #acquireBuffer(): Buffer | null {
    const buffer = this.#pool.acquire();
    if (buffer !== null) this.#ownsPooled++;
    return buffer;
  }

  #send(id: string, bytes: Buffer, isLast: boolean): void {
    const number = this.#parts.length + 1;
    // Its place is taken now, for parts may be stored in another order.
    this.#parts.push({ PartNumber: number, ETag: undefined });
    const sent = this.#bucket.putPart(this.#name, id, number, bytes).then((part) => {
      this.#parts[number - 1] = part;
      if (!isLast) this.#free.push(bytes);
      this.#sending.delete(sent);
    });
    this.#sending.add(sent);
    // A failure stays in the set, where the next call that waits finds it.
    sent.catch(() => undefined);
  }

  async #complete(id: string): Promise<void> {
    await Promise.all(this.#sending);
    this.#mayExist = true;
    await this.#bucket.complete(this.#name, id, this.#parts);
    this.#isDone = true;
  }
}
