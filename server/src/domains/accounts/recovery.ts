import { invalid, NotevaultError } from '@notevault/protocol/errors.ts';
import type { SessionId, UserId } from '@notevault/protocol/ids.ts';
import type { WriteHandle } from '../../engines/database/database.ts';
import * as store from './accounts.store.ts';
import type { AccountParts } from './parts.ts';
import { checkPassword, type Passwords } from './passwords.ts';
import { type User, userOf } from './profile.ts';
import { canonicalEmail, hashOf, newToken } from './tokens.ts';

const RESET_MS = 60 * 60 * 1000;

/** New passwords, and what the operator changes of an account. */
export interface Recovery {
  /** Sets a new password and revokes every other session. Throws `wrong_old_password`. */
  changePassword(caller: { userId: UserId; credentialId: string }, change: PasswordChange): Promise<void>;
  /** Sets a new password by a reset token and revokes every session. Throws `invalid_reset_token`. */
  resetPassword(reset: { token: string; password: string }): Promise<void>;
  /** A raw reset token, given out this once; valid for an hour and one use. Throws `account_not_found`, as do all below. */
  issueReset(email: string): Promise<string>;
  setPlan(email: string, plan: string): Promise<User>;
  /** Suspending revokes every session; a suspended account cannot sign in, and no credential of it works. */
  setSuspended(email: string, suspended: boolean): Promise<User>;
  findByEmail(email: string): Promise<User>;
}

export interface PasswordChange {
  readonly old_password: string;
  readonly new_password: string;
}

export function createRecovery(parts: AccountParts, passwords: Passwords): Recovery {
  const { db, keys, clock, hooks, plans } = parts;

  async function setPassword(
    handle: WriteHandle,
    userId: UserId,
    passwordHash: string,
    kept: SessionId,
  ): Promise<void> {
    await handle.run(store.updatePassword, { id: userId, passwordHash });
    await handle.run(store.deleteOtherSessions, { userId, kept });
    handle.onCommit(() => hooks.credentialsChanged(userId));
  }

  async function find(sent: string) {
    const email = canonicalEmail(sent);
    const row = email === null ? undefined : await db.get(store.findUserByEmail, { email });
    if (row === undefined) throw new NotevaultError('account_not_found');
    return row;
  }

  return {
    async changePassword({ userId, credentialId }, { old_password, new_password }) {
      const row = await db.get(store.findUser, { id: userId });
      const stored = row?.password_hash ?? null;
      if (!(await passwords.verify(old_password, stored))) throw new NotevaultError('wrong_old_password');
      checkPassword(new_password);
      const passwordHash = await passwords.hash(new_password);
      await db.transact(async (handle) => {
        const held = await handle.get(store.lockUser, { id: userId });
        // Of two changes at once the second one's old password is no longer the password.
        if (held?.password_hash !== stored) throw new NotevaultError('wrong_old_password');
        await setPassword(handle, userId, passwordHash, credentialId as SessionId);
      });
    },
    async resetPassword({ token, password }) {
      const hash = hashOf(token);
      const now = clock.now();
      const known = await db.get(store.findReset, { hash, now });
      if (known === undefined) throw new NotevaultError('invalid_reset_token');
      checkPassword(password);
      const passwordHash = await passwords.hash(password);
      await db.transact(async (handle) => {
        const reset = await handle.get(store.useReset, { hash, now });
        if (reset === undefined || (await handle.get(store.lockUser, { id: reset.user_id })) === undefined) {
          throw new NotevaultError('invalid_reset_token');
        }
        // Whoever knew the old password may hold sessions: none is kept.
        await setPassword(handle, reset.user_id, passwordHash, NO_SESSION);
      });
    },
    async issueReset(email) {
      const { id } = await find(email);
      const token = newToken(clock.random, 'nv_rst_');
      const expiresAt = clock.now() + RESET_MS;
      await db.transact((handle) => handle.run(store.putReset, { userId: id, hash: token.hash, expiresAt }));
      return token.raw;
    },
    async setPlan(sent, plan) {
      if (!Object.hasOwn(plans, plan)) throw invalid({ plan: [`must be one of ${Object.keys(plans).join(', ')}`] });
      const server = await keys.openServer();
      const { email } = await find(sent);
      const row = await db.transact((handle) => handle.get(store.updatePlan, { email, plan }));
      if (row === undefined) throw new NotevaultError('account_not_found');
      return userOf(row, server);
    },
    async setSuspended(sent, suspended) {
      const server = await keys.openServer();
      const { id } = await find(sent);
      const row = await db.transact(async (handle) => {
        const changed = await handle.get(store.updateSuspended, { id, suspendedAt: suspended ? clock.now() : null });
        if (suspended) await handle.run(store.deleteSessionsOf, { userId: id });
        handle.onCommit(() => hooks.credentialsChanged(id));
        return changed;
      });
      if (row === undefined) throw new NotevaultError('account_not_found');
      return userOf(row, server);
    },
    async findByEmail(email) {
      const server = await keys.openServer();
      return userOf(await find(email), server);
    },
  };
}

/** The nil UUID: no session has it. */
const NO_SESSION = '00000000-0000-0000-0000-000000000000' as SessionId;
