import { addAbortListener } from 'node:events';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import { FairQueue } from './fair-queue.ts';

export interface SemaphoreLimits {
  /** Units that may be in use at once, for example uploads or bytes. */
  readonly units: number;
  readonly unitsPerTenant: number;
  /** Maximum waiting requests; more are refused. */
  readonly waiting: number;
  readonly waitingPerTenant: number;
}

/** Units in use. Disposing of it releases them; disposing again has no effect. */
export interface Permit extends Disposable {
  /** Changes the number of units: fewer admit others; more are granted without waiting. Has no effect once disposed of. */
  resize(units: number): void;
}

interface Request extends PromiseWithResolvers<Permit> {
  readonly units: number;
}

/**
 * A bounded number of units, shared fairly between tenants: next is the waiting tenant that has been granted least and is
 * within its share. A request for more units than exist, or than its tenant may have, is admitted alone.
 */
export class FairSemaphore {
  readonly #limits: SemaphoreLimits;
  readonly #queue: FairQueue<Request>;
  readonly #usedBy = new Map<string, number>();
  #used = 0;

  constructor(limits: SemaphoreLimits) {
    this.#limits = limits;
    this.#queue = new FairQueue({ items: limits.waiting, itemsPerTenant: limits.waitingPerTenant });
  }

  get used(): number {
    return this.#used;
  }

  get waiting(): number {
    return this.#queue.length;
  }

  /** Throws `unavailable` when too many requests wait; the signal's reason when it is aborted meanwhile. */
  async acquire(tenant: string, units = 1, signal?: AbortSignal): Promise<Permit> {
    signal?.throwIfAborted();
    const permit = this.tryAcquire(tenant, units);
    if (permit !== null) return permit;
    const request: Request = { ...Promise.withResolvers<Permit>(), units };
    if (!this.#queue.push(tenant, request, units)) throw new NotevaultError('unavailable');
    this.#next();
    if (signal === undefined) return request.promise;
    using _leaving = addAbortListener(signal, () => {
      if (!this.#queue.remove(tenant, request)) return;
      request.reject(signal.reason);
      this.#next();
    });
    return await request.promise;
  }

  /** Returns the units if they are free and nobody waits for them, else null. */
  tryAcquire(tenant: string, units = 1): Permit | null {
    return this.#queue.length === 0 && this.#fits(tenant, units) ? this.#grant(tenant, units) : null;
  }

  /** Throws like `acquire`. */
  async run<Result>(tenant: string, work: () => Promise<Result>, units = 1, signal?: AbortSignal): Promise<Result> {
    using _ = await this.acquire(tenant, units, signal);
    return await work();
  }

  #fits(tenant: string, units: number): boolean {
    const own = this.#usedBy.get(tenant) ?? 0;
    if (own > 0 && own + units > this.#limits.unitsPerTenant) return false;
    return this.#used === 0 || this.#used + units <= this.#limits.units;
  }

  #grant(tenant: string, units: number): Permit {
    this.#use(tenant, units);
    let held = units;
    let isReleased = false;
    const resize = (to: number) => {
      // Its holder may learn late that it was released; nothing would release units acquired then.
      if (isReleased) return;
      const by = to - held;
      held = to;
      this.#use(tenant, by);
      if (by < 0) this.#next();
    };
    const release = () => {
      resize(0);
      isReleased = true;
    };
    return { resize, [Symbol.dispose]: release };
  }

  #use(tenant: string, by: number): void {
    this.#used += by;
    const own = (this.#usedBy.get(tenant) ?? 0) + by;
    if (own === 0) this.#usedBy.delete(tenant);
    else this.#usedBy.set(tenant, own);
  }

  #next(): void {
    for (;;) {
      // A tenant over its share is skipped, so that it blocks no others; a large request within it is not overtaken.
      const inShare = (tenant: string, { units }: Request) => {
        const own = this.#usedBy.get(tenant) ?? 0;
        return own === 0 || own + units <= this.#limits.unitsPerTenant;
      };
      const next = this.#queue.peek(inShare);
      if (next === undefined || !this.#fits(next.tenant, next.item.units)) return;
      this.#queue.shift(inShare);
      this.#queue.charge(next.tenant, next.item.units);
      next.item.resolve(this.#grant(next.tenant, next.item.units));
    }
  }
}
