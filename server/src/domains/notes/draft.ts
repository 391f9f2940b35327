import type { OpenVault } from '../vaults/vaults.ts';
import type { Basis } from './basis.ts';
import { snapshotOf, textOf } from './document.ts';
import { mergeText } from './merge.ts';
import { sealed, type VersionReason } from './meta.ts';
import type { Writing } from './parts.ts';
import { type Clocked, clientIdOf, currentDocument, type Prepared, prepared } from './prepare.ts';

const NOTE_BYTES_MAX = 10 * 1024 * 1024;

/** An older version of a note, sealed. */
export interface SealedBase {
  readonly version: number;
  readonly content: Buffer;
  readonly snapshot: Buffer;
}

/** A text that was written on top of an older version. */
export interface MergeInput {
  readonly base: SealedBase;
  readonly text: string;
  readonly reason: VersionReason;
}

/** The next version; `same` when it says what the note says, `unknown` when the document cannot tell where the older text was. */
export type MergeDraft = Prepared | 'same' | 'unknown' | 'too_large';

/** The next version of a note: a text taken as an edit of an older version. Throws `note_unreadable`. */
export function draftMerge(
  parts: Clocked,
  writing: Pick<Writing, 'vault' | 'actor'>,
  basis: Exclude<Basis, { kind: 'new' }>,
  input: { readonly mtime: number },
  { base, text, reason }: MergeInput,
): MergeDraft {
  const { vault } = writing;
  const { note } = basis;
  const doc = currentDocument(vault, basis);
  const snapshot = snapshotOf(doc);
  if (!mergeText(doc, clientIdOf(vault, note), openBase(vault, note.id, base), text)) return 'unknown';
  const merged = textOf(doc);
  if (merged.length > NOTE_BYTES_MAX || Buffer.byteLength(merged, 'utf8') > NOTE_BYTES_MAX) return 'too_large';
  if (merged === note.content) return 'same';
  return prepared(parts, writing, basis, input, doc, snapshot, merged, reason);
}

function openBase(vault: OpenVault, id: string, { version, content, snapshot }: SealedBase) {
  return {
    text: sealed.openContent(vault, id, version, content),
    snapshot: sealed.openSnapshot(vault, id, version, snapshot),
  };
}
