import { deriveNote } from '@notevault/note-text/derive.ts';
import { linkMention, type ReadMention } from '@notevault/note-text/link-mention.ts';
import { withToggledTask } from '@notevault/note-text/tasks.ts';
import type { EpochMs } from '@notevault/protocol/values/ids.ts';
import type { SealingKey, SharedKey } from '../../../../../ports/keyring/keyring.ts';
import type { Actor } from '../../../entries/entries.ts';
import type { OpenVault } from '../../../vaults/vaults.ts';
import { foldUpdates } from '../../live/fold.ts';
import { sliceNote } from '../../live/note-slices.ts';
import { receiveState, type TransferredState } from '../../live/note-state.ts';
import { preservedText } from '../../live/preserved-text.ts';
import { textOfUpdate, tryUpdate } from '../../live/updates/trial.ts';
import { type Rewrite, rewriteLinks } from '../../moves/rewrite-links.ts';
import type { VersionReason } from '../../sealed-note.ts';
import { draftMerge, draftText, type MergeInput } from '../build-note-row.ts';
import type { ExistingTarget, WriteTarget } from '../write-target.ts';
import { postDraft, type TransferredVault, withBuffers } from './task-transfer.ts';

/** The input common to all tasks that write a note. */
interface WriteInput {
  readonly now: EpochMs;
  readonly vault: TransferredVault;
  readonly actor: Actor;
}

/** The tasks of this domain on worker threads. @param openKey opens a shared key of their input. */
export function createNoteTasks(openKey: (key: SharedKey) => SealingKey) {
  const opened = ({ key, ...vault }: TransferredVault): OpenVault => ({ ...vault, key: openKey(key) });
  return {
    tryUpdate,
    textOfUpdate,

    draftText(input: WriteInput & { target: WriteTarget; mtime: number; text: string; reason: VersionReason }) {
      const { now, vault, actor, target, mtime, text, reason } = input;
      const writing = { vault: opened(vault), actor };
      return postDraft(draftText(now, writing, withBuffers(target), { mtime }, text, reason), text);
    },

    draftMerge(input: WriteInput & { target: ExistingTarget; mtime: number; merge: MergeInput }) {
      const { now, vault, actor, target, mtime, merge } = input;
      const steps = merge.steps.map(({ base, earlier, ...step }) => ({
        ...step,
        base: withBuffers(base),
        ...(earlier === undefined ? {} : { earlier: withBuffers(earlier) }),
      }));
      const received = { ...merge, steps };
      const draft = draftMerge(now, { vault: opened(vault), actor }, withBuffers(target), { mtime }, received);
      return typeof draft === 'string' ? draft : postDraft(draft, merge.steps.at(-1)?.text ?? null);
    },

    preserveText({ now, vault: posted, state, text, actor }: WriteInput & { state: TransferredState; text: string }) {
      const vault = opened(posted);
      const { version, next } = preservedText(now, vault, receiveState(vault, state), text, actor);
      return { version, next: postDraft(next, state.note.content) };
    },

    deriveText: ({ path, text }: { readonly path: string; readonly text: string }) => ({
      ...deriveNote(path, text),
      headings: [],
    }),

    toggleTask: withToggledTask,

    linkMention: ({ content, mention, link }: { content: string; mention: ReadMention; link: MentionLink }) =>
      linkMention(content, mention, link),

    sliceNote({
      vault: posted,
      state,
      since,
    }: {
      vault: TransferredVault;
      state: TransferredState;
      since: Uint8Array | null;
    }) {
      const vault = opened(posted);
      return sliceNote(vault, receiveState(vault, state), since);
    },

    rewriteLinks({ now, vault, actor, rewrite }: WriteInput & { rewrite: Rewrite }) {
      return postDraft(rewriteLinks(now, { vault: opened(vault), actor }, withBuffers(rewrite)), null);
    },

    foldNote({ now, vault: posted, state }: Omit<WriteInput, 'actor'> & { state: TransferredState }) {
      const vault = opened(posted);
      const { next, snapshot } = foldUpdates(now, vault, receiveState(vault, state));
      return { next: postDraft(next, state.note.content), snapshot };
    },
  };
}

type MentionLink = Parameters<typeof linkMention>[2];

export type NoteTasks = ReturnType<typeof createNoteTasks>;
