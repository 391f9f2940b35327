import type { Readable } from 'node:stream';
import { NotevaultError } from '@notevault/protocol/errors.ts';

/** The cost of a chunk beside its bytes: a body sent byte by byte takes far more memory than its length. */
const CHUNK_OVERHEAD = 256;
/** Number of consecutive intervals with too few bytes after which the request is ended. */
const SLOW_INTERVALS = 2;
/** A body that is collected must be complete after this time, however steadily it arrives. */
const BODY_MAX_MS = 300_000;

/** A body that holds memory while it arrives. */
interface ArrivingBody {
  readonly tenant: string;
  /** Ends the body and releases its memory. */
  giveUp(): void;
}

interface Share {
  bytes: number;
  /** Bodies that are still arriving, oldest first. */
  readonly bodies: Set<ArrivingBody>;
}

/**
 * The memory for the bodies of all requests while they arrive. When it is used up, the tenant that holds most gives up
 * its oldest body for a tenant that holds less: bodies that trickle are old, and two accounts could otherwise hold all
 * memory with them for minutes.
 */
export class MemoryBudget {
  readonly #ofOne: number;
  readonly #shares = new Map<string, Share>();
  #left: number;

  constructor(bytes: number, bytesOfOne = bytes) {
    this.#left = bytes;
    this.#ofOne = bytesOfOne;
  }

  /** Throws `unavailable` when there is not enough. */
  acquire(body: ArrivingBody, bytes: number): void {
    const share = this.#shares.get(body.tenant) ?? { bytes: 0, bodies: new Set() };
    const held = share.bytes + bytes;
    if (held > this.#ofOne) throw new NotevaultError('unavailable');
    while (bytes > this.#left) this.#oldestOfMost(held).giveUp();
    this.#left -= bytes;
    share.bytes = held;
    this.#shares.set(body.tenant, share);
    share.bodies.add(body);
  }

  /** Keeps the memory of a body that has arrived until it is released. */
  arrived(body: ArrivingBody): void {
    this.#shares.get(body.tenant)?.bodies.delete(body);
  }

  release(tenant: string, bytes: number): void {
    const share = this.#shares.get(tenant);
    if (share === undefined) return;
    this.#left += bytes;
    share.bytes -= bytes;
    if (share.bytes === 0) this.#shares.delete(tenant);
  }

  /** Returns the oldest body of the tenant that holds most. Throws `unavailable` when that is not more than `held`. */
  #oldestOfMost(held: number): ArrivingBody {
    let most: Share | undefined;
    for (const share of this.#shares.values()) {
      if (share.bodies.size > 0 && share.bytes > (most?.bytes ?? held)) most = share;
    }
    for (const oldest of most?.bodies ?? []) return oldest;
    throw new NotevaultError('unavailable');
  }
}

export interface MinThroughput {
  readonly intervalMs: number;
  /** A large body that keeps others waiting must bring this many bytes per interval; any other must bring something. */
  readonly bigBytesPerInterval: number;
}

/** Reads one body within limits of size, memory and time. */
export class BodyReader implements ArrivingBody {
  readonly tenant: string;
  readonly #payload: Readable;
  readonly #budget: MemoryBudget;
  #bytes = 0;
  #reserved = 0;
  #fail: (error: Error) => void = () => {};

  constructor(payload: Readable, budget: MemoryBudget, tenant: string) {
    this.#payload = payload;
    this.#budget = budget;
    this.tenant = tenant;
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
   * Reads to the end of the body; an error of `take` ends it. Throws `body_too_large`, `unavailable`,
   * `request_timeout`; `bad_request` when the client hangs up.
   */
  async read(max: number, big: boolean, throughput: MinThroughput, take: (chunk: Buffer) => void): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#fail = reject;
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
      this.#budget.arrived(this);
      this.#payload.off('data', onData).off('end', resolve).off('close', onClose);
    }
  }

  giveUp(): void {
    this.#budget.arrived(this);
    this[Symbol.dispose]();
    this.#fail(new NotevaultError('unavailable'));
  }

  /** Releases the memory; call it when the body is parsed or will not be. */
  [Symbol.dispose](): void {
    this.#budget.release(this.tenant, this.#reserved);
    this.#reserved = 0;
  }

  #count(chunk: Buffer, max: number): void {
    this.#bytes += chunk.length;
    if (this.#bytes > max) throw new NotevaultError('body_too_large', { max });
    const cost = chunk.length + CHUNK_OVERHEAD;
    this.#budget.acquire(this, cost);
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
