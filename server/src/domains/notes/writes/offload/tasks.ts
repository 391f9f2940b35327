import { deriveNote } from '@notevault/note-text/derive.ts';
import { linkMention, type ReadMention } from '@notevault/note-text/link-mention.ts';
import { withToggledTask } from '@notevault/note-text/tasks.ts';
import type { EpochMs } from '@notevault/protocol/values/ids.ts';
import type { Actor } from '../../../entries/entries.ts';
import { foldUpdates } from '../../live/fold.ts';
import { sliceNote } from '../../live/note-slices.ts';
import { type PostedState, receiveState } from '../../live/note-state.ts';
import { preservedText } from '../../live/preserved-text.ts';
import { textOfUpdate, tryUpdate } from '../../live/updates/trial.ts';
import { type Rewrite, rewriteLinks } from '../../moves/rewrite-links.ts';
import type { VersionReason } from '../../sealed-note.ts';
import { draftText } from '../build-note-row.ts';
import { draftMerge, type MergeInput } from '../draft.ts';
import type { WriteTarget } from '../write-plan.ts';
import { bytesOf, type OpenKey, openPosted, type PostedVault, postDraft } from './task-transfer.ts';

interface WriteInput {
  readonly now: EpochMs;
  readonly vault: PostedVault;
  readonly actor: Actor;
  readonly mtime: number;
}

/** A text to write, in the form sent to another thread. */
export interface DraftInput extends WriteInput {
  readonly target: WriteTarget;
  readonly text: string;
  readonly reason: VersionReason;
}

export interface DraftMergeInput extends WriteInput {
  readonly target: Exclude<WriteTarget, { kind: 'new' }>;
  readonly merge: MergeInput;
}

/** A text to store as a version. */
export interface PreserveInput {
  readonly now: EpochMs;
  readonly vault: PostedVault;
  readonly state: PostedState;
  readonly text: string;
  readonly actor: Actor;
}

/** Links whose targets change. */
export interface RewriteInput {
  readonly now: EpochMs;
  readonly vault: PostedVault;
  readonly actor: Actor;
  readonly rewrite: Rewrite;
}

export interface FoldInput {
  readonly now: EpochMs;
  readonly vault: PostedVault;
  readonly state: PostedState;
}

export interface LinkMentionInput {
  readonly content: string;
  readonly mention: ReadMention;
  readonly link: Parameters<typeof linkMention>[2];
}

export interface SliceInput {
  readonly vault: PostedVault;
  readonly state: PostedState;
  /** State vector; null for a document with nothing. */
  readonly since: Uint8Array | null;
}

/**
 * The tasks of this domain on the worker threads of the pool. Keys are lent with the input.
 *
 * @param openKey opens a lent key.
 */
export function createNoteTasks(openKey: OpenKey) {
  return {
    tryUpdate,
    textOfUpdate,

    /** Builds the next version of a note from a whole text. */
    draftText({ now, vault: posted, actor, target, mtime, text, reason }: DraftInput) {
      const vault = openPosted(posted, openKey);
      const from = target.kind === 'new' || target.doc === null ? target : { ...target, doc: bytesOf(target.doc) };
      const next = draftText({ clock: { now: () => now } }, { vault, actor }, from, { mtime }, text, reason);
      return postDraft(next, text);
    },

    /** Builds the next version of a note from a text written on top of an older version. */
    draftMerge({ now, vault: posted, actor, target, mtime, merge }: DraftMergeInput) {
      const vault = openPosted(posted, openKey);
      const { version, content, snapshot } = merge.base;
      const base = { version, content: bytesOf(content), snapshot: bytesOf(snapshot) };
      const { doc, fingerprints = null } = target;
      const bytes = { doc: doc && bytesOf(doc), fingerprints: fingerprints && bytesOf(fingerprints) };
      const from = { ...target, ...bytes };
      const input = { ...merge, base };
      const draft = draftMerge({ clock: { now: () => now } }, { vault, actor }, from, { mtime }, input);
      return typeof draft === 'string' ? draft : postDraft(draft, merge.text);
    },

    /** Builds a version of a note from a text, and the version after it from the note's present text. */
    preserveText({ now, vault: posted, state: postedWhole, text, actor }: PreserveInput) {
      const vault = openPosted(posted, openKey);
      const state = receiveState(vault, postedWhole);
      const { version, next } = preservedText({ clock: { now: () => now } }, vault, state, text, actor);
      return { version, next: postDraft(next, state.note.content) };
    },

    deriveText: ({ path, text }: { readonly path: string; readonly text: string }) => ({
      ...deriveNote(path, text),
      headings: [],
    }),

    toggleTask: withToggledTask,

    /** Makes a link of a mention; null when it is none any more. */
    linkMention: ({ content, mention, link }: LinkMentionInput) => linkMention(content, mention, link),

    /** Returns what a document in memory lacks of a note. */
    sliceNote({ vault: posted, state, since }: SliceInput) {
      const vault = openPosted(posted, openKey);
      return sliceNote(vault, receiveState(vault, state), since);
    },

    /** Builds the next version of a note with new link targets. */
    rewriteLinks({ now, vault: posted, actor, rewrite: sent }: RewriteInput) {
      const vault = openPosted(posted, openKey);
      const rewrite = { ...sent, doc: sent.doc === null ? null : bytesOf(sent.doc), pathKey: bytesOf(sent.pathKey) };
      return postDraft(rewriteLinks({ clock: { now: () => now } }, { vault, actor }, rewrite), null);
    },

    /** Builds a note's row with its waiting edits. */
    foldNote({ now, vault: posted, state: postedWhole }: FoldInput) {
      const vault = openPosted(posted, openKey);
      const state = receiveState(vault, postedWhole);
      const { next, snapshot } = foldUpdates({ clock: { now: () => now } }, vault, state);
      return { next: postDraft(next, state.note.content), snapshot };
    },
  };
}

export type NoteTasks = ReturnType<typeof createNoteTasks>;
