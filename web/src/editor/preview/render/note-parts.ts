import type { SyntaxNodeRef } from '@lezer/common';
import { BreakWidget } from '../../media/inline-widgets.ts';
import { drawnTableAt } from '../../table/drawn-tables.ts';
import type { InlineRenderer, RenderContext } from '../renderer.ts';
import { renderImageTag } from './embed.ts';

/** Comments are dimmed while editing and hidden while reading. */
export const comments: InlineRenderer = {
  nodes: ['InlineComment', 'Comment', 'BlockComment', 'CommentBlock'],
  isLeaf: true,
  render(node, context) {
    if (context.mode !== 'reading') {
      context.mark(node.from, node.to, 'nv-comment');
      return;
    }
    context.eachLine(node, (line) => {
      const from = Math.max(line.from, node.from);
      const to = Math.min(line.to, node.to);
      if (from === line.from && to === line.to) context.line(line.from, 'nv-empty-line');
      context.hide(from, to);
    });
  },
};

/** `^block-id` at the end of a line. */
export const blockIds: InlineRenderer = {
  nodes: ['BlockId'],
  render(node, context) {
    if (context.isRevealed(node, 'line')) context.mark(node.from, node.to, 'nv-syntax');
    else context.hide(node.from, node.to);
  },
};

/** `[^label]` and `^[text]`. */
export const footnotes: InlineRenderer = {
  nodes: ['FootnoteReference', 'InlineFootnote', 'FootnoteLabel'],
  render(node, context) {
    if (node.name === 'FootnoteLabel') {
      context.mark(node.from, node.to, 'nv-footnote-label');
      return;
    }
    const isRevealed = context.isRevealed(node, 'touch');
    context.mark(node.from, node.to, `nv-footnote${isRevealed ? ' nv-revealed' : ''}`);
    if (isRevealed) return;
    context.hide(node.from, node.from + 2);
    context.hide(node.to - 1, node.to);
  },
};

const SHOWN_TAGS: Readonly<Record<string, string>> = {
  b: 'nv-strong',
  strong: 'nv-strong',
  i: 'nv-em',
  em: 'nv-em',
  u: 'nv-underline',
  ins: 'nv-underline',
  s: 'nv-strike',
  del: 'nv-strike',
  mark: 'nv-highlight',
  kbd: 'nv-kbd',
  code: 'nv-code',
  sub: 'nv-sub',
  sup: 'nv-sup',
  small: 'nv-small',
};

/** Inline HTML. A few tags without attributes are rendered with our own classes; all others are shown as text. */
export const htmlTags: InlineRenderer = {
  nodes: ['HTMLTag'],
  render(node, context) {
    if (renderImageTag(node, context)) return;
    if (/^<br\s*\/?>$/i.test(context.text(node.from, node.to))) {
      renderBreak(node, context);
      return;
    }
    if (/^<span(?:\s[^>]*)?>$/i.test(context.text(node.from, node.to))) {
      renderSpan(node, context);
      return;
    }
    const name = /^<([a-z]+)>$/i.exec(context.text(node.from, node.to))?.[1]?.toLowerCase() ?? '';
    const className = SHOWN_TAGS[name];
    const close = className === undefined ? null : closingTag(node.node, name, context.text.bind(context));
    if (className === undefined || close === null) {
      context.mark(node.from, node.to, 'nv-html');
      return;
    }
    context.mark(node.to, close.from, className);
    if (context.isRevealed({ from: node.from, to: close.to }, 'touch')) return;
    context.hide(node.from, node.to);
    context.hide(close.from, close.to);
  },
};

/**
 * Renders `<br>`. At the end of a line it is hidden. Within a line it breaks the line in reading mode and in table
 * cells only, because a line that is edited stays one line.
 */
function renderBreak(node: SyntaxNodeRef, context: RenderContext): void {
  if (drawnTableAt(context.state, node.from) !== null) {
    if (context.isRevealed(node, 'inside')) context.mark(node.from, node.to, 'nv-html');
    else context.hide(node.from, node.to);
    context.insert(node.to, new BreakWidget(), -1);
    return;
  }
  const isLast = context.text(node.to, context.state.doc.lineAt(node.to).to).trim() === '';
  if (isLast && !context.isRevealed(node, 'touch')) context.hide(node.from, node.to);
  else if (!isLast && context.mode === 'reading') context.replace(node.from, node.to, new BreakWidget());
  else context.mark(node.from, node.to, 'nv-html');
}

const LANGUAGE = /\slang=(["']?)([a-z]{2,3}(?:-[a-z\d]{1,8})*)\1[\s>]/i;

/** Renders the text of `<span …>` without its style, and with its `lang`. */
function renderSpan({ node, from, to }: SyntaxNodeRef, context: RenderContext): void {
  const close = closingTag(node, 'span', context.text.bind(context));
  const [, , lang] = LANGUAGE.exec(context.text(from, to)) ?? [];
  if (close !== null && lang !== undefined) context.mark(to, close.from, 'nv-lang', { lang });
  if (close === null || context.isRevealed({ from, to: close.to }, 'touch')) {
    context.mark(from, to, 'nv-html');
    return;
  }
  context.hide(from, to);
  context.hide(close.from, close.to);
}

type Place = { readonly name: string; readonly from: number; readonly to: number; readonly nextSibling: Place | null };

function closingTag(node: Place, name: string, text: (from: number, to: number) => string): Place | null {
  const wanted = `</${name}>`;
  for (let next = node.nextSibling; next !== null; next = next.nextSibling) {
    if (next.name === 'HTMLTag' && text(next.from, next.to).toLowerCase() === wanted) return next;
  }
  return null;
}
