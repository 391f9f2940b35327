import { drawnTableAt } from '../../table/drawn-tables.ts';
import type { InlineRenderer } from '../renderer.ts';

/** Tables shown as source, in a fixed-width font. */
export const tableSource: InlineRenderer = {
  nodes: ['Table'],
  render(node, context) {
    if (drawnTableAt(context.state, node.from) !== null) return;
    const first = context.state.doc.lineAt(node.from).from;
    context.eachLine(node, ({ from }) => {
      context.line(from, from === first ? 'nv-table-line nv-table-head' : 'nv-table-line');
    });
  },
};

export const tableMarks: InlineRenderer = {
  nodes: ['TableDelimiter'],
  render: (node, context) => context.mark(node.from, node.to, 'nv-syntax'),
};
