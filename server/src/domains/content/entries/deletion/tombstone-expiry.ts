import type { VaultId } from '@notevault/protocol/values/ids.ts';
import type { WriteHandle } from '../../../../ports/database/database.ts';
import type { EntryDeps } from '../entries.deps.ts';
import { deleteEntries } from '../entries.store.ts';
import { firstBytes, SLICE_ROWS } from '../row-slices.ts';
import { contentsOf, removed } from '../trash/limits.ts';
import * as store from './tombstone-expiry.store.ts';

export function createTombstoneExpiry({ db, vaults, handlerOf }: EntryDeps) {
  return {
    /** Returns tombstones of all vaults deleted until a time, ordered by age and id, starting after `after`. */
    expired: (
      until: number,
      { deleted_at: deletedAt, id }: Pick<store.ExpiredTombstone, 'deleted_at' | 'id'>,
      limit: number,
    ) => db.all(store.findExpired, { until, deletedAt, id, limit }),
    /**
     * Drops the given tombstones of one vault that have not been written since, with all rows that belong to them, and
     * marks their ids as spent; at most one slice per call. Resolves to those dropped and whether more are left. Call it
     * under the vault's lock.
     */
    async dropExpired<Row extends Pick<store.ExpiredTombstone, 'id' | 'seq'>>(
      handle: WriteHandle,
      vault: VaultId,
      tombstones: readonly Row[],
    ): Promise<{ readonly dropped: Row[]; readonly more: boolean }> {
      const seqOf = new Map(tombstones.map(({ id, seq }) => [id, seq]));
      const rows = await handle.allMany(store.findTombstones, { vault }, [...seqOf.keys()]);
      const left = rows.filter(({ id, seq }) => seqOf.get(id) === seq);
      const slice = firstBytes(left.slice(0, SLICE_ROWS), (row) => handlerOf(row.kind).storedBytes(row));
      for (const [kind, own] of Map.groupBy(slice, (row) => row.kind)) {
        const ids = own.map(({ id }) => id);
        if (await handlerOf(kind).dropSlice(handle, vault, ids)) return { dropped: [], more: true };
      }
      const gone = new Set(slice.map(({ id }) => id));
      await handle.runMany(store.insertSpentIds, { vault }, [...gone]);
      await handle.runMany(deleteEntries, { vault_id: vault }, [...gone]);
      const purged = slice.filter(({ trashed }) => trashed === 1);
      if (purged.length > 0) await vaults.countTrash(handle, vault, removed(contentsOf(purged)));
      for (const [kind, own] of Map.groupBy(purged, (row) => row.kind))
        await handlerOf(kind).purged(handle, vault, own);
      return { dropped: tombstones.filter(({ id }) => gone.has(id)), more: gone.size < left.length };
    },
  };
}
