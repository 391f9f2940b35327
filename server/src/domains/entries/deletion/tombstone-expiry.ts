import type { Seq, VaultId } from '@notevault/protocol/ids.ts';
import type { WriteHandle } from '../../../ports/database/database.ts';
import type { EntryDeps } from '../entries.deps.ts';
import { deleteEntries } from '../entries.store.ts';
import type { ItemKind } from '../entries.tables.ts';
import { firstBytes, SLICE_ROWS } from '../row-slices.ts';
import * as store from './tombstone-expiry.store.ts';

/** A tombstone of some age. */
export interface ExpiredTombstone {
  readonly vaultId: VaultId;
  readonly id: string;
  readonly kind: ItemKind;
  readonly seq: Seq;
  /** Epoch milliseconds. */
  readonly deletedAt: number;
}

/** Where tombstones go by their age. */
export interface TombstoneExpiry {
  /** Tombstones of all vaults that were deleted until a moment, oldest first, then by id; those behind `after`. */
  expired(until: number, after: Pick<ExpiredTombstone, 'deletedAt' | 'id'>, limit: number): Promise<ExpiredTombstone[]>;
  /**
   * Drops those of these tombstones of one vault that have not been written since, with all that hangs on them, and marks
   * their ids as spent: as much as a slice holds. Resolves to those it dropped, and whether there are more of them to drop.
   * Called under the vault's lock.
   */
  dropExpired<Row extends Pick<ExpiredTombstone, 'id' | 'seq'>>(
    handle: WriteHandle,
    vaultId: VaultId,
    tombstones: readonly Row[],
  ): Promise<{ readonly dropped: Row[]; readonly more: boolean }>;
}

export function createTombstoneExpiry({ db, handlerOf }: EntryDeps): TombstoneExpiry {
  return {
    async expired(until, { deletedAt, id }, limit) {
      const rows = await db.all(store.findExpired, { until, deletedAt, id, limit });
      return rows.map((row) => ({
        vaultId: row.vault_id as VaultId,
        id: row.id,
        kind: row.kind,
        seq: row.seq as Seq,
        deletedAt: row.deleted_at,
      }));
    },
    async dropExpired(handle, vault, tombstones) {
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
      await handle.runMany(deleteEntries, { vault }, [...gone]);
      return { dropped: tombstones.filter(({ id }) => gone.has(id)), more: gone.size < left.length };
    },
  };
}
