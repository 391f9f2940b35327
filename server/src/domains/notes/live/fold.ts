import { deriveNote } from '@notevault/note-text/derive.ts';
import { noteNameKey } from '@notevault/note-text/resolve.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { NoteId } from '@notevault/protocol/ids.ts';
import type { Doc } from 'yjs';
import type { OpenVault } from '../../vaults/vaults.ts';
import type { Basis, KeptNote } from '../basis.ts';
import { headOf, snapshotOf, stateOf, structsOf, takeUpdates, textOf } from '../document.ts';
import { type Actor, sealed } from '../meta.ts';
import { type Clocked, type Prepared, prepared } from '../prepare.ts';
import { documentOf, type WaitingUpdate, type WholeNote } from './whole.ts';

/** Socket edits of one person within this time share one kept version: the one they began from. */
const STRETCH_MS = 5 * 60 * 1000;

/** Who writes is said by the edits. */
export const NOBODY: Actor = { kind: 'none', name: '' };

/** A note's row with its waiting edits folded in. */
export interface FoldedRow {
  readonly next: Prepared;
  /** The document's snapshot with them. */
  readonly snapshot: Uint8Array;
}

/** The note as a write's basis. */
export function basisOf(kind: 'live' | 'tombstone', { note, doc }: WholeNote): Basis & { kind: 'live' | 'tombstone' } {
  const spot = { path: note.meta.path, pathKey: note.path_key, anchor: null, blocked: null };
  return { kind, id: note.id as NoteId, spot, note, doc };
}

/**
 * The row of a live note with its waiting edits in it.
 *
 * @param open the note's document with all of the edits, and the snapshot of it without them; undefined to read it anew.
 */
export function foldUpdates(
  parts: Clocked,
  vault: OpenVault,
  whole: WholeNote,
  open?: { readonly doc: Doc; readonly before: Uint8Array },
): FoldedRow {
  const { note, updates } = whole;
  const { doc, before } = open ?? freshlyFolded(vault, whole);
  const text = textOf(doc);
  const snapshot = snapshotOf(doc);
  const next =
    text === note.content
      ? sameText(parts, vault, note, doc, snapshot)
      : typed(parts, vault, basisOf('live', whole), doc, before, text, lastActor(updates));
  return { next, snapshot };
}

export function freshlyFolded(vault: OpenVault, whole: WholeNote): { doc: Doc; before: Uint8Array } {
  const doc = documentOf(vault, whole);
  const before = snapshotOf(doc);
  const updates = whole.updates.flatMap((row) => row.open().updates);
  // What was acknowledged had everything it depends on; a row of it is gone.
  if (!takeUpdates(doc, updates)) throw new NotevaultError('note_unreadable');
  return { doc, before };
}

/** The next version: what people typed. */
export function typed(
  parts: Clocked,
  vault: OpenVault,
  basis: Basis & { kind: 'live' | 'tombstone' },
  doc: Doc,
  before: Uint8Array,
  text: string,
  actor: Actor,
): Prepared {
  const now = parts.clock.now();
  const { typedSince, actor: last } = basis.note.meta;
  const goesOn =
    typedSince !== undefined && now - typedSince < STRETCH_MS && last.kind === actor.kind && last.name === actor.name;
  const typing = { since: goesOn ? typedSince : now, goesOn };
  return prepared(parts, { vault, actor }, basis, { mtime: now / 1000 }, doc, before, text, 'edit', typing);
}

/** Something was typed and taken back: the document has grown, the version stays. */
function sameText({ clock }: Clocked, vault: OpenVault, note: KeptNote, doc: Doc, snapshot: Uint8Array): Prepared {
  const { id, version } = note;
  const { path, seed: _seed, ...rest } = note.meta;
  const stamp = note.stamp + 1;
  const meta = { ...rest, path, head: headOf(snapshot), pieces: structsOf(doc) };
  return {
    ...{ id: id as NoteId, path, text: note.content, version, stamp, meta, kept: null, now: clock.now() },
    ...{ size: note.size_bytes, mtime: note.mtime, createdAt: note.created_at, content: note.sealedContent },
    nameKey: vault.key.blind('name', noteNameKey(path)),
    derived: deriveNote(path, note.content),
    sealedMeta: sealed.meta(vault, id, stamp, meta),
    doc: sealed.doc(vault, id, version, stateOf(doc)),
  };
}

export function lastActor(updates: readonly WaitingUpdate[]): Actor {
  return updates.at(-1)?.open().actor ?? NOBODY;
}
