import { TooManySteps } from '@notevault/note-text/diff/budget.ts';
import type { WriteContext } from '../../../entries/entries.ts';
import type { NoteDeps } from '../../notes.deps.ts';
import type { VersionReason } from '../../sealed-note.ts';
import { draftText } from '../build-note-row.ts';
import { draftMerge, type MergeDraft, type MergeInput } from '../draft.ts';
import type { NoteRowDraft, WriteTarget } from '../write-plan.ts';
import { offload } from './offload.ts';
import { isLarge, isLargeText, postVault, receiveDraft, unitsOf } from './task-transfer.ts';

/** The number of values that a draft seals: content, document, meta, and meta and snapshot of the replaced version. */
const SEALS = 5;

/**
 * Steps of a comparison on this thread, some two milliseconds. Most drafts take far fewer, but a few kilobytes of lines
 * that occur often in both texts take fifteen times as many.
 */
const ON_THIS_THREAD = { allowed: 100_000 };

/** Like draftText, but on a worker thread for a large text or a long comparison. */
export async function draftTextOnPool(
  deps: NoteDeps,
  context: WriteContext,
  target: WriteTarget,
  input: { readonly mtime: number },
  text: string,
  reason: VersionReason,
): Promise<NoteRowDraft> {
  const large = target.kind === 'new' ? isLargeText(text) : isLarge(target.note, target.doc, unitsOf(text));
  const here = large ? undefined : quickly(() => draftText(deps, context, target, input, text, reason, ON_THIS_THREAD));
  if (here !== undefined) return here;
  const old = target.kind === 'new' ? null : target.note;
  const posted = target.kind === 'new' ? target : withoutContent(target);
  const common = commonInput(deps, context, input);
  const bytes = 2 * (text.length + (old?.content.length ?? 0));
  const draft = await offload(deps, context.vault, 'draftText', { ...common, target: posted, text, reason }, bytes, {
    patient: true,
  });
  return receiveDraft(draft, text, old);
}

/** Like draftMerge, but on a worker thread for large texts or a long comparison. */
export async function draftMergeOnPool(
  deps: NoteDeps,
  context: WriteContext,
  target: Exclude<WriteTarget, { kind: 'new' }>,
  input: { readonly mtime: number },
  merge: MergeInput,
): Promise<MergeDraft> {
  const { note, doc } = target;
  const more = unitsOf(merge.text) + merge.base.content.length;
  const large = isLarge(note, doc, more);
  const here = large ? undefined : quickly(() => draftMerge(deps, context, target, input, merge, ON_THIS_THREAD));
  if (here !== undefined) return here;
  const posted = { ...commonInput(deps, context, input), target: withoutContent(target), merge };
  const draft = await offload(deps, context.vault, 'draftMerge', posted, 2 * (note.content.length + more), {
    patient: true,
  });
  return typeof draft === 'string' ? draft : receiveDraft(draft, merge.text, note);
}

/** Returns the result of `draft`, or undefined when its comparison takes too long for this thread. */
function quickly<Draft>(draft: () => Draft): Draft | undefined {
  try {
    return draft();
  } catch (error) {
    if (error instanceof TooManySteps) return undefined;
    throw error;
  }
}

function commonInput(deps: NoteDeps, { vault, actor }: WriteContext, { mtime }: { readonly mtime: number }) {
  return { now: deps.clock.now(), vault: postVault(vault, SEALS), actor, mtime };
}

/** The sealed content is not transferred: only its row needs it. */
function withoutContent<From extends Exclude<WriteTarget, { kind: 'new' }>>(basis: From): From {
  return { ...basis, note: { ...basis.note, sealedContent: Buffer.alloc(0) } };
}
