import { headingLevel } from '../../syntax/heading-folds.ts';
import type { InlineRenderer } from '../renderer.ts';
import { isTitle, levelShift } from '../title.ts';

const atx = [1, 2, 3, 4, 5, 6].map((level) => `ATXHeading${level}`);

/** Headings, which keep their size while their marks are shown, so that the line height does not change. */
export const headings: InlineRenderer = {
  nodes: [...atx, 'SetextHeading1', 'SetextHeading2'],
  render(node, context) {
    const level = headingLevel(node.name);
    const isSetext = node.name.startsWith('Setext');
    const [first, ...later] = node.node.getChildren('HeaderMark');
    // A single `-` below a paragraph is a list item that is being typed.
    if (first === undefined || (isSetext && first.to - first.from < 2)) return;
    const isRevealed = context.isRevealed(node, 'line');
    // Without text there is nothing to announce, for example on the line below a Setext heading.
    const end = isSetext ? first.from - 1 : node.to;
    // The note's name is already the level-1 heading of the page.
    const isName = level === 1 && isTitle(context.state, node.from);
    const shown = Math.min(6, Math.max(2, level + levelShift(context.state)));
    const role = isName ? undefined : { role: 'heading', 'aria-level': String(shown) };
    context.eachLine(node, ({ from, text }) => {
      const hasText = from < end && /[^\s#]/.test(text);
      context.line(from, `nv-heading nv-h${level}`, hasText ? role : undefined);
    });
    if (isSetext) {
      if (isRevealed) context.mark(first.from, first.to, 'nv-syntax');
      else context.hide(first.from, first.to);
      return;
    }
    const spaces = /^[ \t]*/.exec(context.text(first.to, node.to))?.[0].length ?? 0;
    if (isRevealed) context.mark(first.from, first.to, 'nv-syntax');
    else context.hide(first.from, first.to + spaces);
    for (const mark of later) {
      const gap = /[ \t]*$/.exec(context.text(node.from, mark.from))?.[0].length ?? 0;
      if (isRevealed) context.mark(mark.from, mark.to, 'nv-syntax');
      else context.hide(mark.from - gap, mark.to);
    }
  },
};

/** A thematic break: a line across the column, in place of its marks. */
export const rules: InlineRenderer = {
  nodes: ['HorizontalRule'],
  render(node, context) {
    const isRevealed = context.isRevealed(node, 'line');
    context.line(node.from, isRevealed ? 'nv-rule nv-rule-revealed' : 'nv-rule');
    if (isRevealed) context.mark(node.from, node.to, 'nv-syntax');
    else context.hide(node.from, node.to);
  },
};
