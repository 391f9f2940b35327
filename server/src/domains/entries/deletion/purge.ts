import type { VaultId } from '@notevault/protocol/values/ids.ts';
import type { WriteHandle } from '../../../ports/database/database.ts';
import type { EntryDeps } from '../entries.deps.ts';
import * as store from '../entries.store.ts';
import { firstBytes, SLICE_ROWS } from '../row-slices.ts';

/** Deletes a slice of a purged vault's entries and spent ids; returns true when more may be left. */
export async function purgeSlice({ handlerOf }: EntryDeps, handle: WriteHandle, vault: VaultId): Promise<boolean> {
  const rows = await handle.all(store.findSomeEntries, { vault, limit: SLICE_ROWS });
  const slice = firstBytes(rows, (row) => (row.kind === 'folder' ? 0 : handlerOf(row.kind).storedBytes(row)));
  await handle.runMany(
    store.deleteEntries,
    { vault },
    slice.map(({ id }) => id),
  );
  if (rows.length > 0) return true;
  const spent = await handle.all(store.findSomeSpentIds, { vault, limit: SLICE_ROWS });
  await handle.runMany(
    store.purgeSpentIds,
    { vault },
    spent.map(({ id }) => id),
  );
  return spent.length > 0;
}
