import type { Derived } from '@notevault/note-text/derive.ts';
import type { NoteLink } from '@notevault/protocol/notes.ts';
import type { NoteId } from '@notevault/protocol/values/ids.ts';
import type { ResolvedPath } from '../../entries/entries.ts';
import type { InsertedClocks } from '../merge/fingerprints.ts';
import type { OpenedNote, toNote } from '../notes.mapper.ts';
import type { VersionDraft } from '../notes.store.ts';
import type { NoteMeta } from '../sealed-note.ts';

/** A note with its content, both sealed and unsealed. */
export type StoredNoteContent = OpenedNote & { readonly sealedContent: Buffer };

/** The target of a write: nothing, the live note at the path, or the tombstone that its id names. */
export type WriteTarget =
  | {
      readonly kind: 'new';
      readonly id: NoteId;
      readonly resolved: ResolvedPath;
      /** The highest version of the tombstones at the path, 0 without any: the new note's versions continue from it. */
      readonly tombstoneVersion: number;
    }
  | {
      readonly kind: 'live' | 'tombstone';
      readonly id: NoteId;
      readonly resolved: ResolvedPath;
      readonly note: StoredNoteContent;
      /** The document, still sealed; null when it is still its seed. */
      readonly doc: Buffer | null;
      /** Fingerprints of the writes that named a version; read for upserts only. */
      readonly fingerprints?: Buffer | null;
      /** As for a new note, because another note may have been at the path since the deletion. */
      readonly tombstoneVersion?: number;
    };

/** The row, body and replaced version of a write, sealed. */
export interface NoteRowDraft {
  readonly id: NoteId;
  readonly path: string;
  readonly text: string;
  readonly version: number;
  readonly revision: number;
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
  /** What the server inserted into the document since the version before; null for a new note. */
  readonly inserted: InsertedClocks | null;
  /** The replaced version, to be stored; null for a new note. */
  readonly replaced: VersionDraft | null;
}

/** The plan of a note's write: new rows, or none if the text is unchanged. */
export type WritePlan =
  | RowWrite
  | { readonly kind: 'same'; readonly note: OpenedNote; readonly fingerprints?: FingerprintsChange };

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

/** A note as its transaction leaves it. */
export interface CommittedNote {
  readonly note: Parameters<typeof toNote>[0];
  /** Its edges; null if nothing was written, so that they were not read. */
  readonly links: readonly NoteLink[] | null;
  /** Whether the note was created or revived. */
  readonly fresh: boolean;
}
