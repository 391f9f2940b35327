import { AsyncLocalStorage } from 'node:async_hooks';
import type { PendingReads } from './pending-reads.ts';

/** The tenant of the server's own work: background jobs and single commands. */
const SERVER = '';

/** The context of work: its tenant, whether a caller still waits for it, and who waits until its reads are on disk. */
interface Asker {
  readonly tenant: string;
  readonly hangUp: (() => AbortSignal) | undefined;
  readonly reads: PendingReads | undefined;
  /** Whether it may write on a full disk. */
  readonly onReserve: boolean;
}

const askers = new AsyncLocalStorage<Asker>();
const NOBODY: Asker = { tenant: SERVER, hangUp: undefined, reads: undefined, onReserve: false };
const current = () => askers.getStore() ?? NOBODY;

/**
 * Runs `work` on behalf of a tenant: all queues count its requests against that tenant's share.
 *
 * @param hangUp returns a signal that is aborted when nobody waits for the result any more; its queued requests are
 * then refused. A function, because most work never waits, and a signal costs as much as a small query.
 */
export function runForTenant<Result>(tenant: string, work: () => Result, hangUp?: () => AbortSignal): Result {
  return askers.run({ tenant, hangUp, reads: currentReads(), onReserve: mayUseReserve() }, work);
}

/**
 * Runs work that several callers may share: it continues when the first caller hangs up, and its reads wait until they
 * are on disk, because the other callers do not know of them.
 */
export function runShared<Result>(work: () => Result): Result {
  return askers.run({ ...current(), hangUp: undefined, reads: undefined }, work);
}

/** Runs work whose reads need not be on disk yet: the caller awaits `reads.onDisk()` before it sends any result. */
export function runWithPendingReads<Result>(reads: PendingReads, work: () => Result): Result {
  return askers.run({ ...current(), reads }, work);
}

/**
 * Runs work that may write on a full disk, into the room that is kept there: signing in and out, taking rights away, and
 * deleting, which makes room.
 *
 * @param onReserve false for work that may not, although the caller that happens to begin it may.
 */
export function runOnReserve<Result>(work: () => Result, onReserve = true): Result {
  return askers.run({ ...current(), onReserve }, work);
}

export function mayUseReserve(): boolean {
  return current().onReserve;
}

/** The record of reads that the caller waits for; undefined when each read has to wait for the disk itself. */
export function currentReads(): PendingReads | undefined {
  return current().reads;
}

/** Returns the tenant of the running code: an account's id, a network, or "" for the server itself. */
export function currentTenant(): string {
  return current().tenant;
}

/** Undefined once the caller has hung up, because code that still runs then no longer runs for this caller. */
export function currentHangUp(): AbortSignal | undefined {
  const hangUp = current().hangUp?.();
  return hangUp?.aborted === true ? undefined : hangUp;
}
