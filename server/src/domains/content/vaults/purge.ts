import { NotevaultError } from '@notevault/protocol/errors.ts';
import { operations } from '@notevault/protocol/operations.ts';
import { NIL_UUID, type UserId, type VaultId } from '@notevault/protocol/values/ids.ts';
import { rowsOf } from '../../../ports/database/database.ts';
import type { Principal } from '../../foundation/access/access.ts';
import { type InTransaction, skipInTransaction } from '../../foundation/idempotency/idempotency.ts';
import { vaultIdOf } from './access.ts';
import { purgeDelayMs } from './opened-vault.ts';
import { allowed } from './queries.ts';
import * as feeds from './vault-feeds.store.ts';
import * as store from './vaults.store.ts';
import type { VaultDeps } from './vaults.ts';

const BATCH = 100;

/** Erases a deleted vault; `inTransaction` runs in the first step. Throws `vault_not_found` for any other. */
export async function purge(
  deps: VaultDeps,
  principal: Principal,
  sent: string,
  inTransaction: InTransaction<VaultId> = skipInTransaction,
): Promise<VaultId> {
  const { db, clock } = deps;
  const id = vaultIdOf(sent);
  const now = clock.now();
  const after = now - purgeDelayMs(deps);
  allowed(principal, await db.get(store.findDeleted, { id, after }), operations.purgeVault);
  if (!(await begin(deps, id, { until: now, after }, inTransaction))) throw new NotevaultError('vault_not_found');
  await finish(deps, id);
  return id;
}

/**
 * Purges vaults that were deleted long enough before `now`, and continues interrupted purges. Resolves to their number.
 */
export async function purgeDue(deps: VaultDeps, now: number): Promise<number> {
  const deletedUntil = now - purgeDelayMs(deps);
  const failures: unknown[] = [];
  let purged = 0;
  const after = (last?: DueVault) => ({ deletedUntil, after: last?.id ?? (NIL_UUID as VaultId), limit: BATCH });
  for await (const row of rowsOf(deps.db, store.findDue, after)) {
    try {
      if (await purgeOne(deps, row, deletedUntil)) purged += 1;
    } catch (error) {
      // A vault that cannot be purged now must not block the others.
      failures.push(error);
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, 'some vaults could not be purged');
  return purged;
}

interface DueVault {
  readonly id: VaultId;
  /** When its purge began; null before that. */
  readonly purging_at: number | null;
}

/** Returns false for a vault that was restored since, or whose purge another process began and will finish. */
async function purgeOne(deps: VaultDeps, { id, purging_at }: DueVault, deletedUntil: number): Promise<boolean> {
  const deleted = { until: deletedUntil, after: 0 };
  if (purging_at === null && !(await begin(deps, id, deleted, skipInTransaction))) return false;
  await finish(deps, id);
  return true;
}

/** Erases every vault of an account that is being erased; continues where it stopped. */
export async function purgeAllOf(deps: VaultDeps, userId: UserId): Promise<void> {
  const { db, keys, clock, events } = deps;
  const closed = await db.transact(async (handle) => {
    const rows = await handle.all(store.markAllPurging, { userId, now: clock.now() });
    for (const { id } of rows) {
      await handle.run(feeds.setWritable, { vaultId: id, writable: 0 });
      await keys.destroy(handle, { kind: 'vault', id });
      handle.onCommit(() => events.emit('vaultClosed', { vaultId: id }));
    }
    return rows;
  });
  for (const { id } of closed) await finish(deps, id);
}

/** Marks the vault and destroys its key in one transaction: from then on none of its data can be opened. */
async function begin(
  { db, keys, clock }: VaultDeps,
  id: VaultId,
  deleted: { readonly until: number; readonly after: number },
  inTransaction: InTransaction<VaultId>,
): Promise<boolean> {
  return db.transact(async (handle) => {
    const mark = { id, now: clock.now(), deletedUntil: deleted.until, deletedAfter: deleted.after };
    if ((await handle.run(store.markPurging, mark)) === 0) return false;
    await keys.destroy(handle, { kind: 'vault', id });
    await inTransaction(handle, id);
    return true;
  });
}

/** Erases the rest. The vault's own row is deleted last, because the purge is resumed while it exists. */
async function finish({ db, hooks }: VaultDeps, id: VaultId): Promise<void> {
  while (await hooks.purgeSlice(id));
  await db.transact((handle) => handle.run(store.deleteVault, { id }));
}
