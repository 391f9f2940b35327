import type { Seq } from '@notevault/protocol/values/ids.ts';
import type { Priority, WriteHandle } from '../../../ports/database/database.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import type { EntryDeps, TombstoneDraft, WriteContext } from '../entries.deps.ts';
import { ITEM_KINDS, type StoredEntry } from '../entries.store.ts';
import { RevisionConflict } from '../revision-conflict.ts';
import { entryRows } from '../rows.ts';
import { contentsOf } from '../trash/limits.ts';

/** A deletion of more entries runs as a bulk transaction, in slices. */
const SHORT_MAX = 50;
/** Rows written between two yields: during a long transaction, others run only between its calls. */
const SLICE = 256;

/**
 * Seals the tombstones of live entries before the transaction; notes first. Throws the errors of
 * KindHandler.prepareTombstones.
 */
export async function prepareTombstones(
  { handlerOf }: EntryDeps,
  context: Pick<WriteContext, 'vault' | 'actor' | 'device'>,
  rows: readonly StoredEntry[],
): Promise<TombstoneDraft[]> {
  const drafts: TombstoneDraft[] = [];
  for (const kind of ITEM_KINDS) {
    const own = rows.filter((row) => row.kind === kind);
    if (own.length > 0) drafts.push(...(await handlerOf(kind).prepareTombstones(context, own)));
  }
  return drafts;
}

export async function priorityOf(
  { db, hooks }: EntryDeps,
  vault: OpenVault,
  drafts: readonly TombstoneDraft[],
): Promise<Priority> {
  if (drafts.length > SHORT_MAX) return 'bulk';
  const keys = drafts.flatMap(({ nameKeys }) => nameKeys);
  return keys.length > 0 && (await hooks.hasManyLinksTo(db, vault, keys)) ? 'bulk' : 'normal';
}

/**
 * Replaces rows by their prepared tombstones, under the vault's lock; the caller updates the folder counts. Throws
 * RevisionConflict when an entry has changed.
 *
 * @param first the seq of the first tombstone; the others follow in order.
 */
export async function writeTombstones(
  { clock, vaults, handlerOf }: EntryDeps,
  handle: WriteHandle,
  vault: OpenVault,
  drafts: readonly TombstoneDraft[],
  first: Seq,
): Promise<void> {
  const now = clock.now();
  for (let at = 0; at < drafts.length; at += SLICE) {
    const rows = drafts.slice(at, at + SLICE).map(({ old, meta }, index) => ({
      ...old,
      seq: first + at + index,
      revision: old.revision + 1,
      meta,
      updated_at: now,
      deleted_at: now,
    }));
    if (!(await entryRows.overwrite(handle, vault.id, rows))) throw new RevisionConflict();
  }
  const trash = contentsOf(drafts.map(({ old }) => old));
  // Updated only now that the entries are known to have existed; otherwise the vault's count could become negative.
  await vaults.advance(handle, vault, {
    seqs: 0,
    notes: -trash.notes,
    attachments: -(drafts.length - trash.notes),
    attachmentBytes: -trash.attachmentBytes,
    trash,
  });
  for (const [kind, own] of Map.groupBy(drafts, ({ old }) => old.kind))
    await handlerOf(kind).deleted(handle, vault, own);
}
