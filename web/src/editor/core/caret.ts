import { EditorSelection, type SelectionRange } from '@codemirror/state';
import { findFrontmatter } from '@notevault/note-text/frontmatter/fence.ts';
import {
  createAbsolutePositionFromRelativePosition,
  createRelativePositionFromTypeIndex,
  type RelativePosition,
  type Text,
} from 'yjs';

/** A cursor or selection that is attached to characters of a document and moves with them. */
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

/**
 * Returns the selection of a new editor: the kept one, else after the frontmatter, because a letter typed before it
 * would break it.
 */
export function firstSelection(text: Text, kept: KeptCaret | undefined): EditorSelection {
  const anchor = kept === undefined ? null : offsetOf(text, kept.anchor);
  const head = kept === undefined ? null : offsetOf(text, kept.head);
  if (anchor !== null && head !== null) return EditorSelection.single(anchor, head);
  return EditorSelection.single(findFrontmatter(text.toString()).bodyStart);
}

/**
 * Returns the offset of a position; null if the document lacks the adjacent character because it is another document.
 */
function offsetOf({ doc }: Text, position: RelativePosition): number | null {
  return doc === null ? null : (createAbsolutePositionFromRelativePosition(position, doc)?.index ?? null);
}
