import { minimalDiff } from '@notevault/note-text/diff.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { NoteId } from '@notevault/protocol/ids.ts';
import type { Doc } from 'yjs';
import type { OpenVault } from '../vaults/vaults.ts';
import { findBasis, type PlacedNote } from './basis.ts';
import { commitNote, Stale } from './commit.ts';
import { mergeEdits, snapshotOf, textOf } from './document.ts';
import { sealed } from './meta.ts';
import type { Note } from './notes.schema.ts';
import * as store from './notes.store.ts';
import type { NoteParts, Writing } from './parts.ts';
import { clientIdOf, openDocument, prepared, prepareNext } from './prepare.ts';
import { type OpenedNote, toNote } from './view.ts';

const NOTE_BYTES_MAX = 10 * 1024 * 1024;
/** Each round but the last meets a writer that was faster; more in a row than this is a fault, not bad luck. */
const ROUNDS_MAX = 50;

/**
 * Contract section 4, "Upsert". Reads and prepares outside the transaction, commits against what was read, and starts
 * over when that changed meanwhile.
 */
export async function upsertNote(parts: NoteParts, writing: Writing<Note>, input: PlacedNote): Promise<Note> {
  const text = input.content?.toWellFormed();
  if (text !== undefined) refuseTooLarge(text);
  for (let round = 1; ; round++) {
    try {
      return await upsertOnce(parts, writing, input, text);
    } catch (error) {
      if (!(error instanceof Stale) || round === ROUNDS_MAX) throw error;
    }
  }
}

async function upsertOnce(
  parts: NoteParts,
  writing: Writing<Note>,
  input: PlacedNote,
  text: string | undefined,
): Promise<Note> {
  const basis = await findBasis(parts, writing, input, text);
  if (basis.kind === 'new') {
    if (input.base_hash != null || input.version != null) throw conflictWith(null);
    return commitNote(parts, writing, basis, prepared(parts, writing, basis, input, null, null, text ?? '', 'create'));
  }
  if (basis.kind === 'tombstone') {
    if (input.base_hash != null || input.version != null) throw conflictWith(null);
    const next = text ?? '';
    const doc = openDocument(writing.vault, basis.note, basis.doc);
    return commitNote(parts, writing, basis, prepareNext(parts, writing, basis, input, doc, next, 'create'));
  }
  const { note } = basis;
  if (text === undefined || text === note.content) return unchanged(parts, writing, note);
  const current = () => currentNote(parts, writing.vault, note);
  if (input.base_hash != null && input.base_hash !== note.meta.hash) throw conflictWith(await current());
  const doc = openDocument(writing.vault, note, basis.doc);
  const before = textOf(doc);
  if (before !== note.content) throw new NotevaultError('note_unreadable');
  if (input.base_hash != null || input.version == null || input.version === note.version) {
    return commitNote(parts, writing, basis, prepareNext(parts, writing, basis, input, doc, text, 'edit'));
  }
  const merged = await mergeOnto(parts, writing.vault, note, doc, input.version, text);
  if (merged === null) throw conflictWith(await current());
  refuseTooLarge(merged.text);
  if (merged.text === note.content) return unchanged(parts, writing, note);
  return commitNote(
    parts,
    writing,
    basis,
    prepared(parts, writing, basis, input, doc, merged.snapshot, merged.text, 'merge'),
  );
}

/** Takes `text` as an edit of an older version and merges it; null when that version is not kept any more, or never was. */
async function mergeOnto(
  parts: NoteParts,
  vault: OpenVault,
  note: OpenedNote,
  doc: Doc,
  version: number,
  text: string,
) {
  const id = note.id as NoteId;
  const row =
    version > 0 && version < note.version
      ? await parts.db.get(store.findVersion, { vault: vault.id, id, version })
      : undefined;
  if (row === undefined) return null;
  const base = sealed.openContent(vault, id, version, row.content);
  const snapshot = snapshotOf(doc);
  const from = { snapshot: sealed.openSnapshot(vault, id, version, row.snapshot), length: base.length };
  const merged = mergeEdits(doc, clientIdOf(vault, id), from, minimalDiff(base, text));
  return merged ? { snapshot, text: textOf(doc) } : null;
}

/** Answers a write that changes nothing, once what it was compared with is on disk. */
async function unchanged(
  { db, hooks }: NoteParts,
  { vault, finish }: Writing<Note>,
  stored: OpenedNote,
): Promise<Note> {
  const id = stored.id as NoteId;
  return db.transact(async (handle) => {
    const row = await handle.get(store.findStamp, { vault: vault.id, id });
    if (row?.stamp !== stored.stamp) throw new Stale();
    const note = toNote(stored, await hooks.linksOf(handle, vault, id));
    await finish?.(handle, note);
    return note;
  });
}

function currentNote({ db, hooks }: NoteParts, vault: OpenVault, note: OpenedNote): Promise<Note> {
  return db.read(async (handle) => toNote(note, await hooks.linksOf(handle, vault, note.id as NoteId)));
}

function conflictWith(serverNote: Note | null): NotevaultError {
  return new NotevaultError('version_conflict', { conflict: true, server_note: serverNote });
}

function refuseTooLarge(text: string): void {
  if (text.length > NOTE_BYTES_MAX || Buffer.byteLength(text, 'utf8') > NOTE_BYTES_MAX) {
    throw new NotevaultError('note_too_large');
  }
}
