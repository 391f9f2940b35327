import { syntaxTree } from '@codemirror/language';
import type { EditorState } from '@codemirror/state';

/** Where the definition of a footnote is, by its reference `[^label]`; null without one. */
export function footnoteDefinition(state: EditorState, reference: string): { from: number; to: number } | null {
  for (const node of syntaxTree(state).topNode.getChildren('FootnoteDefinition')) {
    const label = node.getChild('FootnoteLabel');
    if (label !== null && state.doc.sliceString(label.from, label.to - 1) === reference) {
      return { from: label.to, to: node.to };
    }
  }
  return null;
}

/** The text of a footnote, without the indentation of its later lines. */
export function footnoteText(state: EditorState, reference: string): string | null {
  const place = footnoteDefinition(state, reference);
  return place === null
    ? null
    : state.doc
        .sliceString(place.from, place.to)
        .trim()
        .replace(/^ {4}|^\t/gm, '');
}
