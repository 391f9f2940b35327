import { deriveNote } from '@notevault/note-text/derive.ts';
import { noteNameKey } from '@notevault/note-text/links/resolve.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { NoteId } from '@notevault/protocol/ids.ts';
import type { Doc } from 'yjs';
import type { Actor } from '../../entries/entries.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import { applyUpdates, headOf, snapshotOf, stateOf, structsOf, textOf } from '../merge/document.ts';
import { sealed } from '../sealed-note.ts';
import { buildNoteRow, type Clocked, type NoteRowDraft } from '../writes/build-note-row.ts';
import type { StoredNoteContent, WriteTarget } from '../writes/write-target.ts';
import { documentOf, type NoteState, type WaitingUpdate } from './note-state.ts';

/** Socket edits of one person within this time share one kept version: the one they began from. */
const TYPING_SPAN_MS = 5 * 60 * 1000;

/** Who writes is said by the edits. */
export const NOBODY: Actor = { kind: 'none', name: '' };

/** A note's row with its waiting edits folded in. */
export interface FoldedRow {
  readonly next: NoteRowDraft;
  /** The document's snapshot with them. */
  readonly snapshot: Uint8Array;
}

/** The note as a write's basis. */
export function targetOf(
  kind: 'live' | 'tombstone',
  { note, doc }: NoteState,
): WriteTarget & { kind: 'live' | 'tombstone' } {
  const resolved = { path: note.meta.path, pathKey: note.path_key, nearest: null, blocked: null };
  return { kind, id: note.id as NoteId, resolved, note, doc };
}

/**
 * The row of a live note with its waiting edits in it.
 *
 * @param open the note's document with all of the edits, and the snapshot of it without them; undefined to read it anew.
 */
export function foldUpdates(
  parts: Clocked,
  vault: OpenVault,
  state: NoteState,
  open?: { readonly doc: Doc; readonly before: Uint8Array },
): FoldedRow {
  const { note, updates } = state;
  const { doc, before } = open ?? foldWaiting(vault, state);
  const text = textOf(doc);
  const snapshot = snapshotOf(doc);
  const next =
    text === note.content
      ? sameText(parts, vault, note, doc, snapshot)
      : typedDraft(parts, vault, targetOf('live', state), doc, before, text, lastActor(updates));
  return { next, snapshot };
}

export function foldWaiting(vault: OpenVault, state: NoteState): { doc: Doc; before: Uint8Array } {
  const doc = documentOf(vault, state);
  const before = snapshotOf(doc);
  const updates = state.updates.flatMap((row) => row.open().updates);
  // What was acknowledged had everything it depends on; a row of it is gone.
  if (!applyUpdates(doc, updates)) throw new NotevaultError('note_unreadable');
  return { doc, before };
}

/** The next version: what people typed. */
export function typedDraft(
  parts: Clocked,
  vault: OpenVault,
  target: WriteTarget & { kind: 'live' | 'tombstone' },
  doc: Doc,
  before: Uint8Array,
  text: string,
  actor: Actor,
): NoteRowDraft {
  const now = parts.clock.now();
  const { typingSince, actor: last } = target.note.meta;
  const continues =
    typingSince !== undefined &&
    now - typingSince < TYPING_SPAN_MS &&
    last.kind === actor.kind &&
    last.name === actor.name;
  const typing = { since: continues ? typingSince : now, continues };
  return buildNoteRow(parts, { vault, actor }, target, { mtime: now / 1000 }, doc, before, text, 'edit', typing);
}

/** Something was typed and taken back: the document has grown, the version stays. */
function sameText(
  { clock }: Clocked,
  vault: OpenVault,
  note: StoredNoteContent,
  doc: Doc,
  snapshot: Uint8Array,
): NoteRowDraft {
  const { id, version } = note;
  const { path, seed: _seed, ...rest } = note.meta;
  const revision = note.revision + 1;
  const meta = { ...rest, path, head: headOf(snapshot), structs: structsOf(doc) };
  return {
    ...{ id: id as NoteId, path, text: note.content, version, revision, meta, replaced: null, now: clock.now() },
    ...{ size: note.size_bytes, mtime: note.mtime, createdAt: note.created_at, content: note.sealedContent },
    nameKey: vault.key.blind('name', noteNameKey(path)),
    derived: deriveNote(path, note.content),
    sealedMeta: sealed.meta(vault, id, revision, meta),
    doc: sealed.doc(vault, id, version, stateOf(doc)),
  };
}

export function lastActor(updates: readonly WaitingUpdate[]): Actor {
  return updates.at(-1)?.open().actor ?? NOBODY;
}
