import { createHash } from 'node:crypto';
import { type Derived, deriveNote } from '@notevault/note-text/derive.ts';
import { minimalDiff } from '@notevault/note-text/diff.ts';
import { noteNameKey } from '@notevault/note-text/resolve.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { NoteId } from '@notevault/protocol/ids.ts';
import type { Doc } from 'yjs';
import type { Clock } from '../../engines/clock/clock.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import type { Basis, KeptNote } from './basis.ts';
import {
  editDocument,
  headOf,
  loadDocument,
  seedDocument,
  seedSnapshot,
  snapshotOf,
  stateOf,
  structsOf,
  textOf,
} from './document.ts';
import { EVERY_VERSION_MS, GUARDED, type NoteMeta, sealed, type VersionReason } from './meta.ts';
import type { Writing } from './parts.ts';
import type { OpenedNote } from './view.ts';

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

/** A version that was written over, sealed and ready. */
export interface KeptVersion {
  readonly version: number;
  readonly createdAt: number;
  readonly size: number;
  readonly guarded: number;
  readonly dueAt: number;
  readonly meta: Buffer;
  readonly content: Buffer;
  readonly snapshot: Buffer;
}

/** Edits that came over a socket. */
export interface Typing {
  /** When the person began, epoch milliseconds. */
  readonly since: number;
  /** The version written over is of the same stretch of typing: one version of it is kept, the one before it. */
  readonly goesOn: boolean;
}

/** What drafting a row needs of the process it is done in. */
export interface Clocked {
  readonly clock: Pick<Clock, 'now'>;
}

/** The next version of a note: a text given whole, by the smallest edit of the document, or as what it begins with. */
export function draftText(
  parts: Clocked,
  writing: Pick<Writing, 'vault' | 'actor'>,
  basis: Basis,
  input: { readonly mtime: number },
  text: string,
  reason: VersionReason,
): Prepared {
  if (basis.kind === 'new') return prepared(parts, writing, basis, input, null, null, text, reason);
  return prepareNext(parts, writing, basis, input, currentDocument(writing.vault, basis), text, reason);
}

/** The document, which must say what the stored text says. Throws `note_unreadable`. */
export function currentDocument(vault: OpenVault, basis: Exclude<Basis, { kind: 'new' }>): Doc {
  const doc = openDocument(vault, basis.note, basis.doc);
  if (textOf(doc) !== basis.note.content) throw new NotevaultError('note_unreadable');
  return doc;
}

/** The next version of a note: its text becomes `text` by the smallest edit of its document. */
export function prepareNext(
  parts: Clocked,
  writing: Pick<Writing, 'vault' | 'actor'>,
  basis: Basis & { kind: 'live' | 'tombstone' },
  input: { readonly mtime: number },
  doc: Doc,
  text: string,
  reason: VersionReason,
): Prepared {
  const snapshot = snapshotOf(doc);
  editDocument(doc, clientIdOf(writing.vault, basis.note), minimalDiff(textOf(doc), text));
  return prepared(parts, writing, basis, input, doc, snapshot, text, reason);
}

/** @param doc the document with the edit done; null for a first version, whose document follows from its text. */
export function prepared(
  { clock }: Clocked,
  { vault, actor }: Pick<Writing, 'vault' | 'actor'>,
  basis: Basis,
  input: { readonly mtime: number },
  doc: Doc | null,
  before: Uint8Array | null,
  text: string,
  reason: VersionReason,
  typing?: Typing,
): Prepared {
  const old = basis.kind === 'new' ? null : basis.note;
  const { id } = basis;
  const { path } = basis.spot;
  const derived = deriveNote(path, text);
  const utf8 = Buffer.from(text, 'utf8');
  const version = (basis.kind === 'new' ? basis.tombstoneVersion : basis.note.version) + 1;
  const stamp = (old?.stamp ?? 0) + 1;
  const now = clock.now();
  const createdAt = old?.created_at ?? now;
  const clientId = clientIdOf(vault, { id, created_at: createdAt });
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
    ...(doc === null ? { seed: clientId } : { pieces: structsOf(doc) }),
    created: derived.fmCreated,
    timestamp: derived.fmTimestamp,
    status: derived.parseStatus,
    fault: derived.parseReason,
    reason,
    actor,
    made: now,
    ...(typing === undefined ? {} : { typedSince: typing.since }),
  };
  return {
    ...{ id, path, text, version, stamp, now, meta, derived },
    size: utf8.length,
    mtime: input.mtime,
    createdAt,
    nameKey: vault.key.blind('name', noteNameKey(path)),
    sealedMeta: sealed.meta(vault, id, stamp, meta),
    content: sealed.content(vault, id, version, utf8),
    doc: doc === null ? null : sealed.doc(vault, id, version, stateOf(doc)),
    kept: old === null || before === null || typing?.goesOn ? null : keep(vault, old, before, reason),
  };
}

/** The version about to be written over, by a version that `reason` made; its text is the stored bytes as they are. */
function keep(vault: OpenVault, old: KeptNote, snapshot: Uint8Array, reason: VersionReason): KeptVersion {
  const { id, version, meta } = old;
  return {
    version,
    createdAt: meta.made,
    size: old.size_bytes,
    guarded: Number(GUARDED.has(reason)),
    dueAt: meta.made + EVERY_VERSION_MS,
    meta: sealed.version(vault, id, version, { hash: meta.hash, reason: meta.reason, actor: meta.actor }),
    content: old.sealedContent,
    snapshot: sealed.snapshot(vault, id, version, snapshot),
  };
}

/** The note's document. Throws `note_unreadable`. */
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
 * The server's client id in a note's document: stable for the note's incarnation (`created_at`, which a revival keeps) and
 * the feed epoch, not to be guessed from outside. Were a note made anew under an old id, its document would count from 0
 * under another client, so that devices with the old document cannot take one for the other.
 */
export function clientIdOf(vault: OpenVault, { id, created_at }: { id: string; created_at: number }): number {
  return vault.key.blind('crdt client', `${id}:${created_at}:${vault.feedEpoch}`).readUInt32BE(0);
}
