import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { Note, NoteVersion } from '@notevault/protocol/notes.ts';
import type { NoteId } from '@notevault/protocol/values/ids.ts';
import { createYield } from '../../../concurrency/yield.ts';
import type { WriteContext } from '../../entries/entries.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import type { NoteDeps } from '../notes.deps.ts';
import { type OpenedNote, openNote, toNote, toVersion } from '../notes.mapper.ts';
import * as notesStore from '../notes.store.ts';
import { sealed } from '../sealed-note.ts';
import { derivedMeta } from '../writes/build-note-row.ts';
import { deriveOnPool } from '../writes/offload/task-transfer.ts';
import { planText, writeOne } from '../writes/upsert.ts';
import type { WritePlan, WriteTarget } from '../writes/write-target.ts';
import * as store from './versions.store.ts';

const SLICE = 500;

// All of these throw `note_not_found`, `note_unreadable`.

/** Returns every readable version, newest first, beginning with the current one. */
export async function listVersions(
  { db, entries, vaults }: NoteDeps,
  vault: OpenVault,
  id: NoteId,
): Promise<NoteVersion[]> {
  const [row] = await entries.rowsById(db, vault.id, 'note', [id]);
  if (row === undefined || row.version === null) throw new NotevaultError('note_not_found');
  const meta = sealed.openMeta(vault, id, row.revision, row.meta);
  const current = { version: row.version, created_at: meta.versionAt, size_bytes: row.size_bytes };
  const versions = [toVersion(current, meta)];
  const yieldIfDue = createYield();
  for (let before = row.version; ; ) {
    const slice = await db.all(store.listVersions, { vault: vault.id, id, before, limit: SLICE });
    for (const kept of slice) {
      await yieldIfDue();
      versions.push(toVersion(kept, sealed.openVersion(vault, id, kept.version, kept.meta)));
      before = kept.version;
    }
    if (slice.length < SLICE) return vaults.withActors(vault, versions);
  }
}

/** Returns the version with the note's present path and its links resolved in the present vault. */
export async function readVersion(deps: NoteDeps, vault: OpenVault, id: NoteId, version: number): Promise<Note> {
  const { db, hooks } = deps;
  const found = await db.read(async (handle) => {
    const row = await handle.get(notesStore.findById, { vault: vault.id, id });
    if (row === undefined || row.deleted_at !== null) throw new NotevaultError('note_not_found');
    const note = openNote(vault, row);
    if (version === note.version) return { current: toNote(note, await hooks.linksOf(handle, vault, id)) };
    const kept = await handle.get(notesStore.findVersion, { vault_id: vault.id, note_id: id, version });
    if (kept === undefined) throw new NotevaultError('note_not_found');
    return { current: null, note, kept };
  });
  if (found.current !== null) return found.current;
  const { note, kept } = found;
  const { path } = note.meta;
  const text = sealed.openContent(vault, id, version, kept.content);
  const { hash } = sealed.openVersion(vault, id, version, kept.meta);
  const derived = await deriveOnPool(deps, vault, path, text);
  const meta = { ...note.meta, ...derivedMeta(derived), hash };
  const links = await db.read((handle) => hooks.linksFrom(handle, vault, { id, path, links: derived.links }));
  const { created_at: madeAt } = kept;
  return toNote({ ...note, version, meta, content: text, updated_at: madeAt, mtime: madeAt / 1000 }, links);
}

/** Makes a new version with the text of an older one; does nothing when the texts are equal. */
export function restoreVersion(
  deps: NoteDeps,
  context: WriteContext<Note>,
  id: NoteId,
  version: number,
): Promise<Note> {
  const { db, clock } = deps;
  const { vault } = context;
  const plan = async (): Promise<WritePlan> => {
    const row = await db.get(notesStore.findNoteState, { vault: vault.id, id });
    if (row === undefined || row.deleted_at !== null) throw new NotevaultError('note_not_found');
    const note = { ...openNote(vault, row), sealedContent: row.content };
    const text = version === note.version ? note.content : await textOfVersion(deps, vault, note, version);
    if (text === note.content) return { kind: 'same', note };
    const resolved = { path: note.meta.path, pathKey: note.path_key, nearest: null, blocked: null };
    const target: WriteTarget = { kind: 'live', id, resolved, note, doc: row.doc };
    return planText(deps, context, target, { mtime: clock.now() / 1000 }, text, 'restore');
  };
  return deps.entries.lock.run(vault.id, id, () => writeOne(deps, context, plan, (note) => note));
}

async function textOfVersion({ db }: NoteDeps, vault: OpenVault, note: OpenedNote, version: number): Promise<string> {
  const id = note.id as NoteId;
  const issued = version > 0 && version < note.version;
  const kept = issued ? await db.get(notesStore.findVersion, { vault_id: vault.id, note_id: id, version }) : undefined;
  if (kept === undefined) throw new NotevaultError('note_not_found');
  return sealed.openContent(vault, id, version, kept.content);
}
