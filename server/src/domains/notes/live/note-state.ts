import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { NoteId } from '@notevault/protocol/ids.ts';
import type { Doc } from 'yjs';
import type { Actor } from '../../entries/entries.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import { textOf } from '../merge/document.ts';
import type { NoteDeps } from '../notes.deps.ts';
import { openNote } from '../notes.mapper.ts';
import { findNoteState } from '../notes.store.ts';
import { sealed } from '../sealed-note.ts';
import { openDocument } from '../writes/build-note-row.ts';
import { bytesOf } from '../writes/task-transfer.ts';
import type { StoredNoteContent } from '../writes/write-target.ts';
import * as store from './live.store.ts';

/** A note as stored, with the edits that wait to be folded into it. */
export interface NoteState {
  readonly note: StoredNoteContent;
  /** The document, sealed; null while it is its seed. */
  readonly doc: Buffer | null;
  readonly updates: readonly WaitingUpdate[];
}

/** A row of the log: what one person typed in a moment. */
export interface WaitingUpdate {
  readonly id: string;
  /** Sealed. */
  readonly payload: Uint8Array;
  /** Opened when it is asked for: whoever has the document in memory has most of them already. Throws `note_unreadable`. */
  open(): { readonly actor: Actor; readonly updates: readonly Uint8Array[] };
}

/** A note's row, document and waiting edits as of one moment; null when there is no such note. Throws `note_unreadable`. */
export async function readNoteState(
  { db }: Pick<NoteDeps, 'db'>,
  vault: OpenVault,
  id: NoteId,
): Promise<NoteState | null> {
  const { row, updates } = await db.read(async (handle) => {
    const [row, updates] = [
      await handle.get(findNoteState, { vault: vault.id, id }),
      await handle.all(store.findUpdates, { vault: vault.id, id }),
    ];
    return { row, updates };
  });
  if (row === undefined) return null;
  return {
    note: { ...openNote(vault, row), sealedContent: row.content },
    doc: row.doc,
    updates: updates.map((update) => waitingUpdate(vault, id, update)),
  };
}

function waitingUpdate(
  vault: OpenVault,
  note: string,
  { id, payload }: { id: string; payload: Buffer },
): WaitingUpdate {
  return { id, payload, open: () => sealed.openEdits(vault, note, id, payload) };
}

/** A whole note as it goes to another thread. */
export interface PostedState {
  readonly note: Omit<StoredNoteContent, 'sealedContent'>;
  readonly doc: Uint8Array | null;
  readonly updates: readonly Pick<WaitingUpdate, 'id' | 'payload'>[];
}

export function postState({ note, doc, updates }: NoteState): PostedState {
  const { sealedContent: _sealed, ...rest } = note;
  return { note: rest, doc, updates: updates.map(({ id, payload }) => ({ id, payload })) };
}

/** A whole note on the other thread: all but its sealed content, which nothing there looks at. */
export function receiveState(vault: OpenVault, { note, doc, updates }: PostedState): NoteState {
  return {
    note: { ...note, sealedContent: Buffer.alloc(0) },
    doc: doc === null ? null : bytesOf(doc),
    updates: updates.map(({ id, payload }) => waitingUpdate(vault, note.id, { id, payload: bytesOf(payload) })),
  };
}

/** The stored document without what waits. Throws `note_unreadable` when it does not say what the row's text says. */
export function documentOf(vault: OpenVault, { note, doc }: Pick<NoteState, 'note' | 'doc'>): Doc {
  const opened = openDocument(vault, note, doc);
  if (textOf(opened) !== note.content) throw new NotevaultError('note_unreadable');
  return opened;
}
