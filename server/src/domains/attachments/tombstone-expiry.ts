import type { Seq, VaultId } from '@notevault/protocol/ids.ts';
import type { Database, WriteHandle } from '../../ports/database/database.ts';
import * as store from './tombstone-expiry.store.ts';

/** A tombstone of some age. */
export interface ExpiredAttachment {
  readonly vaultId: VaultId;
  readonly id: string;
  readonly seq: Seq;
  /** Epoch milliseconds. */
  readonly deletedAt: number;
}

/** Where tombstones go by their age. */
export interface AttachmentExpiry {
  /** Tombstones of all vaults that were deleted until a moment, oldest first, then by id; those behind `after`. */
  expired(
    until: number,
    after: Pick<ExpiredAttachment, 'deletedAt' | 'id'>,
    limit: number,
  ): Promise<ExpiredAttachment[]>;
  /** Drops those of these tombstones of one vault that have not been written since. Called under the vault's lock. */
  dropExpired<Row extends Pick<ExpiredAttachment, 'id' | 'seq'>>(
    handle: WriteHandle,
    vaultId: VaultId,
    tombstones: readonly Row[],
  ): Promise<{ readonly dropped: Row[]; readonly more: boolean }>;
}

export function createTombstoneExpiry(db: Database): AttachmentExpiry {
  return {
    async expired(until, { deletedAt, id }, limit) {
      const rows = await db.all(store.findExpired, { until, deletedAt, id, limit });
      return rows.map((row) => ({
        ...{ vaultId: row.vault_id as VaultId, id: row.id, seq: row.seq as Seq },
        deletedAt: row.deleted_at ?? 0,
      }));
    },
    async dropExpired(handle, vault, tombstones) {
      const seqOf = new Map(tombstones.map(({ id, seq }) => [id, seq]));
      const rows = await handle.allMany(store.findTombstones, { vault }, [...seqOf.keys()]);
      const gone = new Set(rows.filter(({ id, seq }) => seqOf.get(id) === seq).map(({ id }) => id));
      await handle.runMany(store.deleteRows, { vault }, [...gone]);
      return { dropped: tombstones.filter(({ id }) => gone.has(id)), more: false };
    },
  };
}
