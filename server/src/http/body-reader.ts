import type { Readable } from 'node:stream';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import { freeBuffer } from '../ports/gc/gc.ts';

/** What a chunk costs beside its bytes: a body sent byte by byte takes far more memory than its length says. */
const CHUNK_OVERHEAD = 256;
/** So many looks in a row at which too little has come end a request. */
const SLOW_INTERVALS = 2;
/** A body that is held while it comes must be whole after so long, however steadily it drips. */
const BODY_MAX_MS = 300_000;

/** The memory that the bodies of all requests may take while they arrive, and those of one owner. */
export class MemoryBudget {
  readonly #ofOne: number;
  readonly #takenBy = new Map<string, number>();
  #left: number;

  constructor(bytes: number, bytesOfOne = bytes) {
    this.#left = bytes;
    this.#ofOne = bytesOfOne;
  }

  /** Throws `unavailable` when the bytes are not to be had. */
  acquire(owner: string, bytes: number): void {
    const taken = (this.#takenBy.get(owner) ?? 0) + bytes;
    if (bytes > this.#left || taken > this.#ofOne) throw new NotevaultError('unavailable');
    this.#left -= bytes;
    this.#takenBy.set(owner, taken);
  }

  release(owner: string, bytes: number): void {
    this.#left += bytes;
    const taken = (this.#takenBy.get(owner) ?? 0) - bytes;
    if (taken > 0) this.#takenBy.set(owner, taken);
    else this.#takenBy.delete(owner);
  }
}

/** How slowly a body may come. */
export interface MinThroughput {
  readonly intervalMs: number;
  /** A body that keeps others waiting must bring so much between two looks; any other must bring something. */
  readonly bigBytesPerInterval: number;
}

/** A body on its way in: reads it within bounds of size, memory and time. */
export class BodyReader {
  readonly #payload: Readable;
  readonly #budget: MemoryBudget;
  readonly #owner: string;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  #reserved = 0;

  constructor(payload: Readable, budget: MemoryBudget, owner: string) {
    this.#payload = payload;
    this.#budget = budget;
    this.#owner = owner;
  }

  /**
   * The whole body. Throws `body_too_large`, `unavailable`, `request_timeout`; `bad_request` when the client hangs up.
   *
   * @param check looks at each chunk as it comes; what it throws ends the reading.
   */
  async collect(
    max: number,
    big: boolean,
    throughput: MinThroughput,
    check: (chunk: Buffer) => void = () => undefined,
  ): Promise<Buffer> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const onData = (chunk: Buffer) => {
      try {
        this.#add(chunk, max);
        check(chunk);
      } catch (error) {
        reject(error);
      }
    };
    const onClose = () => reject(new NotevaultError('bad_request'));
    // A client that hung up before now will not be heard of again.
    if (this.#payload.destroyed) onClose();
    const watch = this.#watch(big ? throughput.bigBytesPerInterval : 1, throughput.intervalMs, reject);
    // The listener for errors stays: without one, a stream that breaks later would end the process.
    this.#payload.on('data', onData).on('end', resolve).on('error', onClose).on('close', onClose);
    try {
      await promise;
      return joined(this.#chunks, this.#bytes);
    } finally {
      clearInterval(watch);
      this.#payload.off('data', onData).off('end', resolve).off('close', onClose);
    }
  }

  /** To be called once the body is parsed, or will not be. */
  release(): void {
    this.#chunks.length = 0;
    this.#budget.release(this.#owner, this.#reserved);
    this.#reserved = 0;
  }

  #add(chunk: Buffer, max: number): void {
    this.#bytes += chunk.length;
    if (this.#bytes > max) throw new NotevaultError('body_too_large', { max });
    const cost = chunk.length + CHUNK_OVERHEAD;
    this.#budget.acquire(this.#owner, cost);
    this.#reserved += cost;
    this.#chunks.push(chunk);
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

/** The chunks as one; their own memory is let go, which the collector would see to only once 64 MB have piled up. */
function joined(chunks: Buffer[], bytes: number): Buffer {
  const whole = Buffer.concat(chunks, bytes);
  for (const chunk of chunks.splice(0)) freeBuffer(chunk);
  return whole;
}
