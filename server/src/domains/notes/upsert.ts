import { NotevaultError } from '@notevault/protocol/errors.ts';
import { type NoteId, parseUuid } from '@notevault/protocol/ids.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import { type Basis, findBasis, type PlacedNote } from './basis.ts';
import { type Committed, type Plan, writeNotes } from './commit.ts';
import { draftMergeAnywhere, draftTextAnywhere } from './draft-anywhere.ts';
import { addFingerprint, fingerprintOf, hasFingerprint } from './fingerprints.ts';
import type { VersionReason } from './meta.ts';
import type { Note } from './notes.schema.ts';
import * as store from './notes.store.ts';
import type { NoteParts, Writing } from './parts.ts';
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
  const fingerprint = fingerprintFor(writing.vault, basis, input.version, text ?? '');
  if (basis.kind !== 'live') {
    // A version says nothing here: what the client edited was deleted elsewhere, and its edit must still arrive.
    if (input.base_hash != null) throw conflictWith(null);
    const plan = await planText(parts, writing, basis, input, text ?? '', made ?? 'create');
    return withFingerprint(plan, basis.kind === 'new' ? null : (basis.fingerprints ?? null), fingerprint);
  }
  const known = basis.fingerprints ?? null;
  const isKnown = fingerprint !== null && hasFingerprint(known, fingerprint);
  const plan = await planEdit(parts, writing, basis, input, text, made, isKnown);
  // What equals the current version brings nothing, now or ever.
  const bringsNothing = plan.kind === 'same' && input.version === basis.note.version;
  return isKnown || bringsNothing ? plan : withFingerprint(plan, known, fingerprint);
}

/**
 * As planUpsert, over the live note at the path.
 *
 * @param isKnown whether the note took this very write before.
 */
async function planEdit(
  parts: NoteParts,
  writing: Writing,
  basis: Existing,
  input: PlacedNote,
  text: string | undefined,
  made: VersionReason | undefined,
  isKnown: boolean,
): Promise<Plan> {
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
  if (isKnown) return { kind: 'same', note };
  const base = await findBase(parts, writing.vault, note, input.version);
  const reason = made ?? 'merge';
  const draft =
    base === undefined ? 'unknown' : await draftMergeAnywhere(parts, writing, basis, input, { base, text, reason });
  if (draft === 'unknown') throw await refuse();
  if (draft === 'too_large') throw new NotevaultError('note_too_large');
  return draft === 'same' ? { kind: 'same', note } : { kind: 'write', basis, next: draft };
}

type Existing = Extract<Basis, { kind: 'live' | 'tombstone' }>;

/** The fingerprint of a write that names a version; null for one that names none. */
function fingerprintFor(vault: OpenVault, basis: Basis, base: number | null | undefined, text: string): Buffer | null {
  if (base == null) return null;
  const last = basis.kind === 'new' ? basis.tombstoneVersion : basis.note.version;
  return fingerprintOf(vault, basis.id, { base, text }, last + 1);
}

/** The plan, which leaves the write's fingerprint with the note. */
function withFingerprint(plan: Plan, was: Buffer | null, fingerprint: Buffer | null): Plan {
  if (fingerprint === null || (was !== null && hasFingerprint(was, fingerprint))) return plan;
  return { ...plan, fingerprints: { was, now: addFingerprint(was, fingerprint) } };
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
  return { kind: 'write', basis, next: await draftTextAnywhere(parts, writing, basis, input, text, reason) };
}

/** An older version of the note, sealed; undefined when it is not kept any more, or never was. */
async function findBase({ db }: NoteParts, vault: OpenVault, { id, version: last }: OpenedNote, version: number) {
  if (version <= 0 || version >= last) return undefined;
  const row = await db.get(store.findVersion, { vault: vault.id, id: id as NoteId, version });
  return row === undefined ? undefined : { version, content: row.content, snapshot: row.snapshot };
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
