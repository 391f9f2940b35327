import { aliasKey, noteNameKey } from '@notevault/note-text/resolve.ts';
import type { NoteId } from '@notevault/protocol/ids.ts';
import type { ReadHandle } from '../../engines/database/database.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import { type NoteMeta, sealed } from './meta.ts';
import * as store from './notes.store.ts';
import type { NoteParts, Writing } from './parts.ts';
import { openNote } from './view.ts';

/** Every blind key a note is found under: its name's and its aliases'. */
export function nameKeysOf(vault: OpenVault, note: Pick<NoteMeta, 'path' | 'aliases'>): Buffer[] {
  return [noteNameKey(note.path), ...note.aliases.map(aliasKey)].map((name) => vault.key.blind('name', name));
}

/**
 * Turns the note found into a tombstone; false when there is none. The document stays: a revival goes on from it. Throws
 * `note_unreadable` when any part of the note is damaged, which then stays as it is.
 */
export async function deleteNote(
  parts: NoteParts,
  { vault, device }: Writing,
  find: (handle: ReadHandle) => Promise<store.StoredNote | undefined>,
): Promise<boolean> {
  const { db, tree, vaults, clock, hooks } = parts;
  await refuseUnreadable(parts, vault, find);
  return db.transact(async (handle) => {
    if (!isLive(await find(handle))) return false;
    const seq = await vaults.advance(handle, vault, { seqs: 1, notes: -1 });
    // Read again: only from here on does no other writer of the vault come between.
    const row = await find(handle);
    if (!isLive(row)) throw new Error('a note vanished between two looks of one transaction');
    const id = row.id as NoteId;
    const meta = sealed.openMeta(vault, id, row.stamp, row.meta);
    const stamp = row.stamp + 1;
    const tombstone = sealed.meta(vault, id, stamp, { ...meta, deletedBy: device });
    await handle.run(store.buryNote, {
      vault: vault.id,
      id,
      was: row.stamp,
      stamp,
      seq,
      now: clock.now(),
      meta: tombstone,
    });
    await handle.run(store.deleteAliases, { vault: vault.id, id });
    await tree.release(handle, vault, meta.path, 'note', id);
    await hooks.deleted(handle, vault, { id, seq, movedKeys: nameKeysOf(vault, meta) });
    return true;
  });
}

/** Opens everything a write of other content would open; outside the transaction, for a document may be large. */
async function refuseUnreadable(
  { db, hooks }: NoteParts,
  vault: OpenVault,
  find: (handle: ReadHandle) => Promise<store.StoredNote | undefined>,
): Promise<void> {
  await db.read(async (handle) => {
    const row = await find(handle);
    if (!isLive(row)) return;
    const note = openNote(vault, row);
    const id = note.id as NoteId;
    const doc = (await handle.get(store.findDoc, { vault: vault.id, id }))?.doc ?? null;
    if (doc !== null) sealed.openDoc(vault, id, note.version, doc);
    await hooks.linksOf(handle, vault, id);
  });
}

function isLive(row: store.StoredNote | undefined): row is store.StoredNote {
  return row !== undefined && row.deleted_at === null;
}
