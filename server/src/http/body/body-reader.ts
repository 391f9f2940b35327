import type { Readable } from 'node:stream';
import { NotevaultError } from '@notevault/protocol/errors.ts';

/** The cost of a chunk beside its bytes: a body sent byte by byte takes far more memory than its length. */
const CHUNK_OVERHEAD = 256;
/** After this many consecutive intervals with too few bytes the request is ended. */
const SLOW_INTERVALS = 2;
/** A body that is collected must be complete after this time, however steadily it arrives. */
const BODY_MAX_MS = 300_000;

/** The memory for the bodies of all requests, and of one tenant, while they arrive. */
export class MemoryBudget {
  readonly #ofOne: number;
  readonly #takenBy = new Map<string, number>();
  #left: number;

  constructor(bytes: number, bytesOfOne = bytes) {
    this.#left = bytes;
    this.#ofOne = bytesOfOne;
  }

  /** Throws `unavailable` when there is not enough. */
  acquire(tenant: string, bytes: number): void {
    const taken = (this.#takenBy.get(tenant) ?? 0) + bytes;
    if (bytes > this.#left || taken > this.#ofOne) throw new NotevaultError('unavailable');
    this.#left -= bytes;
    this.#takenBy.set(tenant, taken);
  }

  release(tenant: string, bytes: number): void {
    this.#left += bytes;
    const taken = (this.#takenBy.get(tenant) ?? 0) - bytes;
    if (taken > 0) this.#takenBy.set(tenant, taken);
    else this.#takenBy.delete(tenant);
  }
}

export interface MinThroughput {
  readonly intervalMs: number;
  /** A large body that keeps others waiting must bring this many bytes per interval; any other must bring something. */
  readonly bigBytesPerInterval: number;
}

/** Reads one body within limits of size, memory and time. */
export class BodyReader {
  readonly #payload: Readable;
  readonly #budget: MemoryBudget;
  readonly #tenant: string;
  #bytes = 0;
  #reserved = 0;

  constructor(payload: Readable, budget: MemoryBudget, tenant: string) {
    this.#payload = payload;
    this.#budget = budget;
    this.#tenant = tenant;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Returns the whole body. Throws like `read`. */
  async collect(max: number, big: boolean, throughput: MinThroughput): Promise<Buffer> {
    const chunks: Buffer[] = [];
    await this.read(max, big, throughput, (chunk) => void chunks.push(chunk));
    return Buffer.concat(chunks, this.#bytes);
  }

  /**
   * Reads to the end of the body. Throws `body_too_large`, `unavailable`, `request_timeout`; `bad_request` when the
   * client hangs up.
   *
   * @param take called with each chunk as it arrives; reading ends with the error that it throws.
   */
  async read(max: number, big: boolean, throughput: MinThroughput, take: (chunk: Buffer) => void): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const onData = (chunk: Buffer) => {
      try {
        this.#count(chunk, max);
        take(chunk);
      } catch (error) {
        reject(error);
      }
    };
    const onHangUp = () => reject(new NotevaultError('bad_request'));
    // A stream closes after its end, too, before the listeners are removed. The error would be made for each request.
    const onClose = () => {
      if (!this.#payload.readableEnded) onHangUp();
    };
    // If the client has already hung up, no event will follow.
    if (this.#payload.destroyed) onHangUp();
    const watch = this.#watch(big ? throughput.bigBytesPerInterval : 1, throughput.intervalMs, reject);
    // The error listener stays: without one, a later error of the stream would end the process.
    this.#payload.on('data', onData).on('end', resolve).on('error', onHangUp).on('close', onClose);
    try {
      await promise;
    } finally {
      clearInterval(watch);
      this.#payload.off('data', onData).off('end', resolve).off('close', onClose);
    }
  }

  /** Releases the memory; call it when the body is parsed or will not be. */
  [Symbol.dispose](): void {
    this.#budget.release(this.#tenant, this.#reserved);
    this.#reserved = 0;
  }

  #count(chunk: Buffer, max: number): void {
    this.#bytes += chunk.length;
    if (this.#bytes > max) throw new NotevaultError('body_too_large', { max });
    const cost = chunk.length + CHUNK_OVERHEAD;
    this.#budget.acquire(this.#tenant, cost);
    this.#reserved += cost;
  }

  #watch(least: number, everyMs: number, reject: (error: Error) => void): NodeJS.Timeout {
    let before = 0;
    let slow = 0;
    let waited = 0;
    return setInterval(() => {
      waited += everyMs;
      slow = this.#bytes - before < least ? slow + 1 : 0;
      before = this.#bytes;
      if (slow >= SLOW_INTERVALS || waited >= BODY_MAX_MS) reject(new NotevaultError('request_timeout'));
    }, everyMs);
  }
}
