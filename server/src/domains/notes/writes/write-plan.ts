import type { OpenedNote } from '../notes.mapper.ts';
import type { NoteRowDraft } from './build-note-row.ts';
import type { WriteTarget } from './write-target.ts';

/** The plan of a note's write: new rows, or none if the text is unchanged. */
export type WritePlan =
  | RowWrite
  | { readonly kind: 'same'; readonly note: OpenedNote; readonly fingerprints?: FingerprintsChange };

/** New rows of a note. */
export interface RowWrite {
  readonly kind: 'write';
  readonly target: WriteTarget;
  readonly next: NoteRowDraft;
  readonly fingerprints?: FingerprintsChange;
}

/** The note's new fingerprints; they replace those that were read. */
export interface FingerprintsChange {
  readonly was: Buffer | null;
  readonly now: Buffer;
}
