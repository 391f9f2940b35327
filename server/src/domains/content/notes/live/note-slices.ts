import { NotevaultError } from '@notevault/protocol/errors.ts';
import * as Y from 'yjs';
import type { OpenVault } from '../../vaults/vaults.ts';
import type { NoteDeps } from '../notes.deps.ts';
import { sealed } from '../sealed-note.ts';
import { offload } from '../writes/offload/offload.ts';
import { areLarge, isLarge, postVault } from '../writes/offload/task-transfer.ts';
import { foldWaiting, openUpdates } from './fold.ts';
import { type NoteState, postState } from './note-state.ts';
import { type DocumentSize, sizeOf } from './updates/admission.ts';
import { sliceUpdate } from './updates/slices.ts';

/** A document in slices (Yjs updates, v1) to be applied in their order, in a few milliseconds each. */
export interface NoteSlices {
  readonly slices: readonly Uint8Array[];
  /** The snapshot of the stored document, without the edits in the log. */
  readonly snapshot: Uint8Array;
  /** The size of the document with them. */
  readonly size: DocumentSize;
}

/** Loading a document splits no structs, so a slice may contain more than a slice of an edit. */
const LIMITS = { structs: 4_000, deletions: 4_000, deletedLength: 100_000 };

/** Returns what a document (null: empty) lacks of a note and its logged edits. Throws `note_unreadable`. */
export function sliceNote(vault: OpenVault, state: NoteState, since: Uint8Array | null): NoteSlices {
  if (since === null && state.doc !== null && state.updates.length === 0)
    return sliceStored(vault, state.note, state.doc);
  const { doc, before } = foldWaiting(vault, state, openUpdates(state));
  const known = since === null ? new Map<number, number>() : Y.decodeStateVector(since);
  const missing = Y.decodeUpdateV2(Y.encodeStateAsUpdateV2(doc, since ?? undefined));
  const slices = sliceUpdate(missing, (client) => known.get(client) ?? 0, LIMITS);
  if (slices === null) throw new NotevaultError('note_unreadable');
  return { slices, snapshot: before, size: sizeOf(doc) };
}

/** Cuts a stored document into slices without building it; the caller compares its text with the note's. */
function sliceStored(vault: OpenVault, { id, version, size_bytes }: NoteState['note'], doc: Buffer): NoteSlices {
  const { structs, ds } = Y.decodeUpdateV2(sealed.openDoc(vault, id, version, doc));
  const slices = sliceUpdate({ structs, ds }, () => 0, LIMITS);
  if (slices === null) throw new NotevaultError('note_unreadable');
  // A client's structs are in the order of their clocks.
  const clocks = new Map(structs.map((struct) => [struct.id.client, struct.id.clock + struct.length]));
  const snapshot = Y.encodeSnapshot(Y.createSnapshot(ds, clocks));
  return { slices, snapshot, size: { textBytes: size_bytes, structs: structs.length } };
}

/** Whether loading a document would block the event loop, so that it is read in slices. */
export function isLongDocument({ note, doc, updates }: NoteState): boolean {
  return isLarge(note, doc) || areLarge(updates);
}

/** Calls sliceNote on a worker thread. Throws `note_unreadable`, `unavailable`. */
export function readSlices(
  deps: Pick<NoteDeps, 'compute'>,
  vault: OpenVault,
  state: NoteState,
  since: Uint8Array | null,
): Promise<NoteSlices> {
  const input = { vault: postVault(vault, 0), state: postState(state), since };
  return offload(deps, vault, 'sliceNote', input, 2 * state.note.content.length);
}
