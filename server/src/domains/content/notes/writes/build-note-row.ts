import { hash } from 'node:crypto';
import { type DerivedNote, deriveNote } from '@notevault/note-text/derive.ts';
import { minimalDiff } from '@notevault/note-text/diff/diff.ts';
import { noteNameKey } from '@notevault/note-text/links/resolve.ts';
import type { GaveWay } from '@notevault/note-text/merge/merge-note.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import { NOTE_BYTES_MAX } from '@notevault/protocol/notes.ts';
import type { Doc } from 'yjs';
import type { WriteContext } from '../../entries/entries.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import { changesBack, insertedBy, type SnapshotPair } from '../merge/changes-back.ts';
import {
  editDocument,
  headOf,
  loadDocument,
  seedDocument,
  seedSnapshot,
  snapshotClock,
  snapshotOf,
  stateOf,
  stateVectorMap,
  structsOf,
  textOf,
} from '../merge/document.ts';
import { boundariesOf, type InsertedClocks } from '../merge/fingerprints.ts';
import { mergeText, type StepLimits } from '../merge/merge.ts';
import type { OpenedNote } from '../notes.mapper.ts';
import type { VersionDraft } from '../notes.store.ts';
import { KEEP_ALL_MS, type NoteMeta, PINNED_REASONS, sealed, type VersionReason } from '../sealed-note.ts';
import {
  type ExistingTarget,
  lastVersionOf,
  type NoteRowDraft,
  type StoredNoteContent,
  type WriteTarget,
} from './write-target.ts';

/** Edits from a socket. */
export interface TypingSpan {
  /** When the edits began, epoch milliseconds. */
  readonly since: number;
  /** Whether the replaced version is of the same stretch: only the version before a stretch of typing is stored. */
  readonly continues: boolean;
}

/** Builds a note's next version from a whole text, as the smallest edit. Throws `note_unreadable`, TooManySteps. */
export function draftText(
  now: number,
  context: Pick<WriteContext, 'vault' | 'actor'>,
  target: WriteTarget,
  input: { readonly mtime: number },
  text: string,
  reason: VersionReason,
  limits?: StepLimits,
): NoteRowDraft {
  if (target.kind === 'new') return buildNoteRow(now, context, target, input, null, null, text, reason);
  const { note } = target;
  const doc = currentDocument(context.vault, target);
  const before = snapshotOf(doc);
  editDocument(doc, clientIdOf(context.vault, note), minimalDiff(note.content, text, limits));
  return buildNoteRow(now, context, target, input, doc, before, text, reason);
}

/** Returns the document, whose text must equal the stored text. Throws `note_unreadable`. */
export function currentDocument(
  vault: OpenVault,
  { note, doc: sealedDoc }: { readonly note: OpenedNote; readonly doc: Buffer | null },
): Doc {
  const doc = openDocument(vault, note, sealedDoc);
  if (textOf(doc) !== note.content) throw new NotevaultError('note_unreadable');
  return doc;
}

/** @param doc the edited document; null for a first version, whose document follows from its text. */
export function buildNoteRow(
  now: number,
  { vault, actor }: Pick<WriteContext, 'vault' | 'actor'>,
  target: WriteTarget,
  input: { readonly mtime: number },
  doc: Doc | null,
  before: Uint8Array | null,
  text: string,
  reason: VersionReason,
  typing?: TypingSpan,
): NoteRowDraft {
  const previous = target.kind === 'new' ? null : target.note;
  const { id } = target;
  const { path } = target.resolved;
  const derived = deriveNote(path, text);
  const utf8 = Buffer.from(text, 'utf8');
  const version = lastVersionOf(target) + 1;
  const revision = (previous?.revision ?? 0) + 1;
  const createdAt = previous?.created_at ?? now;
  const clientId = clientIdOf(vault, { id, created_at: createdAt });
  const meta: NoteMeta = {
    path,
    ...derivedMeta(derived),
    hash: hash('sha256', utf8, 'hex'),
    ...documentMeta(doc, clientId, text),
    reason,
    actor,
    versionAt: now,
    ...(typing === undefined ? {} : { typingSince: typing.since }),
  };
  return {
    id,
    path,
    text,
    version,
    revision,
    now,
    meta,
    derived,
    size: utf8.length,
    mtime: input.mtime,
    createdAt,
    nameKey: vault.key.blind('name', noteNameKey(path)),
    sealedMeta: sealed.meta(vault, id, revision, meta),
    content: sealed.content(vault, id, version, utf8),
    doc: doc === null ? null : sealed.doc(vault, id, version, stateOf(doc)),
    inserted: doc === null || before === null ? null : insertedSince(doc, before, clientId),
    replaced:
      previous === null || before === null || typing?.continues ? null : versionDraft(vault, previous, before, reason),
  };
}

function insertedSince(doc: Doc, before: Uint8Array, client: number): InsertedClocks {
  return { client, from: snapshotClock(before, client), to: stateVectorMap(doc, client) };
}

/** Returns the fields of a note's meta that follow from its text. */
export function derivedMeta(derived: Omit<DerivedNote, 'headings'>) {
  const { title, tags, aliases, description, resource, type, parseStatus } = derived;
  const { fmCreated: created, fmTimestamp: timestamp, parseReason: parseFault } = derived;
  return { title, tags, aliases, description, resource, type, created, timestamp, parseStatus, parseFault };
}

function documentMeta(doc: Doc | null, clientId: number, text: string) {
  if (doc === null) return { head: headOf(seedSnapshot(clientId, text)), seed: clientId };
  return { head: headOf(snapshotOf(doc)), structs: structsOf(doc) };
}

/** Builds the version that is about to be replaced, by a write for `reason`; its text is copied as stored bytes. */
function versionDraft(
  vault: OpenVault,
  previous: StoredNoteContent,
  snapshot: Uint8Array,
  reason: VersionReason,
): VersionDraft {
  const { id, version, meta } = previous;
  return {
    version,
    created_at: meta.versionAt,
    size_bytes: previous.size_bytes,
    pinned: Number(PINNED_REASONS.has(reason)),
    due_at: meta.versionAt + KEEP_ALL_MS,
    meta: sealed.version(vault, id, version, { hash: meta.hash, reason: meta.reason, actor: meta.actor }),
    content: previous.sealedContent,
    snapshot: sealed.snapshot(vault, id, version, snapshot),
  };
}

/** Throws `note_unreadable`. */
export function openDocument(vault: OpenVault, note: OpenedNote, doc: Buffer | null): Doc {
  try {
    if (doc === null) return seedDocument(seedOf(note), note.content);
    return loadDocument(sealed.openDoc(vault, note.id, note.version, doc));
  } catch (error) {
    throw error instanceof NotevaultError ? error : new NotevaultError('note_unreadable', {}, error);
  }
}

function seedOf(note: OpenedNote): number {
  if (note.meta.seed === undefined) throw new NotevaultError('note_unreadable');
  return note.meta.seed;
}

/**
 * Returns the server's client id in a note's document. It is stable for the note's incarnation (`created_at`, which a
 * revival keeps) and the feed epoch, and cannot be guessed from outside. If a note were recreated under an old id, its
 * document would begin at clock 0 under another client id, so that devices with the old document cannot mistake one for
 * the other.
 */
export function clientIdOf(vault: OpenVault, { id, created_at }: { id: string; created_at: number }): number {
  return vault.key.blind('crdt client', `${id}:${created_at}:${vault.feedEpoch}`).readUInt32BE(0);
}

/** An older version of a note, sealed. */
export interface SealedBase {
  readonly version: number;
  readonly content: Buffer;
  readonly snapshot: Buffer;
}

/** A text written on top of an older version. */
export interface MergeStep {
  /** For the present version without its bytes. */
  readonly base: SealedBase;
  readonly text: string;
  /** Reverts: the version that had the text. Its document tells exactly what changed since. */
  readonly earlier?: Pick<SealedBase, 'version' | 'snapshot'>;
}

/** Texts that are merged one after the other, as one version. */
export interface MergeInput {
  readonly steps: readonly MergeStep[];
  readonly reason: VersionReason;
  /** Whether the stored targets of links stand, because the server has rewritten links since. */
  readonly keepsTargets?: boolean;
}

/** The next version; `same` when the text is unchanged, `unknown` when the document cannot locate the older text. */
export type MergeDraft = NoteRowDraft | 'unchanged' | 'unknown' | 'too_large';

/** Builds the next version of a note from a text that edits an older version. Throws `note_unreadable`, TooManySteps. */
export function draftMerge(
  now: number,
  context: Pick<WriteContext, 'vault' | 'actor'>,
  target: ExistingTarget,
  input: { readonly mtime: number },
  { steps, reason, keepsTargets = false }: MergeInput,
  limits?: StepLimits,
): MergeDraft {
  const { vault } = context;
  const { note } = target;
  const doc = currentDocument(vault, target);
  const snapshot = snapshotOf(doc);
  const client = clientIdOf(vault, note);
  const boundaries = boundariesOf(target.fingerprints ?? null, client);
  const gaveWay: GaveWay[] = [];
  const opened = steps.map(({ base, text, earlier }) => ({
    base: base.version === note.version ? { text: note.content, snapshot } : openBase(vault, note.id, base),
    text,
    earlier: earlier && { text, snapshot: sealed.openSnapshot(vault, note.id, earlier.version, earlier.snapshot) },
  }));
  const own = insertedBy(
    opened.flatMap(({ base, earlier }): SnapshotPair[] =>
      earlier === undefined ? [] : [[earlier.snapshot, base.snapshot]],
    ),
  );
  for (const { base, text, earlier } of opened) {
    const back = earlier === undefined ? null : changesBack(doc, base, earlier, own);
    const options = { ...limits, keepsTargets, changes: back?.edits };
    const replaced = mergeText(doc, client, base, back?.text ?? text, boundaries, options);
    if (replaced === null) return 'unknown';
    gaveWay.push(...replaced);
    boundaries.push(stateVectorMap(doc, client));
  }
  const merged = textOf(doc);
  if (merged.length > NOTE_BYTES_MAX || Buffer.byteLength(merged, 'utf8') > NOTE_BYTES_MAX) return 'too_large';
  if (merged === note.content) return 'unchanged';
  return { ...buildNoteRow(now, context, target, input, doc, snapshot, merged, reason), gaveWay };
}

function openBase(vault: OpenVault, id: string, { version, content, snapshot }: SealedBase) {
  return {
    text: sealed.openContent(vault, id, version, content),
    snapshot: sealed.openSnapshot(vault, id, version, snapshot),
  };
}
