import { AsyncLocalStorage } from 'node:async_hooks';

/** The tenant of the server's own work: background jobs and single commands. */
const SERVER = '';

/** On whose behalf work runs, and whether somebody still waits for it. */
interface Asker {
  readonly tenant: string;
  readonly hangUp: (() => AbortSignal) | undefined;
}

const askers = new AsyncLocalStorage<Asker>();

/**
 * Runs `work` on behalf of a tenant: all queues count its requests against that tenant's share.
 *
 * @param hangUp returns a signal that is aborted when nobody waits for the work any more; requests that it has in queues
 *   are then refused. A function, because most work never waits, and a signal costs as much as a small query.
 */
export function runForTenant<Result>(tenant: string, work: () => Result, hangUp?: () => AbortSignal): Result {
  return askers.run({ tenant, hangUp }, work);
}

/** Runs work that several callers may share, so that it continues when the first caller hangs up. */
export function runShared<Result>(work: () => Result): Result {
  return runForTenant(currentTenant(), work);
}

/** On whose behalf this code runs: an account's id, the network of a caller without one, or "" for the server itself. */
export function currentTenant(): string {
  return askers.getStore()?.tenant ?? SERVER;
}

/** Undefined once the caller has hung up, because code that still runs then no longer runs for this caller. */
export function currentHangUp(): AbortSignal | undefined {
  const hangUp = askers.getStore()?.hangUp?.();
  return hangUp?.aborted === true ? undefined : hangUp;
}
