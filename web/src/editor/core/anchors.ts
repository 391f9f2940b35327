import type { EditorState, Text } from '@codemirror/state';
import { blockIdOf, findHeading, hasBlockId } from '@notevault/note-text/links/anchors.ts';
import { headingsOf } from './text-facts.ts';

/** Where what an anchor names is: a heading (by its text, or a path `A#B` of texts) or a block (`^id`); null for none. */
export function anchorPosition(state: EditorState, anchor: string): number | null {
  const block = blockIdOf(anchor);
  if (block !== null) return blockPosition(state.doc, block);
  const headings = headingsOf(state);
  return headings[findHeading(headings, anchor)]?.from ?? null;
}

function blockPosition(doc: Text, id: string): number | null {
  for (let number = 1; number <= doc.lines; number++) {
    const line = doc.line(number);
    if (hasBlockId(line.text, id)) return line.from;
  }
  return null;
}
