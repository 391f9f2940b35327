import type { SyntaxNode, SyntaxNodeRef } from '@lezer/common';
import { BulletWidget, TaskWidget } from '../../media/inline-widgets.ts';
import type { InlineRenderer, RenderContext } from '../renderer.ts';

/** List items: the mark becomes a bullet, and lines that wrap stay beside it. */
export const lists: InlineRenderer = {
  nodes: ['ListItem'],
  render(node, context) {
    const mark = node.node.getChild('ListMark');
    if (mark === null) return;
    indentLine(node, mark, context);
    const isOrdered = node.node.parent?.name === 'OrderedList';
    const task = node.node.getChild('Task')?.getChild('TaskMarker') ?? null;
    if (isOrdered) context.mark(mark.from, mark.to, 'nv-number');
    else if (task !== null && !context.isRevealed({ from: mark.from, to: task.to }, 'inside')) {
      context.hide(mark.from, task.from);
    } else if (context.isRevealed(mark, 'touch')) context.mark(mark.from, mark.to, 'nv-syntax');
    else context.replace(mark.from, mark.to, new BulletWidget());
    if (task !== null) renderTask(mark, task, context);
  },
};

function renderTask(mark: SyntaxNode, task: SyntaxNode, context: RenderContext): void {
  const isDone = /x/i.test(context.text(task.from, task.to));
  const line = context.state.doc.lineAt(task.from);
  if (isDone) context.line(line.from, 'nv-task-done');
  if (context.isRevealed({ from: mark.from, to: task.to }, 'inside')) {
    context.mark(task.from, task.to, 'nv-syntax');
    return;
  }
  context.replace(task.from, task.to, new TaskWidget(isDone, context.text(task.to, line.to).trim()));
}

/** A hanging indent as wide as the text before the item's own. */
function indentLine(node: SyntaxNodeRef, mark: SyntaxNode, context: RenderContext): void {
  const line = context.state.doc.lineAt(node.from);
  const start = Math.min(line.to, mark.to + 1);
  const width = columns(context.text(line.from, start));
  context.line(line.from, 'nv-list-line', { style: `--nv-indent: ${width}ch` });
}

function columns(text: string): number {
  let width = 0;
  for (const char of text) width += char === '\t' ? 4 - (width % 4) : 1;
  return width;
}
