import type { EpochMs } from '@notevault/protocol/ids.ts';
import type { Basis } from './basis.ts';
import { foldUpdates } from './live/fold.ts';
import { sliceNote } from './live/note-slices.ts';
import { textOfUpdate, tryUpdate } from './live/trial.ts';
import { type PostedWhole, receiveWhole } from './live/whole.ts';
import type { Actor, VersionReason } from './meta.ts';
import { bytesOf, type OpenKey, openPosted, type PostedVault, postDraft } from './posted.ts';
import { draftText } from './prepare.ts';

/** A text to write, as it goes to another thread. */
export interface DraftInput {
  readonly now: EpochMs;
  readonly vault: PostedVault;
  readonly actor: Actor;
  readonly basis: Basis;
  readonly mtime: number;
  readonly text: string;
  readonly reason: VersionReason;
}

export interface FoldInput {
  readonly now: EpochMs;
  readonly vault: PostedVault;
  readonly whole: PostedWhole;
}

export interface SliceInput {
  readonly vault: PostedVault;
  readonly whole: PostedWhole;
  /** State vector; null for a document with nothing. */
  readonly since: Uint8Array | null;
}

/**
 * What this domain runs on the worker threads of the pool. Keys are lent with the input.
 *
 * @param openKey opens such a key.
 */
export function createNoteTasks(openKey: OpenKey) {
  return {
    tryUpdate,
    textOfUpdate,

    /** The next version of a note, with a text given whole. */
    draftText({ now, vault: posted, actor, basis, mtime, text, reason }: DraftInput) {
      const vault = openPosted(posted, openKey);
      const from = basis.kind === 'new' || basis.doc === null ? basis : { ...basis, doc: bytesOf(basis.doc) };
      const next = draftText({ clock: { now: () => now } }, { vault, actor }, from, { mtime }, text, reason);
      return postDraft(next, text);
    },

    /** What a document in memory lacks of a note. */
    sliceNote({ vault: posted, whole, since }: SliceInput) {
      const vault = openPosted(posted, openKey);
      return sliceNote(vault, receiveWhole(vault, whole), since);
    },

    /** A note's row with the edits that wait for it. */
    foldNote({ now, vault: posted, whole: postedWhole }: FoldInput) {
      const vault = openPosted(posted, openKey);
      const whole = receiveWhole(vault, postedWhole);
      const { next, snapshot } = foldUpdates({ clock: { now: () => now } }, vault, whole);
      return { next: postDraft(next, whole.note.content), snapshot };
    },
  };
}

export type NoteTasks = ReturnType<typeof createNoteTasks>;
