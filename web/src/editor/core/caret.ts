import { EditorSelection, type SelectionRange } from '@codemirror/state';
import { findFrontmatter } from '@notevault/note-text/frontmatter/fence.ts';
import {
  createAbsolutePositionFromRelativePosition,
  createRelativePositionFromTypeIndex,
  type RelativePosition,
  type Text,
} from 'yjs';

/** A cursor or selection between characters of a document, wherever edits move these. */
export interface KeptCaret {
  readonly anchor: RelativePosition;
  readonly head: RelativePosition;
}

export function keepCaret(text: Text, { anchor, head }: SelectionRange): KeptCaret {
  return {
    anchor: createRelativePositionFromTypeIndex(text, anchor),
    head: createRelativePositionFromTypeIndex(text, head),
  };
}

/** The selection of a new editor: the kept one, else after the frontmatter, which a letter before it would break. */
export function firstSelection(text: Text, kept: KeptCaret | undefined): EditorSelection {
  const anchor = kept === undefined ? null : offsetOf(text, kept.anchor);
  const head = kept === undefined ? null : offsetOf(text, kept.head);
  if (anchor !== null && head !== null) return EditorSelection.single(anchor, head);
  return EditorSelection.single(findFrontmatter(text.toString()).bodyStart);
}

/** Null when the document does not have the character beside the position: it is another document. */
function offsetOf({ doc }: Text, position: RelativePosition): number | null {
  return doc === null ? null : (createAbsolutePositionFromRelativePosition(position, doc)?.index ?? null);
}
