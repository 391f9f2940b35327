import type { UserId } from '@notevault/protocol/values/ids.ts';
import type { WriteHandle } from '../../../ports/database/database.ts';
import type { AccountDeps } from './accounts.ts';

/**
 * Must be called in every transaction that takes a right away from an account or one of its sessions, before the rows of
 * its sessions are changed: then its rights versions increase, and all that checks the account does so again.
 */
export async function rightsTaken(
  handle: WriteHandle,
  { hooks, events }: Pick<AccountDeps, 'hooks' | 'events'>,
  userId: UserId,
): Promise<void> {
  await hooks.raiseRights(handle, userId);
  handle.onCommit(() => events.emit('credentialsChanged', { userId }));
}
