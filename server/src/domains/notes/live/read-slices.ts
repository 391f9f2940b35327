import type { OpenVault } from '../../vaults/vaults.ts';
import type { LiveDeps } from '../notes.deps.ts';
import { offload } from '../writes/offload/offload.ts';
import { areLarge, isLarge, postVault } from '../writes/offload/task-transfer.ts';
import type { NoteSlices } from './note-slices.ts';
import { type NoteState, postState } from './note-state.ts';

/** Whether loading a document would block the event loop, so that it is read in slices. */
export function isLongDocument({ note, doc, updates }: NoteState): boolean {
  return isLarge(note, doc) || areLarge(updates);
}

/** Calls sliceNote on a worker thread. Throws `note_unreadable`, `unavailable`. */
export function readSlices(
  deps: Pick<LiveDeps, 'compute'>,
  vault: OpenVault,
  state: NoteState,
  since: Uint8Array | null,
): Promise<NoteSlices> {
  const input = { vault: postVault(vault, 0), state: postState(state), since };
  return offload(deps, vault, 'sliceNote', input, 2 * state.note.content.length);
}
