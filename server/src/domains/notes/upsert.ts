import { NotevaultError } from '@notevault/protocol/errors.ts';
import { type NoteId, parseUuid } from '@notevault/protocol/ids.ts';
import type { Doc } from 'yjs';
import type { OpenVault } from '../vaults/vaults.ts';
import { type Basis, findBasis, type PlacedNote } from './basis.ts';
import { type Committed, type Plan, writeNotes } from './commit.ts';
import { snapshotOf, textOf } from './document.ts';
import { mergeText } from './merge.ts';
import { sealed, type VersionReason } from './meta.ts';
import type { Note } from './notes.schema.ts';
import * as store from './notes.store.ts';
import { offload } from './offload.ts';
import type { NoteParts, Writing } from './parts.ts';
import { isLarge, isLargeText, postVault, receiveDraft } from './posted.ts';
import { clientIdOf, currentDocument, draftText, type Prepared, prepared } from './prepare.ts';
import { type OpenedNote, toNote } from './view.ts';

const NOTE_BYTES_MAX = 10 * 1024 * 1024;

/** Contract section 4, "Upsert". */
export function upsertNote(parts: NoteParts, writing: Writing<Note>, input: PlacedNote): Promise<Note> {
  return writeOne(
    parts,
    writing,
    () => planUpsert(parts, writing, input),
    (note) => note,
  );
}

/** Writes a single note as planned; `resultOf` makes the verb's answer of it. */
export function writeOne<Result>(
  parts: NoteParts,
  writing: Writing<Result>,
  plan: () => Promise<Plan>,
  resultOf: (note: Note, done: Committed) => Result,
): Promise<Result> {
  return writeNotes(parts, writing, 1, {
    plan,
    refuse(_index, error) {
      throw error;
    },
    async answer(handle, done) {
      const only = done.get(0);
      if (only === undefined) throw new TypeError('a note was neither written nor refused');
      const links = only.links ?? (await parts.hooks.linksOf(handle, writing.vault, only.note.id as NoteId));
      return resultOf(toNote(only.note, links), only);
    },
  });
}

/**
 * What an upsert comes to, against what is stored now. Throws `version_conflict`, `conflict`, `note_too_large`,
 * `note_unreadable`.
 *
 * @param made what made the version, where that is not for the upsert itself to say.
 */
export async function planUpsert(
  parts: NoteParts,
  writing: Writing,
  input: PlacedNote,
  made?: VersionReason,
): Promise<Plan> {
  const text = input.content?.toWellFormed();
  if (text !== undefined) refuseTooLarge(text);
  const basis = await findBasis(parts, writing, input, text);
  if (basis.kind !== 'live') {
    // A version says nothing here: what the client edited was deleted elsewhere, and its edit must still arrive.
    if (input.base_hash != null) throw conflictWith(null);
    return planText(parts, writing, basis, input, text ?? '', made ?? 'create');
  }
  const { note } = basis;
  if (text === undefined || text === note.content) return { kind: 'same', note };
  const refuse = async () => conflictWith(await currentNote(parts, writing.vault, note));
  if (input.base_hash != null && input.base_hash !== note.meta.hash) throw await refuse();
  // A version counts for the note that the id names: one of another note is no basis to write on.
  const named = parseUuid(input.id);
  if (input.base_hash == null && input.version != null && named !== null && named !== note.id) throw await refuse();
  if (input.base_hash != null || input.version == null || input.version === note.version) {
    return planText(parts, writing, basis, input, text, made ?? 'edit');
  }
  const doc = currentDocument(writing.vault, basis);
  const merged = await mergeOnto(parts, writing.vault, note, doc, input.version, text);
  if (merged === null) throw await refuse();
  refuseTooLarge(merged.text);
  if (merged.text === note.content) return { kind: 'same', note };
  const next = prepared(parts, writing, basis, input, doc, merged.snapshot, merged.text, made ?? 'merge');
  return { kind: 'write', basis, next };
}

/** The note's text becomes `text` by the smallest edit, or is where it begins. Throws `note_too_large`. */
export async function planText(
  parts: NoteParts,
  writing: Writing,
  basis: Basis,
  input: { readonly mtime: number },
  text: string,
  reason: VersionReason,
): Promise<Plan> {
  refuseTooLarge(text);
  const next = isLargeDraft(basis, text)
    ? await draftElsewhere(parts, writing, basis, input, text, reason)
    : draftText(parts, writing, basis, input, text, reason);
  return { kind: 'write', basis, next };
}

/** Values that a draft seals: content, document, meta, and of the version written over meta and snapshot. */
const SEALS = 5;

function isLargeDraft(basis: Basis, text: string): boolean {
  return basis.kind === 'new' ? isLargeText(text) : isLarge(basis.note, basis.doc, text.length);
}

async function draftElsewhere(
  parts: NoteParts,
  { vault, actor }: Writing,
  basis: Basis,
  { mtime }: { readonly mtime: number },
  text: string,
  reason: VersionReason,
): Promise<Prepared> {
  const old = basis.kind === 'new' ? null : basis.note;
  // The sealed content stays here: only its row needs it.
  const posted = basis.kind === 'new' ? basis : { ...basis, note: { ...basis.note, sealedContent: Buffer.alloc(0) } };
  const shared = { now: parts.clock.now(), vault: postVault(vault, SEALS), actor, mtime, reason };
  const bytes = 2 * (text.length + (old?.content.length ?? 0));
  const draft = await offload(parts, vault, 'draftText', { ...shared, basis: posted, text }, bytes);
  return receiveDraft(draft, text, old);
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
  const base = {
    text: sealed.openContent(vault, id, version, row.content),
    snapshot: sealed.openSnapshot(vault, id, version, row.snapshot),
  };
  const snapshot = snapshotOf(doc);
  const merged = mergeText(doc, clientIdOf(vault, note), base, text);
  return merged ? { snapshot, text: textOf(doc) } : null;
}

function currentNote({ db, hooks }: NoteParts, vault: OpenVault, note: OpenedNote): Promise<Note> {
  return db.read(async (handle) => toNote(note, await hooks.linksOf(handle, vault, note.id as NoteId)));
}

function conflictWith(serverNote: Note | null): NotevaultError {
  return new NotevaultError('version_conflict', { server_note: serverNote });
}

function refuseTooLarge(text: string): void {
  if (text.length > NOTE_BYTES_MAX || Buffer.byteLength(text, 'utf8') > NOTE_BYTES_MAX) {
    throw new NotevaultError('note_too_large');
  }
}
