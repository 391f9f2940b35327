import { syntaxTree } from '@codemirror/language';
import type { EditorState, TransactionSpec } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import type { SyntaxNode } from '@lezer/common';
import { isPlainPaste } from './plain-paste.ts';

/** Turns selected text into a link when a web address is pasted over it. */
export const linkPaste = EditorView.domEventHandlers({
  paste({ clipboardData }, view) {
    const url = clipboardData?.getData('text/plain').trim() ?? '';
    const spec = isPlainPaste(view) ? null : linkSpec(view.state, url);
    if (spec === null) return false;
    view.dispatch(spec);
    return true;
  },
});

/** Returns the transaction that turns the selection into a link; null if the URL should replace the selection. */
export function linkSpec(state: EditorState, url: string): TransactionSpec | null {
  const { ranges, main } = state.selection;
  const { from, to } = main;
  if (state.readOnly || ranges.length > 1 || main.empty || !/^(?:https?:\/\/|mailto:)[^\s<>]+$/i.test(url)) return null;
  const label = state.sliceDoc(from, to);
  // A label that spans lines, is a URL itself or ends inside another mark cannot become a link.
  if (label.trim() === '' || /[\n[\]`]|^https?:\/\//.test(label) || isIn(state, from) || isIn(state, to)) return null;
  const address = url.replace(/[()]/g, (char) => (char === '(' ? '%28' : '%29'));
  return {
    changes: [
      { from, insert: '[' },
      { from: to, insert: `](${address})` },
    ],
    selection: { anchor: to + address.length + 4 },
    scrollIntoView: true,
    userEvent: 'input.paste',
  };
}

const CLOSED: ReadonlySet<string> = new Set([
  'Link',
  'Image',
  'WikiLink',
  'WikiEmbed',
  'InlineCode',
  'FencedCode',
  'CodeBlock',
  'Frontmatter',
  'InlineMath',
  'BlockMath',
]);

function isIn(state: EditorState, at: number): boolean {
  for (let node: SyntaxNode | null = syntaxTree(state).resolveInner(at, 0); node; node = node.parent) {
    if (CLOSED.has(node.name)) return true;
  }
  return false;
}
