import type { InlineRenderer } from '../renderer.ts';

/** Tables are edited as their source, aligned in a fixed-width font. */
export const tableSource: InlineRenderer = {
  nodes: ['Table'],
  render(node, context) {
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
