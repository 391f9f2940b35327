import { NotevaultError } from '@notevault/protocol/errors.ts';
import { parseUuid, type SessionId, type UserId } from '@notevault/protocol/values/ids.ts';
import type { WriteHandle } from '../../../ports/database/database.ts';
import type { AccountDeps } from '../accounts.ts';
import { openClient, type SignInClient } from './session-client.ts';
import * as store from './sessions.store.ts';

/** One sign-in of a person, as they see it. */
export interface ListedSession {
  readonly id: SessionId;
  readonly createdAt: number;
  /** When it was opened or refreshed last. */
  readonly lastUsedAt: number;
  readonly client: SignInClient | null;
}

export interface SessionList {
  /** The active sessions of a person, the one used last first. */
  sessionsOf(userId: UserId): Promise<ListedSession[]>;
  /** Ends one session of a person. Throws `session_not_found`. */
  endSession(userId: UserId, sent: string): Promise<void>;
  /** Ends all sessions but the caller's; resolves to their number. */
  endOtherSessions(caller: { readonly userId: UserId; readonly credentialId: string }): Promise<number>;
}

export function createSessionList({ db, keys, clock, events }: AccountDeps): SessionList {
  const announce = (handle: WriteHandle, userId: UserId) =>
    handle.onCommit(() => events.emit('credentialsChanged', { userId }));
  return {
    async sessionsOf(userId) {
      const server = await keys.openServer();
      const rows = await db.all(store.listSessions, { userId, now: clock.now() });
      return rows.map(({ id, client, created_at, last_used_at }) => ({
        id,
        createdAt: created_at,
        lastUsedAt: last_used_at,
        client: openClient(server, id, client),
      }));
    },
    async endSession(userId, sent) {
      const id = parseUuid(sent) as SessionId | null;
      if (id === null) throw new NotevaultError('session_not_found');
      await db.transact(async (handle) => {
        if ((await handle.run(store.deleteSessionOf, { id, userId })) === 0) {
          throw new NotevaultError('session_not_found');
        }
        announce(handle, userId);
      });
    },
    async endOtherSessions({ userId, credentialId }) {
      return await db.transact(async (handle) => {
        const ended = await handle.run(store.deleteOtherSessions, { userId, kept: credentialId as SessionId });
        if (ended > 0) announce(handle, userId);
        return ended;
      });
    },
  };
}
