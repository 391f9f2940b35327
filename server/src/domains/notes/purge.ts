import type { VaultId } from '@notevault/protocol/ids.ts';
import type { WriteHandle } from '../../ports/database/database.ts';
import * as store from './notes.store.ts';
import * as expiring from './tombstone-expiry.store.ts';

/** Rows are overwritten as they are deleted, so bytes count, not rows: a slice must not hold up other writers. */
export const SLICE_BYTES = 4 * 1024 * 1024;
export const SLICE_ROWS = 100;

/** Deletes some of a purged vault's notes and spent ids, kept versions first; true when more may be left. */
export async function purgeSlice(handle: WriteHandle, vault: VaultId): Promise<boolean> {
  const versions = await handle.all(store.findSomeVersions, { vault, limit: SLICE_ROWS });
  for (const { note_id: id, version } of firstBytes(versions))
    await handle.run(store.purgeVersion, { vault, id, version });
  if (versions.length > 0) return true;
  const notes = await handle.all(store.findSomeNotes, { vault, limit: SLICE_ROWS });
  await handle.runMany(
    store.purgeNotes,
    { vault },
    firstBytes(notes).map(({ id }) => id),
  );
  if (notes.length > 0) return true;
  const spent = await handle.all(expiring.findSomeSpentIds, { vault, limit: SLICE_ROWS });
  await handle.runMany(
    expiring.purgeSpentIds,
    { vault },
    spent.map(({ id }) => id),
  );
  return spent.length > 0;
}

/** The first rows that fit into a slice, at least one. */
export function firstBytes<Row extends { readonly size_bytes: number }>(rows: readonly Row[]): Row[] {
  let bytes = 0;
  return rows.filter((row, index) => {
    bytes += row.size_bytes;
    return index === 0 || bytes <= SLICE_BYTES;
  });
}
