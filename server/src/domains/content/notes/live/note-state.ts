import type { NoteId } from '@notevault/protocol/values/ids.ts';
import type { Actor } from '../../entries/entries.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import type { NoteDeps } from '../notes.deps.ts';
import { findNoteState } from '../notes.store.ts';
import { sealed } from '../sealed-note.ts';
import { bytesOf } from '../writes/offload/task-transfer.ts';
import { type StoredNoteContent, storedNote } from '../writes/write-target.ts';
import * as store from './live.store.ts';

/** A note as stored, with its edits in the log. */
export interface NoteState {
  readonly note: StoredNoteContent;
  /** The document, sealed; null while it is its seed. */
  readonly doc: Buffer | null;
  readonly updates: readonly WaitingUpdate[];
}

/** A row of the log: edits of one person. */
export interface WaitingUpdate {
  readonly id: string;
  /** Sealed. */
  readonly payload: Uint8Array;
  /** Unseals the row; needed only for new rows. Throws `note_unreadable`. */
  open(): { readonly actor: Actor; readonly updates: readonly Uint8Array[] };
}

/** Reads a note's row, document and log in one snapshot; null when there is no such note. Throws `note_unreadable`. */
export async function readNoteState(
  { db }: Pick<NoteDeps, 'db'>,
  vault: OpenVault,
  id: NoteId,
): Promise<NoteState | null> {
  const { row, updates } = await db.read(async (handle) => ({
    row: await handle.get(findNoteState, { vault: vault.id, id }),
    updates: await handle.all(store.findUpdates, { vault: vault.id, id }),
  }));
  if (row === undefined) return null;
  return {
    note: storedNote(vault, row),
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

/** A NoteState in the form sent to another thread. */
export interface TransferredState {
  readonly note: Omit<StoredNoteContent, 'sealedContent'>;
  readonly doc: Uint8Array | null;
  readonly updates: readonly Pick<WaitingUpdate, 'id' | 'payload'>[];
}

export function postState({ note, doc, updates }: NoteState): TransferredState {
  const { sealedContent: _sealed, ...rest } = note;
  return { note: rest, doc, updates: updates.map(({ id, payload }) => ({ id, payload })) };
}

/** Opens a PostedState, on the other thread. Its sealed content is empty, because no task reads it. */
export function receiveState(vault: OpenVault, { note, doc, updates }: TransferredState): NoteState {
  return {
    note: { ...note, sealedContent: Buffer.alloc(0) },
    doc: doc && bytesOf(doc),
    updates: updates.map(({ id, payload }) => waitingUpdate(vault, note.id, { id, payload: bytesOf(payload) })),
  };
}
