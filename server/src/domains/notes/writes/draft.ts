import { NOTE_BYTES_MAX } from '@notevault/protocol/notes.ts';
import type { WriteContext } from '../../entries/entries.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import { snapshotOf, textOf } from '../merge/document.ts';
import { boundariesOf } from '../merge/fingerprints.ts';
import { mergeText, type StepLimits } from '../merge/merge.ts';
import { sealed, type VersionReason } from '../sealed-note.ts';
import { buildNoteRow, clientIdOf, currentDocument } from './build-note-row.ts';
import type { NoteRowDraft, WriteTarget } from './write-plan.ts';

/** An older version of a note, sealed. */
export interface SealedBase {
  readonly version: number;
  readonly content: Buffer;
  readonly snapshot: Buffer;
}

/** A text written on top of an older version. */
export interface MergeInput {
  readonly base: SealedBase;
  readonly text: string;
  readonly reason: VersionReason;
}

/** The next version; `same` when the text is unchanged, `unknown` when the document cannot locate the older text. */
export type MergeDraft = NoteRowDraft | 'same' | 'unknown' | 'too_large';

/** Builds the next version of a note from a text that edits an older version. Throws `note_unreadable`, TooManySteps. */
export function draftMerge(
  now: number,
  context: Pick<WriteContext, 'vault' | 'actor'>,
  target: Exclude<WriteTarget, { kind: 'new' }>,
  input: { readonly mtime: number },
  { base, text, reason }: MergeInput,
  limits?: StepLimits,
): MergeDraft {
  const { vault } = context;
  const { note } = target;
  const doc = currentDocument(vault, target);
  const snapshot = snapshotOf(doc);
  const client = clientIdOf(vault, note);
  const boundaries = boundariesOf(target.fingerprints ?? null, client);
  if (!mergeText(doc, client, openBase(vault, note.id, base), text, boundaries, limits)) return 'unknown';
  const merged = textOf(doc);
  if (merged.length > NOTE_BYTES_MAX || Buffer.byteLength(merged, 'utf8') > NOTE_BYTES_MAX) return 'too_large';
  if (merged === note.content) return 'same';
  return buildNoteRow(now, context, target, input, doc, snapshot, merged, reason);
}

function openBase(vault: OpenVault, id: string, { version, content, snapshot }: SealedBase) {
  return {
    text: sealed.openContent(vault, id, version, content),
    snapshot: sealed.openSnapshot(vault, id, version, snapshot),
  };
}
