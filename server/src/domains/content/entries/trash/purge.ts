import { NIL_UUID, type VaultId } from '@notevault/protocol/values/ids.ts';
import { rowsOf, type WriteHandle } from '../../../../ports/database/database.ts';
import type { EntryDeps, PurgedEntry } from '../entries.deps.ts';
import type { ItemKind } from '../entries.tables.ts';
import { contentsOf, removed } from './limits.ts';
import * as store from './trash.store.ts';

export interface EntryToPurge extends PurgedEntry {
  readonly kind: ItemKind;
  readonly size_bytes: number;
}

/**
 * Purges entries of the trash, under the vault's lock: from then on they cannot be restored. Their tombstones remain as
 * they are, so the change feed does not change. Resolves to whether data is left for `clearPurged`.
 */
export async function purgeEntries(
  { vaults, handlerOf }: Pick<EntryDeps, 'vaults' | 'handlerOf'>,
  handle: WriteHandle,
  vault: VaultId,
  entries: readonly EntryToPurge[],
): Promise<boolean> {
  const ids = entries.map(({ id }) => id);
  await handle.runMany(store.markPurged, { vault }, ids);
  await vaults.countTrash(handle, vault, removed(contentsOf(entries)));
  let more = false;
  for (const [kind, own] of Map.groupBy(entries, (entry) => entry.kind)) {
    const handler = handlerOf(kind);
    await handler.purged(handle, vault, own);
    more = (await clearSlice(handlerOf, handle, vault, kind, own)) || more;
  }
  return more;
}

/** Deletes a slice of the data that purged entries of one kind have left; resolves to whether there is more. */
async function clearSlice(
  handlerOf: EntryDeps['handlerOf'],
  handle: WriteHandle,
  vault: VaultId,
  kind: ItemKind,
  entries: readonly Pick<EntryToPurge, 'id'>[],
): Promise<boolean> {
  const ids = entries.map(({ id }) => id);
  if (await handlerOf(kind).dropSlice(handle, vault, ids)) return true;
  await handle.runMany(store.markCleared, { vault }, ids);
  return false;
}

const PAGE = 100;

/**
 * Deletes the remaining data of purged entries, one slice per transaction. The next call continues an interrupted one.
 */
export async function clearPurged(deps: EntryDeps): Promise<void> {
  const after = (last?: { id: string }) => ({ after: last?.id ?? NIL_UUID, limit: PAGE });
  for await (const { vault_id: vault, ...entry } of rowsOf(deps.db, store.findPurged, after)) {
    await clearEntry(deps, vault, entry);
  }
}

export async function clearEntry(
  { db, vaults, handlerOf }: EntryDeps,
  vault: VaultId,
  entry: Pick<EntryToPurge, 'id' | 'kind'>,
): Promise<void> {
  const slice = async (handle: WriteHandle) =>
    (await vaults.lockFeed(handle, vault)) && (await clearSlice(handlerOf, handle, vault, entry.kind, [entry]));
  while (await db.transact(slice));
}
