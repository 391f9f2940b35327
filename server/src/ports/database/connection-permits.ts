import { FairSemaphore, type Permit } from '../../concurrency/semaphore.ts';
import { currentHangUp, currentTenant } from '../../concurrency/tenant.ts';
import { DatabaseError } from './database.ts';

export interface ConnectionLimits {
  readonly connections: number;
  /** Maximum connections per tenant, so that its slow work leaves some for others. */
  readonly connectionsPerTenant: number;
  /** Maximum callers waiting for a connection; more are refused as overloaded. */
  readonly maxWaiting: number;
  readonly waitMs: number;
}

/** Shares the connections of a database fairly between tenants. A caller whose client disconnects stops waiting. */
export class ConnectionPermits {
  readonly #waitMs: number;
  readonly #semaphore: FairSemaphore;
  readonly #waiting = new Set<AbortController>();

  constructor({ connections, connectionsPerTenant, maxWaiting, waitMs }: ConnectionLimits) {
    this.#waitMs = waitMs;
    this.#semaphore = new FairSemaphore({
      units: connections,
      unitsPerTenant: connectionsPerTenant,
      waiting: maxWaiting,
      waitingPerTenant: Math.ceil(maxWaiting / 2),
    });
  }

  get waiting(): number {
    return this.#semaphore.waiting;
  }

  /** Throws DatabaseError. */
  async acquire(): Promise<Permit> {
    return this.#semaphore.tryAcquire(currentTenant()) ?? (await this.#wait());
  }

  refuseWaiting(error: DatabaseError): void {
    for (const waiting of this.#waiting) waiting.abort(error);
  }

  async #wait(): Promise<Permit> {
    const waiting = new AbortController();
    const hangUp = currentHangUp();
    const late = setTimeout(() => waiting.abort(overloaded('no connection became free in time')), this.#waitMs);
    const leave = () => waiting.abort(new DatabaseError('unavailable', 'the client disconnected'));
    hangUp?.addEventListener('abort', leave, { once: true });
    this.#waiting.add(waiting);
    try {
      return await this.#semaphore.acquire(currentTenant(), 1, waiting.signal);
    } catch (error) {
      throw error instanceof DatabaseError ? error : overloaded('too many callers are waiting for a connection');
    } finally {
      clearTimeout(late);
      hangUp?.removeEventListener('abort', leave);
      this.#waiting.delete(waiting);
    }
  }
}

function overloaded(message: string): DatabaseError {
  return new DatabaseError('overloaded', message);
}
