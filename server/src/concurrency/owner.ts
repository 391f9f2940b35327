import { AsyncLocalStorage } from 'node:async_hooks';

/** Work of the server itself: background jobs and single commands. */
const SERVER = '';

const owners = new AsyncLocalStorage<string>();

/** Runs `work` on account of an owner: every queue below counts what it asks for against that owner's share. */
export function runForOwner<Result>(owner: string, work: () => Result): Result {
  return owners.run(owner, work);
}

/** On whose account the caller works: an account's id, the network of a caller without one, or the server itself (""). */
export function currentOwner(): string {
  return owners.getStore() ?? SERVER;
}
