import type { BlobId, VaultId } from '@notevault/protocol/values/ids.ts';
import type { BlobKey } from '../../../ports/blobs/blobs.ts';
import { latestPlausible } from '../../../ports/clock/clock.ts';
import type { WriteHandle } from '../../../ports/database/database.ts';
import { lastRestoredAt } from '../vaults/vaults.ts';
import type { AttachmentDeps } from './attachments.ts';
import * as blobStore from './blobs.store.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** Maximum duration of an upload. */
const PENDING_MAX_MS = DAY_MS;
/** How long bytes are kept after the last attachment released them, for readers that have begun. */
const READ_GRACE_MS = 10 * MINUTE_MS;
/** How long bytes without a row are kept, also after a restore: an operator may want the former data back. */
const ORPHAN_AGE_MS = 30 * DAY_MS;
const BATCH = 200;
const PURGE_SLICE = 500;

export function createBlobGc({ db, blobs, clock, backupRuns }: AttachmentDeps) {
  return {
    /** Removes the bytes of replaced and purged attachments and of aborted uploads. Resolves to the number of blobs. */
    async collect(): Promise<number> {
      const now = clock.now();
      await db.transact((handle) => handle.run(blobStore.markStaleDeleting, { before: now - PENDING_MAX_MS }));
      for (let removed = 0; ; ) {
        // A backup that begins after this has a snapshot in which the blobs of this batch are not in use any more.
        if (await backupRuns()) return removed;
        const deleting = await db.all(blobStore.findDeleting, { before: now - READ_GRACE_MS, limit: BATCH });
        const keys = deleting.map(keyOf);
        // The bytes first: as long as the row exists, they can be found again.
        await blobs.delete(keys);
        for (const [vault, gone] of Map.groupBy(keys, ({ vaultId }) => vaultId)) {
          const ids = gone.map(({ blobId }) => blobId);
          await db.transact((handle) => handle.runMany(blobStore.deleteRows, { vault }, ids));
        }
        removed += keys.length;
        if (deleting.length < BATCH) return removed;
      }
    },
    /** Removes bytes without a row, such as those stored after the restored backup. Resolves to the number of blobs. */
    async collectOrphans(): Promise<number> {
      const now = clock.now();
      const before = now - ORPHAN_AGE_MS;
      const restoredAt = await lastRestoredAt(db);
      if (restoredAt > before && restoredAt <= latestPlausible(now)) return 0;
      let removed = 0;
      for await (const page of blobs.list()) {
        if (await backupRuns()) return removed;
        const old = page.filter(({ storedAt }) => storedAt < before).map(({ key }) => key);
        for (const [vault, keys] of Map.groupBy(old, ({ vaultId }) => vaultId)) {
          // A row exists before the first byte and after the last, so listed bytes without a row belong to nothing.
          const ids = keys.map(({ blobId }) => blobId);
          const rows = await db.allMany(blobStore.findKnown, { vault_id: vault }, ids);
          const known = new Set<string>(rows.map(({ id }) => id));
          const orphans = keys.filter(({ blobId }) => !known.has(blobId));
          await blobs.delete(orphans);
          removed += orphans.length;
        }
      }
      return removed;
    },
    /**
     * Removes a slice of a purged vault's bytes; resolves to true when more may be left to remove now. During a backup
     * the bytes stay, without rows or a key that opens them, until `collectOrphans` finds them.
     */
    purgeBytes: async (vaultId: VaultId) => !(await backupRuns()) && (await blobs.deleteVault(vaultId)),
    /** Deletes a slice of the rows of blobs that no entry has; resolves to true when more may be left. */
    purgeSlice: async (handle: WriteHandle, vault: VaultId) =>
      (await handle.run(blobStore.purgeBlobRows, { vault_id: vault, limit: PURGE_SLICE })) === PURGE_SLICE,
  };
}

function keyOf(row: { vault_id: string; id: string }): BlobKey {
  return { vaultId: row.vault_id as VaultId, blobId: row.id as BlobId };
}

/** Releases the blobs of these rows if nothing else has them; the garbage collection removes their bytes. */
export async function releaseBlobs(
  { clock }: Pick<AttachmentDeps, 'clock'>,
  handle: WriteHandle,
  vault: VaultId,
  blobs: readonly (string | null)[],
): Promise<void> {
  const ids = [...new Set(blobs.filter((id) => id !== null))];
  await handle.runMany(blobStore.markUnusedDeleting, { vault, now: clock.now() }, ids);
}
