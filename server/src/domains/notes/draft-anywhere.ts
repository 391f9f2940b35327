import type { Basis } from './basis.ts';
import { draftMerge, type MergeDraft, type MergeInput } from './draft.ts';
import type { VersionReason } from './meta.ts';
import { offload } from './offload.ts';
import type { NoteParts, Writing } from './parts.ts';
import { isLarge, isLargeText, postVault, receiveDraft } from './posted.ts';
import { draftText, type Prepared } from './prepare.ts';

/** Values that a draft seals: content, document, meta, and of the version written over meta and snapshot. */
const SEALS = 5;

/** As draftText, of a large text on a worker thread. */
export async function draftTextAnywhere(
  parts: NoteParts,
  writing: Writing,
  basis: Basis,
  input: { readonly mtime: number },
  text: string,
  reason: VersionReason,
): Promise<Prepared> {
  const large = basis.kind === 'new' ? isLargeText(text) : isLarge(basis.note, basis.doc, text.length);
  if (!large) return draftText(parts, writing, basis, input, text, reason);
  const old = basis.kind === 'new' ? null : basis.note;
  const posted = basis.kind === 'new' ? basis : withoutContent(basis);
  const common = commonInput(parts, writing, input);
  const bytes = 2 * (text.length + (old?.content.length ?? 0));
  const draft = await offload(parts, writing.vault, 'draftText', { ...common, basis: posted, text, reason }, bytes);
  return receiveDraft(draft, text, old);
}

/** As draftMerge, of large texts on a worker thread. */
export async function draftMergeAnywhere(
  parts: NoteParts,
  writing: Writing,
  basis: Exclude<Basis, { kind: 'new' }>,
  input: { readonly mtime: number },
  merge: MergeInput,
): Promise<MergeDraft> {
  const { note, doc } = basis;
  const more = merge.text.length + merge.base.content.length;
  if (!isLarge(note, doc, more)) return draftMerge(parts, writing, basis, input, merge);
  const posted = { ...commonInput(parts, writing, input), basis: withoutContent(basis), merge };
  const draft = await offload(parts, writing.vault, 'draftMerge', posted, 2 * (note.content.length + more));
  return typeof draft === 'string' ? draft : receiveDraft(draft, merge.text, note);
}

function commonInput(parts: NoteParts, { vault, actor }: Writing, { mtime }: { readonly mtime: number }) {
  return { now: parts.clock.now(), vault: postVault(vault, SEALS), actor, mtime };
}

/** The sealed content stays here: only its row needs it. */
function withoutContent<From extends Exclude<Basis, { kind: 'new' }>>(basis: From): From {
  return { ...basis, note: { ...basis.note, sealedContent: Buffer.alloc(0) } };
}
