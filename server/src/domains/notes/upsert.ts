import { createHash } from 'node:crypto';
import { type Derived, deriveNote } from '@notevault/note-text/derive.ts';
import { minimalDiff } from '@notevault/note-text/diff.ts';
import { noteNameKey } from '@notevault/note-text/resolve.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { NoteId } from '@notevault/protocol/ids.ts';
import type { Doc } from 'yjs';
import type { OpenVault } from '../vaults/vaults.ts';
import { type Basis, findBasis, type PlacedNote } from './basis.ts';
import { commitNote, Stale } from './commit.ts';
import {
  editDocument,
  headOf,
  loadDocument,
  mergeEdits,
  seedDocument,
  seedSnapshot,
  snapshotOf,
  stateOf,
  textOf,
} from './document.ts';
import { type NoteMeta, sealed, type VersionReason } from './meta.ts';
import type { Note } from './notes.schema.ts';
import * as store from './notes.store.ts';
import type { NoteParts, Writing } from './notes.ts';
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

/** Everything a commit writes, sealed and ready. */
export interface Prepared {
  readonly id: NoteId;
  readonly path: string;
  readonly text: string;
  readonly version: number;
  readonly stamp: number;
  readonly size: number;
  readonly mtime: number;
  readonly now: number;
  readonly createdAt: number;
  readonly nameKey: Buffer;
  readonly meta: NoteMeta;
  readonly sealedMeta: Buffer;
  readonly content: Buffer;
  readonly doc: Buffer | null;
  readonly derived: Derived;
  /** The version written over, to be kept; null for a new note. */
  readonly kept: KeptVersion | null;
}

interface KeptVersion {
  readonly version: number;
  readonly createdAt: number;
  readonly size: number;
  readonly meta: Buffer;
  readonly content: Buffer;
  readonly snapshot: Buffer;
}

function prepareNext(
  parts: NoteParts,
  writing: Writing,
  basis: Basis & { kind: 'live' | 'tombstone' },
  input: PlacedNote,
  doc: Doc,
  text: string,
  reason: VersionReason,
): Prepared {
  const snapshot = snapshotOf(doc);
  editDocument(doc, clientIdOf(writing.vault, basis.id), minimalDiff(textOf(doc), text));
  return prepared(parts, writing, basis, input, doc, snapshot, text, reason);
}

/** @param doc the document with the edit done; null for a first version, whose document follows from its text. */
function prepared(
  { clock }: NoteParts,
  { vault, actor }: Writing,
  basis: Basis,
  input: PlacedNote,
  doc: Doc | null,
  before: Uint8Array | null,
  text: string,
  reason: VersionReason,
): Prepared {
  const old = basis.kind === 'new' ? null : basis.note;
  const { id } = basis;
  const { path } = basis.spot;
  const clientId = clientIdOf(vault, id);
  const derived = deriveNote(path, text);
  const utf8 = Buffer.from(text, 'utf8');
  const version = (old?.version ?? 0) + 1;
  const stamp = (old?.stamp ?? 0) + 1;
  const now = clock.now();
  const meta: NoteMeta = {
    path,
    title: derived.title,
    tags: derived.tags,
    aliases: derived.aliases,
    description: derived.description,
    resource: derived.resource,
    type: derived.type,
    hash: createHash('sha256').update(utf8).digest('hex'),
    head: headOf(doc === null ? seedSnapshot(clientId, text) : snapshotOf(doc)),
    ...(doc === null ? { seed: clientId } : {}),
    created: derived.fmCreated,
    timestamp: derived.fmTimestamp,
    status: derived.parseStatus,
    fault: derived.parseReason,
    reason,
    actor,
  };
  return {
    ...{ id, path, text, version, stamp, now, meta, derived },
    size: utf8.length,
    mtime: input.mtime,
    createdAt: old?.created_at ?? now,
    nameKey: vault.key.blind('name', noteNameKey(path)),
    sealedMeta: sealed.meta(vault, id, stamp, meta),
    content: sealed.content(vault, id, version, utf8),
    doc: doc === null ? null : sealed.doc(vault, id, version, stateOf(doc)),
    kept: old === null || before === null ? null : keep(vault, old, before),
  };
}

/** The version about to be written over; its text is the stored bytes as they are. */
function keep(
  vault: OpenVault,
  old: OpenedNote & { readonly sealedContent: Buffer },
  snapshot: Uint8Array,
): KeptVersion {
  const { id, version, meta } = old;
  return {
    version,
    createdAt: old.updated_at,
    size: old.size_bytes,
    meta: sealed.version(vault, id, version, { hash: meta.hash, reason: meta.reason, actor: meta.actor }),
    content: old.sealedContent,
    snapshot: sealed.snapshot(vault, id, version, snapshot),
  };
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

function openDocument(vault: OpenVault, note: OpenedNote, doc: Buffer | null): Doc {
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

/** The server's client id in a note's document: stable for the note and the feed epoch, not to be guessed from outside. */
function clientIdOf(vault: OpenVault, id: string): number {
  return vault.key.blind('crdt client', `${id}:${vault.feedEpoch}`).readUInt32BE(0);
}
