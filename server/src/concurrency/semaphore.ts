import { NotevaultError } from '@notevault/protocol/errors.ts';
import { FairQueue } from './fair-queue.ts';

export interface SemaphoreLimits {
  /** Units that may be in use at once: places, or bytes. */
  readonly units: number;
  /** Of them, by one owner. */
  readonly unitsPerOwner: number;
  /** Requests that may wait; more are refused. */
  readonly waiting: number;
  readonly waitingPerOwner: number;
}

/** Units in use. Disposing of it gives them back; doing so again changes nothing. */
export interface Permit extends Disposable {
  /** Goes on with another number of units: fewer let others in; more are taken without waiting. */
  resize(units: number): void;
}

interface Request extends PromiseWithResolvers<Permit> {
  readonly units: number;
}

/**
 * A bounded number of units that owners share fairly: next is whoever has been given the fewest of those that wait and
 * have not used up their own share. A request for more than there is, or than its owner may have, is let in alone.
 */
export class FairSemaphore {
  readonly #limits: SemaphoreLimits;
  readonly #queue: FairQueue<Request>;
  readonly #usedBy = new Map<string, number>();
  #used = 0;

  constructor(limits: SemaphoreLimits) {
    this.#limits = limits;
    this.#queue = new FairQueue({
      items: limits.waiting,
      itemsPerOwner: limits.waitingPerOwner,
      weight: Number.POSITIVE_INFINITY,
      weightPerOwner: Number.POSITIVE_INFINITY,
    });
  }

  /** Units in use. */
  get used(): number {
    return this.#used;
  }

  /** Requests that wait. */
  get waiting(): number {
    return this.#queue.length;
  }

  /**
   * Resolves once the units are there. Throws `unavailable` when too many wait; the signal's reason when it is aborted
   * meanwhile.
   */
  async acquire(owner: string, units = 1, signal?: AbortSignal): Promise<Permit> {
    signal?.throwIfAborted();
    const permit = this.tryAcquire(owner, units);
    if (permit !== null) return permit;
    const request: Request = { ...Promise.withResolvers<Permit>(), units };
    if (!this.#queue.push(owner, request, units)) throw new NotevaultError('unavailable');
    this.#next();
    if (signal === undefined) return request.promise;
    const abort = () => {
      if (!this.#queue.remove(owner, request)) return;
      request.reject(signal.reason);
      this.#next();
    };
    signal.addEventListener('abort', abort, { once: true });
    try {
      return await request.promise;
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  /** The units where nobody has to wait for them, else null. */
  tryAcquire(owner: string, units = 1): Permit | null {
    return this.#queue.length === 0 && this.#fits(owner, units) ? this.#grant(owner, units) : null;
  }

  /** Runs `work` with units of its own. Throws as `acquire` does. */
  async run<Result>(owner: string, work: () => Promise<Result>, units = 1, signal?: AbortSignal): Promise<Result> {
    using _ = await this.acquire(owner, units, signal);
    return await work();
  }

  #fits(owner: string, units: number): boolean {
    const own = this.#usedBy.get(owner) ?? 0;
    if (own > 0 && own + units > this.#limits.unitsPerOwner) return false;
    return this.#used === 0 || this.#used + units <= this.#limits.units;
  }

  #grant(owner: string, units: number): Permit {
    this.#use(owner, units);
    let held = units;
    const resize = (to: number) => {
      const by = to - held;
      held = to;
      this.#use(owner, by);
      if (by < 0) this.#next();
    };
    return { resize, [Symbol.dispose]: () => resize(0) };
  }

  #use(owner: string, by: number): void {
    this.#used += by;
    const own = (this.#usedBy.get(owner) ?? 0) + by;
    if (own === 0) this.#usedBy.delete(owner);
    else this.#usedBy.set(owner, own);
  }

  #next(): void {
    for (;;) {
      // Whoever has used up their share does not stand in the way of others; whoever asks for much is not passed by.
      const inShare = (owner: string, { units }: Request) => {
        const own = this.#usedBy.get(owner) ?? 0;
        return own === 0 || own + units <= this.#limits.unitsPerOwner;
      };
      const next = this.#queue.peek(inShare);
      if (next === undefined || !this.#fits(next.owner, next.item.units)) return;
      this.#queue.shift(inShare);
      this.#queue.charge(next.owner, next.item.units);
      next.item.resolve(this.#grant(next.owner, next.item.units));
    }
  }
}
