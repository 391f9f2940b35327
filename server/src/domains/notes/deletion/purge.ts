import type { VaultId } from '@notevault/protocol/values/ids.ts';
import type { WriteHandle } from '../../../ports/database/database.ts';
import { firstBytes, SLICE_BYTES, SLICE_ROWS } from '../../entries/row-slices.ts';
import * as store from '../notes.store.ts';
import { deleteBodiesOf, deleteUpdatesOf, findVersionsOf } from './note-tombstones.store.ts';

/**
 * Deletes a slice of a purged vault's stored versions; returns true when more may be left. Other rows are deleted with
 * the entries.
 */
export async function purgeSlice(handle: WriteHandle, vault: VaultId): Promise<boolean> {
  const versions = await handle.all(store.findSomeVersions, { vault, limit: SLICE_ROWS });
  for (const { note_id: id, version } of firstBytes(versions, ({ size_bytes }) => size_bytes))
    await handle.run(store.deleteVersion, { vault, id, version });
  return versions.length > 0;
}

/** Deletes the texts, documents and waiting edits of notes that can no longer be revived. */
export async function dropBodies(handle: WriteHandle, vault: VaultId, notes: readonly string[]): Promise<void> {
  await handle.runMany(deleteBodiesOf, { vault }, notes);
  await handle.runMany(deleteUpdatesOf, { vault }, notes);
}

/** Deletes a slice of the stored versions of some notes; returns true when there may be more. */
export async function dropVersions(handle: WriteHandle, vault: VaultId, notes: readonly string[]): Promise<boolean> {
  let [rows, bytes] = [0, 0];
  for (const id of notes) {
    const versions = await handle.all(findVersionsOf, { vault, id, limit: SLICE_ROWS });
    for (const { version, size_bytes: size } of versions) {
      if (rows > 0 && (rows >= SLICE_ROWS || bytes + size > SLICE_BYTES)) return true;
      await handle.run(store.deleteVersion, { vault, id, version });
      rows += 1;
      bytes += size;
    }
    if (versions.length === SLICE_ROWS) return true;
  }
  return false;
}
