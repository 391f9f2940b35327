import { NotevaultError } from '@notevault/protocol/errors.ts';
import { NIL_UUID, parseUuid, type UserId, type VaultId } from '@notevault/protocol/values/ids.ts';
import { rowsOf } from '../../../ports/database/database.ts';
import type { SealingKey } from '../../../ports/keyring/keyring.ts';
import * as store from './accounts.store.ts';
import type { UserRow } from './accounts.tables.ts';
import type { AccountContext, AccountDeps } from './accounts.ts';
import { lockAdmins, requireAdmin, requireOtherAdmin } from './admin.ts';
import { analyticsIdOf, present, requestErasure } from './profile.ts';
import { rightsTaken } from './rights-taken.ts';
import { proveForOperation, type SessionCaller } from './sessions/proofs.ts';
import * as sessionStore from './sessions/sessions.store.ts';

const BATCH = 100;

/**
 * Throws `password_required`, `invalid_password`, `step_up_required` for an account without a password, `last_admin`,
 * `delete_failed`, `rate_limited`.
 */
export async function deleteMe(deps: AccountContext, caller: SessionCaller, password: unknown): Promise<void> {
  await proveForOperation(deps, caller, password);
  await erase(deps, present(await deps.db.get(store.findUser, { id: caller.userId })), null);
}

/**
 * Erases the account of another, or the admin's own, with the admin's proof. Throws like `deleteMe`, and
 * `user_not_found`, `admin_required`.
 */
export async function deleteUser(
  deps: AccountContext,
  admin: SessionCaller,
  sent: string,
  password: unknown,
): Promise<void> {
  await proveForOperation(deps, admin, password);
  const id = parseUuid(sent) as UserId | null;
  const row = id === null ? undefined : await deps.db.get(store.findUser, { id });
  if (row === undefined) throw new NotevaultError('user_not_found');
  await erase(deps, row, admin.userId);
}

/** @param admin who erases it; null for its owner. */
async function erase(deps: AccountDeps, row: UserRow, admin: UserId | null): Promise<void> {
  await close(deps, row, await deps.keys.openServer(), admin).catch(async (error: unknown) => {
    throw error instanceof StillShared ? await refusalOf(deps, error, admin) : error;
  });
  await finish(deps, row.id).catch((cause) => {
    throw new NotevaultError('delete_failed', {}, cause);
  });
}

/** The account owns vaults that others have too. */
class StillShared extends Error {
  readonly vaults: readonly VaultId[];

  constructor(vaults: readonly VaultId[]) {
    super('the account owns shared vaults');
    this.vaults = vaults;
  }
}

/** An admin reads no names of vaults. */
async function refusalOf({ hooks }: AccountDeps, { vaults }: StillShared, admin: UserId | null) {
  const named = admin === null ? await hooks.named(vaults) : vaults.map((id) => ({ id }));
  return new NotevaultError('owns_shared_vaults', { vaults: named });
}

/** Continues every erasure that was interrupted by a crash or a failure; resolves to the number it finished. */
export async function resumeDeletions(deps: AccountDeps): Promise<number> {
  let finished = 0;
  const failures: unknown[] = [];
  const after = (last?: { id: UserId }) => ({ after: last?.id ?? (NIL_UUID as UserId), limit: BATCH });
  for await (const { id } of rowsOf(deps.db, store.findDeleting, after)) {
    try {
      await finish(deps, id);
      finished += 1;
    } catch (error) {
      // An account that cannot be erased now must not block the others.
      failures.push(error);
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, 'some accounts could not be erased');
  return finished;
}

/** Closes the account: from the commit on every credential of it is refused, and its key is destroyed. */
async function close(deps: AccountDeps, row: UserRow, server: SealingKey, admin: UserId | null): Promise<void> {
  const { db, keys, clock, hooks } = deps;
  const { id: userId } = row;
  await db.transact(async (handle) => {
    // Roles change only under this lock.
    await lockAdmins(handle);
    if (admin !== null) await requireAdmin(handle, admin);
    const now = await handle.get(store.lockAccount, { id: userId });
    if (now === undefined) throw new NotevaultError(admin === null ? 'unauthorized' : 'user_not_found');
    if (now.role === 'admin' && now.suspended_at === null) await requireOtherAdmin(handle, userId);
    const shared = await hooks.sharedVaultsOf(handle, userId);
    if (shared.length > 0) throw new StillShared(shared);
    await rightsTaken(handle, deps, userId);
    await handle.run(store.markDeleting, { id: userId, now: clock.now() });
    await handle.run(sessionStore.deleteSessionsOf, { user_id: userId });
    await requestErasure(handle, deps, { userId, analyticsId: analyticsIdOf(row, server) });
    await keys.destroy(handle, { kind: 'user', id: userId });
  });
}

async function finish({ db, hooks }: AccountDeps, userId: UserId): Promise<void> {
  await hooks.erasing(userId);
  await db.transact((handle) => handle.run(store.deleteUser, { id: userId }));
}
