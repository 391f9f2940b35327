import { MB } from '@notevault/protocol/values/byte-units.ts';
import type { NoteId } from '@notevault/protocol/values/ids.ts';
import { slicesBySize, slicesOf } from '../../../../concurrency/slices.ts';
import { createYield, type YieldIfDue } from '../../../../concurrency/yield.ts';
import type { WriteHandle } from '../../../../ports/database/database.ts';
import type { StoredEntry, TombstoneDraft, WriteContext } from '../../entries/entries.ts';
import { RevisionConflict } from '../../entries/revision-conflict.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import type { NoteDeps } from '../notes.deps.ts';
import { originOf, sealed } from '../sealed-note.ts';
import { nameKeysOf } from '../writes/write-rows.ts';
import * as store from './note-tombstones.store.ts';

/** Rows written between two yields: during a long transaction, others run only between its calls. */
const WRITE_SLICE = 256;
/** Maximum amount held in memory for the check: a note can be 10 MB. */
const READ_SLICE = { count: 100, bytes: 16 * MB };

/**
 * Seals the tombstones of live notes before the transaction. Throws `note_unreadable` when any part of a note is
 * damaged: the note then stays unchanged. Throws RevisionConflict when one has changed since its row was read.
 */
export async function prepareTombstones(
  deps: NoteDeps,
  { vault, actor, device }: Pick<WriteContext, 'vault' | 'actor' | 'device'>,
  rows: readonly StoredEntry[],
): Promise<TombstoneDraft[]> {
  const yieldIfDue = createYield();
  const drafts: TombstoneDraft[] = [];
  for (const slice of slicesBySize(rows, READ_SLICE, (row) => row.size_bytes)) {
    await checkReadable(deps, vault, slice, yieldIfDue);
    for (const row of slice) {
      await yieldIfDue();
      const { path, ...meta } = sealed.openMeta(vault, row.id, row.revision, row.meta);
      const deletion = { deletedBy: originOf(vault, device), deletedActor: actor };
      const tombstone = sealed.meta(vault, row.id, row.revision + 1, { path, ...meta, ...deletion });
      const nameKeys = nameKeysOf(vault, { path, aliases: meta.aliases });
      drafts.push({ old: row, path, meta: tombstone, nameKeys });
    }
  }
  return drafts;
}

/** Unseals everything that a write of other content would unseal. */
async function checkReadable(
  { db, hooks }: NoteDeps,
  vault: OpenVault,
  rows: readonly StoredEntry[],
  yieldIfDue: YieldIfDue,
): Promise<void> {
  const ids = rows.map(({ id }) => id as NoteId);
  const bodies = await db.allMany(store.findBodiesWithRevision, { vault: vault.id }, ids);
  const bodyOf = new Map(bodies.map((body) => [body.id, body]));
  for (const { id, revision, version } of rows) {
    await yieldIfDue();
    const body = bodyOf.get(id);
    if (body?.revision !== revision) throw new RevisionConflict();
    sealed.openContent(vault, id, version ?? 0, body.content);
    if (body.doc !== null) sealed.openDoc(vault, id, version ?? 0, body.doc);
  }
  await hooks.checkReadable(db, vault, ids);
}

/** Deletes the aliases and edges of new tombstones; a revival continues the rest of their data. */
export async function notesDeleted(
  { hooks, live }: NoteDeps,
  handle: WriteHandle,
  vault: OpenVault,
  tombstones: readonly TombstoneDraft[],
): Promise<void> {
  const named = tombstones.filter(({ nameKeys }) => nameKeys.length > 1).map(({ old }) => old.id);
  for (const slice of slicesOf(named, WRITE_SLICE)) {
    await handle.runMany(store.deleteAliasesOf, { vault_id: vault.id }, slice);
  }
  const notes = tombstones.map(({ old, nameKeys }) => ({ id: old.id as NoteId, movedKeys: nameKeys }));
  await hooks.deleted(handle, vault, notes);
  handle.onCommit(() => {
    for (const { id } of notes) live.deleted(id);
  });
}
