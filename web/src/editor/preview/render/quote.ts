import { syntaxTree } from '@codemirror/language';
import type { EditorState } from '@codemirror/state';
import type { SyntaxNode, SyntaxNodeRef } from '@lezer/common';
import { type CalloutHead, readCalloutHead } from '@notevault/note-html/callout.ts';
import { directionOf } from '../../core/text-direction.ts';
import { CalloutTitleWidget } from '../../media/callout-title.ts';
import { calloutBody, isFolded } from '../callout-folds.ts';
import type { InlineRenderer, RenderContext } from '../renderer.ts';

/** Quotes and callouts. A callout is a quote whose first line names a kind: `> [!note] Title`. */
export const quotes: InlineRenderer = {
  nodes: ['Blockquote'],
  render(node, context) {
    const first = context.state.doc.lineAt(node.from);
    const callout = readCalloutHead(context.text(node.from, first.to));
    const last = context.state.doc.lineAt(node.to).from;
    const base = callout === null ? 'nv-quote' : `nv-callout nv-callout-${callout.look}`;
    const fold = callout === null ? null : foldOf(callout, first.from, context);
    const style = { style: `--nv-depth: ${depthOf(node.node)}` };
    const bodyStart = callout === null ? node.from : node.from + callout.markEnd;
    const direction = directionOf(context.text(bodyStart, Math.min(node.to, bodyStart + 1_000)));
    const side = direction === 'rtl' ? ' nv-rtl' : '';
    context.eachLine(node, ({ from, to }) => {
      if (innermost(context.state, to)?.from !== node.from) return;
      const isFirst = from === first.from;
      const isLast = from === last || (fold === 'closed' && isFirst);
      // The kind's name, which replaces a missing title, is at the start of the text.
      const attributes = isFirst && callout?.title === '' ? { ...style, dir: direction } : style;
      context.line(from, `${base}${side}${isFirst ? ' nv-first' : ''}${isLast ? ' nv-last' : ''}`, attributes);
    });
    if (callout === null) return;
    const start = node.from + callout.markStart;
    const end = node.from + callout.markEnd;
    if (context.isRevealed({ from: first.from, to: first.to }, 'line')) context.mark(start, end, 'nv-syntax');
    else context.replace(start, end, new CalloutTitleWidget(callout, fold));
    context.mark(end, first.to, 'nv-callout-title');
  },
};

/** Returns the innermost quote at the end of a line, which decorates the line. */
function innermost(state: EditorState, lineEnd: number): SyntaxNode | null {
  return quoteAround(syntaxTree(state).resolveInner(lineEnd, -1));
}

function quoteAround(start: SyntaxNode | null): SyntaxNode | null {
  for (let node = start; node !== null; node = node.parent) if (node.name === 'Blockquote') return node;
  return null;
}

/** Returns the nesting depth of a quote. */
function depthOf(quote: SyntaxNode): number {
  let depth = 0;
  for (let node = quoteAround(quote.parent); node !== null; node = quoteAround(node.parent)) depth++;
  return depth;
}

/** Returns the fold state of a callout; null if it does not fold. */
function foldOf({ fold }: CalloutHead, at: number, { state }: RenderContext): 'open' | 'closed' | null {
  if (fold === null || calloutBody(state, at) === null) return null;
  return isFolded(state, at) ? 'closed' : 'open';
}

/** The `>` of quotes. */
export const quoteMarks: InlineRenderer = {
  nodes: ['QuoteMark'],
  render: (node: SyntaxNodeRef, context: RenderContext) => {
    if (context.isRevealed(node, 'line')) {
      context.mark(node.from, node.to, 'nv-syntax');
      return;
    }
    const space = context.text(node.to, node.to + 1) === ' ' ? 1 : 0;
    context.hide(node.from, node.to + space);
  },
};
