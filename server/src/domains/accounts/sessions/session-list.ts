import { NotevaultError } from '@notevault/protocol/errors.ts';
import { parseUuid, type SessionId, type UserId } from '@notevault/protocol/values/ids.ts';
import type { WriteHandle } from '../../../ports/database/database.ts';
import type { AccountDeps } from '../accounts.ts';
import { openClient } from './session-client.ts';
import * as store from './sessions.store.ts';

/** The active sessions of a person, the one used last first. */
export async function sessionsOf({ db, keys, clock }: AccountDeps, userId: UserId) {
  const server = await keys.openServer();
  const rows = await db.all(store.listSessions, { userId, now: clock.now() });
  return rows.map((row) => ({ ...row, client: openClient(server, row.id, row.client) }));
}

/** Ends one session of a person. Throws `session_not_found`. */
export async function endSession(deps: AccountDeps, userId: UserId, sent: string): Promise<void> {
  const id = parseUuid(sent) as SessionId | null;
  if (id === null) throw new NotevaultError('session_not_found');
  await deps.db.transact(async (handle) => {
    if ((await handle.run(store.deleteSessionOf, { id, user_id: userId })) === 0)
      throw new NotevaultError('session_not_found');
    announce(deps, handle, userId);
  });
}

/** Ends all sessions but the caller's; resolves to their number. */
export async function endOtherSessions(
  deps: AccountDeps,
  { userId, credentialId }: { readonly userId: UserId; readonly credentialId: string },
): Promise<number> {
  return await deps.db.transact(async (handle) => {
    const ended = await handle.run(store.deleteOtherSessions, { userId, kept: credentialId as SessionId });
    if (ended > 0) announce(deps, handle, userId);
    return ended;
  });
}

function announce({ events }: AccountDeps, handle: WriteHandle, userId: UserId): void {
  handle.onCommit(() => events.emit('credentialsChanged', { userId }));
}
