import { NIL_UUID, type VaultId } from '@notevault/protocol/values/ids.ts';
import type { WriteHandle } from '../../../ports/database/database.ts';
import type { TrashContents } from '../../vaults/vaults.ts';
import type { EntryDeps } from '../entries.deps.ts';
import type { ItemKind } from '../entries.tables.ts';
import { firstBytes, SLICE_ROWS } from '../row-slices.ts';
import { clearPurged, type EntryToPurge, purgeEntries } from './purge.ts';
import * as store from './trash.store.ts';

const PAGE = 500;

type Limits = Pick<TrashContents, 'notes' | 'textBytes' | 'attachmentBytes'>;

/**
 * Purges what was deleted first in every vault whose trash has more than its limits, a slice in each transaction. Resolves
 * to the number of entries purged.
 */
export async function trimTrashes(deps: EntryDeps): Promise<number> {
  const { db, vaults, trashLimits } = deps;
  let purged = 0;
  for (let after = NIL_UUID as VaultId; ; ) {
    const page = await vaults.trashes(after, PAGE);
    for (const { vaultId, plan, ...has } of page) {
      const limits = { ...trashLimits, attachmentBytes: trashLimits.attachmentBytes(plan) };
      for (let more = excessOf(has, limits).length > 0; more; ) {
        const slice = await db.transact((handle) => trimSlice(deps, handle, vaultId, limits));
        purged += slice;
        more = slice > 0;
      }
      after = vaultId;
    }
    if (page.length < PAGE) break;
  }
  await clearPurged(deps);
  return purged;
}

/** Purges the first entries beyond the limits, at most a slice; resolves to their number. */
async function trimSlice(deps: EntryDeps, handle: WriteHandle, vault: VaultId, limits: Limits): Promise<number> {
  const { vaults } = deps;
  if (!(await vaults.lockFeed(handle, vault))) return 0;
  const [excess] = excessOf(await vaults.trashOf(handle, vault), limits);
  if (excess === undefined) return 0;
  const oldest = await handle.all(store.findOldest, { vault, kind: excess.kind, limit: SLICE_ROWS });
  const slice = firstBytes(firstOf(oldest, excess), (row) => deps.handlerOf(row.kind).storedBytes(row));
  await purgeEntries(deps, handle, vault, slice);
  return slice.length;
}

/** How many entries and bytes of a kind are beyond the limits. */
interface Excess {
  readonly kind: ItemKind;
  readonly entries: number;
  readonly bytes: number;
}

function excessOf(has: TrashContents, limits: Limits): Excess[] {
  const notes = { kind: 'note' as const, entries: has.notes - limits.notes, bytes: has.textBytes - limits.textBytes };
  const files = { kind: 'attachment' as const, entries: 0, bytes: has.attachmentBytes - limits.attachmentBytes };
  return [notes, files].filter(({ entries, bytes }) => entries > 0 || bytes > 0);
}

/** Returns as many of the first entries as have to go. */
function firstOf(rows: readonly EntryToPurge[], { entries, bytes }: Excess): EntryToPurge[] {
  let [rowsLeft, bytesLeft] = [entries, bytes];
  return rows.filter(({ size_bytes }) => {
    const goes = rowsLeft > 0 || bytesLeft > 0;
    rowsLeft -= 1;
    bytesLeft -= size_bytes;
    return goes;
  });
}
