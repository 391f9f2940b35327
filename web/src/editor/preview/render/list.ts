import type { SyntaxNode, SyntaxNodeRef } from '@lezer/common';
import { canWriteNote } from '../../core/modes.ts';
import { BulletWidget, TaskWidget } from '../../media/inline-widgets.ts';
import type { InlineRenderer, RenderContext } from '../renderer.ts';

/** List items: the mark becomes a bullet, and lines that wrap stay beside it. */
export const lists: InlineRenderer = {
  nodes: ['ListItem'],
  render(node, context) {
    const mark = node.node.getChild('ListMark');
    if (mark === null) return;
    const isOrdered = node.node.parent?.name === 'OrderedList';
    const task = node.node.getChild('Task')?.getChild('TaskMarker') ?? null;
    const isBox = task !== null && !context.isRevealed({ from: mark.from, to: task.to }, 'inside');
    indentLine(node, isBox ? task : mark, isBox, context);
    if (isOrdered) context.mark(mark.from, mark.to, 'nv-number');
    else if (isBox) context.hide(mark.from, task.from);
    else if (context.isRevealed(mark, 'touch')) context.mark(mark.from, mark.to, 'nv-syntax');
    else context.replace(mark.from, mark.to, new BulletWidget());
    if (task !== null) renderTask(mark, task, context);
  },
};

function renderTask(mark: SyntaxNode, task: SyntaxNode, context: RenderContext): void {
  const isDone = /x/i.test(context.text(task.from, task.to));
  const line = context.state.doc.lineAt(task.from);
  context.line(line.from, isDone ? 'nv-task-line nv-task-done' : 'nv-task-line');
  if (context.isRevealed({ from: mark.from, to: task.to }, 'inside')) {
    context.mark(task.from, task.to, 'nv-syntax');
    return;
  }
  const label = context.text(task.to, line.to).trim();
  context.replace(task.from, task.to, new TaskWidget(isDone, label, context.state.facet(canWriteNote)));
}

const QUOTE_MARKS = /^(?:[ \t]*>[ \t]?)*/;
/**
 * Gives the mark before an item's text a fixed width, to which wrapped rows are indented.
 *
 * @param last the node before the item's text: the list mark, or the task's checkbox.
 */
function indentLine(node: SyntaxNodeRef, last: SyntaxNode, isBox: boolean, context: RenderContext): void {
  const line = context.state.doc.lineAt(node.from);
  const text = context.text(line.from, line.to);
  const from = line.from + (QUOTE_MARKS.exec(text)?.[0].length ?? 0);
  const to = Math.min(line.to, last.to + 1);
  const level = levelOf(node.node);
  // Wide numbers take more than the 24 px of a level.
  const mark = isBox ? 0 : context.text(from, to).trim().length;
  const style = `--nv-level: ${level}; --nv-indent: calc(${(level - 1) * 24}px + max(24px, ${mark}ch))`;
  context.line(line.from, 'nv-list-line', { style });
  context.wrap(from, to, 'nv-list-prefix');
}

/** Returns the nesting level of a list item. */
function levelOf(item: SyntaxNode): number {
  let level = 0;
  for (let node: SyntaxNode | null = item; node !== null; node = node.parent) if (node.name === 'ListItem') level += 1;
  return level;
}
