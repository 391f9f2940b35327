import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import { clocksOf, missingStateFor } from '../merge/document.ts';
import { type DocumentSize, sizeOf } from './admission.ts';
import { foldWaiting } from './fold.ts';
import type { NoteState } from './note-state.ts';
import { sliceUpdate } from './slices.ts';

/** A document in slices (Yjs updates, v1), each a few milliseconds of work, to be taken in their order. */
export interface NoteSlices {
  readonly slices: readonly Uint8Array[];
  /** The snapshot of the stored document, without the edits that wait. */
  readonly snapshot: Uint8Array;
  /** With them. */
  readonly size: DocumentSize;
}

/** Reading a document splits no pieces: a slice may hold more than one of somebody's edits. */
const LIMITS = { structs: 4_000, deletions: 4_000, deletedLength: 100_000 };

/**
 * What a document with a state vector lacks of a note and the edits that wait for it. Throws `note_unreadable`.
 *
 * @param since null for a document with nothing.
 */
export function sliceNote(vault: OpenVault, state: NoteState, since: Uint8Array | null): NoteSlices {
  const { doc, before } = foldWaiting(vault, state);
  const known = since === null ? new Map<number, number>() : clocksOf(since);
  const slices = sliceUpdate(missingStateFor(doc, since), 'v2', (client) => known.get(client) ?? 0, LIMITS);
  if (slices === null) throw new NotevaultError('note_unreadable');
  return { slices, snapshot: before, size: sizeOf(doc) };
}
