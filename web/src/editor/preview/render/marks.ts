import type { SyntaxNode } from '@lezer/common';
import { isPadded } from '@notevault/note-html/grammar/padded-code.ts';
import type { InlineRenderer, RenderContext } from '../renderer.ts';

const CLASSES: Readonly<Record<string, string>> = {
  Emphasis: 'nv-em',
  StrongEmphasis: 'nv-strong',
  Strikethrough: 'nv-strike',
  Highlight: 'nv-highlight',
  InlineCode: 'nv-code',
  Superscript: 'nv-sup',
  Subscript: 'nv-sub',
};

const MARKS = [
  'EmphasisMark',
  'StrikethroughMark',
  'HighlightMark',
  'CodeMark',
  'SuperscriptMark',
  'SubscriptMark',
] as const;

/** Bold, italic, strikethrough, highlight and inline code. Their marks are hidden while no cursor touches them. */
export const marks: InlineRenderer = {
  nodes: Object.keys(CLASSES),
  render(node, context) {
    context.mark(node.from, node.to, CLASSES[node.name] ?? '');
    const isRevealed = context.isRevealed(node, 'touch');
    for (const name of MARKS) {
      for (const mark of node.node.getChildren(name)) {
        if (isRevealed) context.mark(mark.from, mark.to, 'nv-syntax');
        else context.hide(mark.from, mark.to);
      }
    }
    if (node.name === 'InlineCode' && !isRevealed) hidePadding(node.node, context);
  },
};

/** Hides the padding space at each end of inline code, which lets code begin or end with a backtick. */
function hidePadding(code: SyntaxNode, context: RenderContext): void {
  const [open, close] = code.getChildren('CodeMark');
  if (open === undefined || close === undefined || !isPadded(context.text(open.to, close.from))) return;
  context.hide(open.to, open.to + 1);
  context.hide(close.from - 1, close.from);
}

/** The backslash before an escaped character. */
export const escapes: InlineRenderer = {
  nodes: ['Escape'],
  render(node, context) {
    if (!context.isRevealed(node, 'touch')) context.hide(node.from, node.from + 1);
  },
};
