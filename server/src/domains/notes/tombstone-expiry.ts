import type { Seq, VaultId } from '@notevault/protocol/ids.ts';
import type { Database, WriteHandle } from '../../ports/database/database.ts';
import * as store from './notes.store.ts';
import { firstBytes, SLICE_BYTES, SLICE_ROWS } from './purge.ts';
import * as expiring from './tombstone-expiry.store.ts';

/** A tombstone of some age. */
export interface ExpiredNote {
  readonly vaultId: VaultId;
  readonly id: string;
  readonly seq: Seq;
  /** Epoch milliseconds. */
  readonly deletedAt: number;
}

/** Where tombstones go by their age. */
export interface NoteExpiry {
  /** Tombstones of all vaults that were deleted until a moment, oldest first, then by id; those behind `after`. */
  expired(until: number, after: Pick<ExpiredNote, 'deletedAt' | 'id'>, limit: number): Promise<ExpiredNote[]>;
  /**
   * Drops those of these tombstones of one vault that have not been written since, with content, document and kept
   * versions, and marks their ids as spent: as much as a slice holds. Resolves to those it dropped, and whether there is more of them to drop. Called
   * under the vault's lock.
   */
  dropExpired<Row extends Pick<ExpiredNote, 'id' | 'seq'>>(
    handle: WriteHandle,
    vaultId: VaultId,
    tombstones: readonly Row[],
  ): Promise<{ readonly dropped: Row[]; readonly more: boolean }>;
}

export function createTombstoneExpiry(db: Database): NoteExpiry {
  return {
    async expired(until, { deletedAt, id }, limit) {
      const rows = await db.all(expiring.findExpired, { until, deletedAt, id, limit });
      return rows.map((row) => ({
        ...{ vaultId: row.vault_id as VaultId, id: row.id, seq: row.seq as Seq },
        deletedAt: row.deleted_at ?? 0,
      }));
    },
    async dropExpired(handle, vault, tombstones) {
      const seqOf = new Map(tombstones.map(({ id, seq }) => [id, seq]));
      const rows = await handle.allMany(expiring.findTombstones, { vault }, [...seqOf.keys()]);
      const left = rows.filter(({ id, seq }) => seqOf.get(id) === seq);
      const slice = firstBytes(left.slice(0, SLICE_ROWS));
      if (await purgeVersions(handle, vault, slice)) return { dropped: [], more: true };
      const gone = new Set(slice.map(({ id }) => id));
      await handle.runMany(expiring.insertSpentIds, { vault }, [...gone]);
      await handle.runMany(store.purgeNotes, { vault }, [...gone]);
      return { dropped: tombstones.filter(({ id }) => gone.has(id)), more: gone.size < left.length };
    },
  };
}

/** Deletes a slice of the kept versions of some notes; true when there may be more. */
async function purgeVersions(handle: WriteHandle, vault: VaultId, notes: readonly { id: string }[]): Promise<boolean> {
  let [rows, bytes] = [0, 0];
  for (const { id } of notes) {
    const versions = await handle.all(expiring.findVersionsOf, { vault, id, limit: SLICE_ROWS });
    for (const { version, size_bytes: size } of versions) {
      if (rows > 0 && (rows >= SLICE_ROWS || bytes + size > SLICE_BYTES)) return true;
      await handle.run(store.purgeVersion, { vault, id, version });
      rows += 1;
      bytes += size;
    }
    if (versions.length === SLICE_ROWS) return true;
  }
  return false;
}
