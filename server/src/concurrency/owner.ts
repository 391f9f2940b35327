import { AsyncLocalStorage } from 'node:async_hooks';

/** Work of the server itself: background jobs and single commands. */
const SERVER = '';

/** Who asks for some work, and whether they still wait for it. */
interface Asker {
  readonly owner: string;
  readonly hangUp: AbortSignal | undefined;
}

const askers = new AsyncLocalStorage<Asker>();

/**
 * Runs `work` on account of an owner: every queue below counts what it asks for against that owner's share.
 *
 * @param hangUp aborted when nobody waits for the work any more: what it waits for in a queue is then refused.
 */
export function runForOwner<Result>(owner: string, work: () => Result, hangUp?: AbortSignal): Result {
  return askers.run({ owner, hangUp }, work);
}

/** Runs work that others may come to wait for, too: it goes on when whoever asked first hangs up. */
export function runShared<Result>(work: () => Result): Result {
  return runForOwner(currentOwner(), work);
}

/** On whose account the caller works: an account's id, the network of a caller without one, or the server itself (""). */
export function currentOwner(): string {
  return askers.getStore()?.owner ?? SERVER;
}

/** Aborted when whoever asked for the caller's work hangs up. Undefined once they have: what still runs then is not for them. */
export function currentHangUp(): AbortSignal | undefined {
  const hangUp = askers.getStore()?.hangUp;
  return hangUp?.aborted === true ? undefined : hangUp;
}
