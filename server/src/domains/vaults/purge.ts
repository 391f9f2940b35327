import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { UserId, VaultId } from '@notevault/protocol/ids.ts';
import type { Principal } from '../access/access.ts';
import { type InTransaction, skipInTransaction } from '../idempotency/idempotency.ts';
import { checkPermission, vaultIdOf } from './access.ts';
import { purgeDelayMs } from './opened-vault.ts';
import type { VaultDeps } from './vaults.deps.ts';
import * as store from './vaults.store.ts';

const BATCH = 100;
const FIRST_ID = '00000000-0000-0000-0000-000000000000' as VaultId;

export interface PurgeOperations {
  /** Erases a deleted vault for good; `finish` comes with the first step, which cannot be undone. Throws `vault_not_found` for any other. */
  purge(principal: Principal, id: string, inTransaction?: InTransaction<VaultId>): Promise<VaultId>;
  /** Purges what has been deleted long enough by `now`, and goes on with every purge cut short. Resolves to their number. */
  purgeDue(now: number): Promise<number>;
  /** Erases every vault of an account that is being erased; goes on where it stopped. */
  purgeAllOf(userId: UserId): Promise<void>;
}

export function createPurgeOperations(deps: VaultDeps): PurgeOperations {
  const { db, keys, clock, hooks, events } = deps;
  const purgeDelay = purgeDelayMs(deps);

  /** Marks the vault and destroys its key, together: from here on nothing of it can be opened, whatever happens next. */
  async function begin(
    id: VaultId,
    deleted: { until: number; after: number },
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

  /** The vault's own row goes last: while it is there, the purge is resumed. */
  async function finish(id: VaultId): Promise<void> {
    while (await hooks.purgeSlice(id));
    await db.transact((handle) => handle.run(store.deleteVault, { id }));
  }

  return {
    async purge(principal, sent, finishWith = skipInTransaction) {
      const id = vaultIdOf(sent);
      const { userId } = principal;
      const now = clock.now();
      const after = now - purgeDelay;
      const row = await db.get(store.findDeleted, { id, userId, after });
      if (row === undefined) throw new NotevaultError('vault_not_found');
      checkPermission(principal, id, 'write');
      if (!(await begin(id, { until: now, after }, finishWith))) throw new NotevaultError('vault_not_found');
      await finish(id);
      return id;
    },
    async purgeDue(now) {
      const deletedUntil = now - purgeDelay;
      const failures: unknown[] = [];
      let purged = 0;
      const purgeOne = async (id: VaultId, begun: boolean) => {
        // Restored since it was found, or begun by another process: not ours to finish.
        if (!begun && !(await begin(id, { until: deletedUntil, after: 0 }, skipInTransaction))) return;
        await finish(id);
        purged += 1;
      };
      for (let after = FIRST_ID; ; ) {
        const rows = await db.all(store.findDue, { deletedUntil, after, limit: BATCH });
        for (const row of rows) {
          // One vault that cannot be purged now must not hold up the others.
          await purgeOne(row.id, row.purging_at !== null).catch((error) => failures.push(error));
          after = row.id;
        }
        if (rows.length < BATCH) break;
      }
      if (failures.length > 0) throw new AggregateError(failures, 'some vaults could not be purged');
      return purged;
    },
    async purgeAllOf(userId) {
      const closed = await db.transact(async (handle) => {
        const rows = await handle.all(store.markAllPurging, { userId, now: clock.now() });
        for (const { id } of rows) {
          await handle.run(store.setWritable, { vaultId: id, writable: 0 });
          await keys.destroy(handle, { kind: 'vault', id });
          handle.onCommit(() => events.emit('vaultClosed', { vaultId: id }));
        }
        return rows;
      });
      for (const { id } of closed) await finish(id);
    },
  };
}
