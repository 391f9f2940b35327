import type { EditorState, Text } from '@codemirror/state';
import { headingsOf } from './text-facts.ts';

/** Where a heading (by its text, or a path `A#B` of texts) or a block (`^id`) is; null when the note has none. */
export function anchorPosition(state: EditorState, anchor: string): number | null {
  if (anchor.startsWith('^')) return blockPosition(state.doc, anchor.slice(1));
  const wanted = fold(anchor.split('#').at(-1) ?? '');
  return headingsOf(state).find(({ text }) => fold(text) === wanted)?.from ?? null;
}

function blockPosition(doc: Text, id: string): number | null {
  const end = new RegExp(`(?:^|\\s)\\^${id.replace(/[^A-Za-z0-9-]/g, '')}\\s*$`, 'i');
  for (let number = 1; number <= doc.lines; number++) {
    const line = doc.line(number);
    if (line.text.includes('^') && end.test(line.text)) return line.from;
  }
  return null;
}

/** Headings are compared without case, marks and the characters that a link cannot have. */
function fold(text: string): string {
  return text
    .replace(/[#|^[\]\\*_`~=:]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase();
}
