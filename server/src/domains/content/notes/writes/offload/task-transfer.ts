import { type DerivedNote, deriveNote } from '@notevault/note-text/derive.ts';
import { TooManySteps } from '@notevault/note-text/diff/budget.ts';
import type { SharedKey } from '../../../../../ports/keyring/keyring.ts';
import type { WriteContext } from '../../../entries/entries.ts';
import type { OpenVault } from '../../../vaults/vaults.ts';
import type { NoteDeps } from '../../notes.deps.ts';
import type { VersionDraft } from '../../notes.store.ts';
import type { VersionReason } from '../../sealed-note.ts';
import { draftMerge, draftText, type MergeDraft, type MergeInput } from '../build-note-row.ts';
import type { ExistingTarget, NoteRowDraft, StoredNoteContent, WriteTarget } from '../write-target.ts';
import { offload } from './offload.ts';

/**
 * The data exchanged with the worker threads of the pool: plain data and sealed bytes. The thread gets a temporary
 * reference to the key, as the search thread does.
 */

/** Number of UTF-16 units of prose whose derivation, comparison and sealing take about ten milliseconds. */
const LARGE_UNITS = 128 * 1024;
/** Number of items of a document that take some ten milliseconds to read, in the worst case. */
const LARGE_STRUCTS = 500;
/** Sealed bytes of edits that wait to be flushed. */
const LARGE_UPDATES = 32 * 1024;

/** Units of prose that take as long as one bracket, with which links and definitions begin. */
const UNITS_OF_BRACKET = 16;

/** The length of a text, in units of prose that take as long to derive. */
export function unitsOf(text: string): number {
  let units = text.length;
  for (let at = text.indexOf('['); at !== -1 && units <= LARGE_UNITS; at = text.indexOf('[', at + 1)) {
    units += UNITS_OF_BRACKET;
  }
  return units;
}

/** Whether a note is processed on a worker thread. @param more units of further texts that the work reads. */
export function isLarge(note: Pick<StoredNoteContent, 'meta' | 'content'>, doc: Buffer | null, more = 0): boolean {
  if (unitsOf(note.content) + more > LARGE_UNITS) return true;
  return doc !== null && (note.meta.structs ?? Number.POSITIVE_INFINITY) > LARGE_STRUCTS;
}

export function isLargeText(text: string): boolean {
  return unitsOf(text) > LARGE_UNITS;
}

export function areLarge(updates: readonly { readonly payload: Uint8Array }[]): boolean {
  let bytes = 0;
  for (const { payload } of updates) bytes += payload.length;
  return bytes > LARGE_UPDATES;
}

/** A vault in the form sent to another thread. */
export type TransferredVault = Omit<OpenVault, 'key'> & { readonly key: SharedKey };

/** @param seals the maximum number of values that the task seals. */
export function postVault({ key, ...vault }: OpenVault, seals: number): TransferredVault {
  return { ...vault, key: key.share(seals) };
}

/** A draft of a note's next version as it comes back: without what the sender has, and without headings. */
export type TransferredDraft = Omit<NoteRowDraft, 'text' | 'replaced'> & {
  readonly text: string | null;
  readonly replaced: Omit<VersionDraft, 'content'> | null;
};

/** @param known the text, which the sender already has. */
export function postDraft({ replaced, derived, ...next }: NoteRowDraft, known: string | null): TransferredDraft {
  const withoutContent = replaced === null ? null : { ...replaced, content: undefined };
  return {
    ...next,
    text: next.text === known ? null : next.text,
    derived: { ...derived, headings: [] },
    replaced: withoutContent,
  };
}

/** @param old the note that the draft replaces; null for a new one. */
export function receiveDraft(
  draft: TransferredDraft,
  known: string | null,
  old: StoredNoteContent | null,
): NoteRowDraft {
  const { replaced } = draft;
  const received = withBuffers(draft);
  const sameVersion = old !== null && draft.version === old.version;
  return {
    ...received,
    text: draft.text ?? known ?? '',
    content: sameVersion ? old.sealedContent : received.content,
    ...(draft.between === undefined ? {} : { between: draft.between.map(withBuffers) }),
    replaced: replaced === null || old === null ? null : { ...withBuffers(replaced), content: old.sealedContent },
  };
}

/** Buffers arrive from other threads as plain byte arrays: makes those among the fields of an object Buffers again. */
export function withBuffers<Fields extends object>(fields: Fields): Fields {
  const entries = Object.entries(fields).map(([name, value]) => [
    name,
    value instanceof Uint8Array ? bytesOf(value) : value,
  ]);
  return Object.fromEntries(entries) as Fields;
}

export function bytesOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** The number of values that a draft seals: content, document, meta, and meta and snapshot of the replaced version. */
export const DRAFT_SEALS = 5;
/** The same for a flush, which makes at most four versions. */
export const FOLD_SEALS = 4 * DRAFT_SEALS;

/** Steps of a comparison on this thread, some two milliseconds, of which most drafts take far fewer. */
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
  const here = large
    ? undefined
    : quickly(() => draftText(deps.clock.now(), context, target, input, text, reason, ON_THIS_THREAD));
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
  target: ExistingTarget,
  input: { readonly mtime: number },
  merge: MergeInput,
): Promise<MergeDraft> {
  const { note, doc } = target;
  const more = merge.steps.reduce((sum, { base, text }) => sum + unitsOf(text) + base.content.length, 0);
  const large = isLarge(note, doc, more);
  const here = large
    ? undefined
    : quickly(() => draftMerge(deps.clock.now(), context, target, input, merge, ON_THIS_THREAD));
  if (here !== undefined) return here;
  const posted = { ...commonInput(deps, context, input), target: withoutContent(target), merge };
  const draft = await offload(deps, context.vault, 'draftMerge', posted, 2 * (note.content.length + more), {
    patient: true,
  });
  return typeof draft === 'string' ? draft : receiveDraft(draft, merge.steps.at(-1)?.text ?? null, note);
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
  return { now: deps.clock.now(), vault: postVault(vault, DRAFT_SEALS), actor, mtime };
}

/** The sealed content is not transferred: only its row needs it. */
function withoutContent(target: ExistingTarget): ExistingTarget {
  return { ...target, note: { ...target.note, sealedContent: Buffer.alloc(0) } };
}

/** Derives the metadata of a text, on a worker thread for a large one. Its headings are left out. */
export async function deriveOnPool(
  deps: NoteDeps,
  vault: OpenVault,
  path: string,
  text: string,
): Promise<Omit<DerivedNote, 'headings'>> {
  if (!isLargeText(text)) return deriveNote(path, text);
  return offload(deps, vault, 'deriveText', { path, text }, 2 * text.length, { patient: true });
}
