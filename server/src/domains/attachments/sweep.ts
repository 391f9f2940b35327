import type { BlobId, VaultId } from '@notevault/protocol/ids.ts';
import type { BlobKey } from '../../engines/blobs/blobs.ts';
import type { WriteHandle } from '../../engines/database/database.ts';
import * as store from './attachments.store.ts';
import * as blobStore from './blobs.store.ts';
import type { AttachmentParts } from './parts.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** So long an upload may take. */
const UPLOAD_MS = DAY_MS;
/** So long bytes stay that no attachment has any more: whoever was reading them may go on. */
const READERS_MS = 10 * MINUTE_MS;
/** So long bytes stay that the database knows nothing of: until an operator who restored the wrong backup noticed. */
const STRAY_MS = 30 * DAY_MS;
const BATCH = 200;
const ERASE_SLICE = 500;

export interface Sweeping {
  /** Removes the bytes of attachments that were deleted or replaced, and of uploads that were cut off; resolves to their number. */
  sweep(): Promise<number>;
  /** Removes bytes that no database knows of, such as those put after the backup it was restored from; resolves to their number. */
  sweepStrays(): Promise<number>;
  /** Removes a slice of a purged vault's bytes and rows; true when more may be left. */
  eraseSlice(vaultId: VaultId): Promise<boolean>;
}

export function createSweeping({ db, blobs, clock }: AttachmentParts): Sweeping {
  return {
    async sweep() {
      const now = clock.now();
      await db.transact((handle) => handle.run(blobStore.giveUpBefore, { before: now - UPLOAD_MS }));
      for (let removed = 0; ; ) {
        const going = await db.all(blobStore.findGoing, { before: now - READERS_MS, limit: BATCH });
        const keys = going.map(keyOf);
        // First the bytes: as long as the row is there, they are found again.
        await blobs.delete(keys);
        for (const [vault, gone] of Map.groupBy(keys, ({ vaultId }) => vaultId)) {
          const ids = gone.map(({ blobId }) => blobId);
          await db.transact((handle) => handle.runIn(blobStore.forgetGone, { vault }, ids));
        }
        removed += keys.length;
        if (going.length < BATCH) return removed;
      }
    },
    async sweepStrays() {
      const before = clock.now() - STRAY_MS;
      let removed = 0;
      for await (const page of blobs.list()) {
        const old = page.filter(({ storedAt }) => storedAt < before).map(({ key }) => key);
        for (const [vault, keys] of Map.groupBy(old, ({ vaultId }) => vaultId)) {
          // A row is there before the first byte and after the last: bytes that are listed without one belong to nobody.
          const ids = keys.map(({ blobId }) => blobId);
          const known = new Set<string>((await db.allIn(blobStore.findKnown, { vault }, ids)).map(({ id }) => id));
          const strays = keys.filter(({ blobId }) => !known.has(blobId));
          await blobs.delete(strays);
          removed += strays.length;
        }
      }
      return removed;
    },
    async eraseSlice(vaultId) {
      if (await blobs.deleteVault(vaultId)) return true;
      return db.transact((handle) => eraseRows(handle, vaultId));
    },
  };
}

async function eraseRows(handle: WriteHandle, vault: VaultId): Promise<boolean> {
  const slice = { vault, limit: ERASE_SLICE };
  if ((await handle.run(store.eraseAttachments, slice)) === ERASE_SLICE) return true;
  return (await handle.run(blobStore.eraseBlobRows, slice)) === ERASE_SLICE;
}

function keyOf(row: { vault_id: string; id: string }): BlobKey {
  return { vaultId: row.vault_id as VaultId, blobId: row.id as BlobId };
}
