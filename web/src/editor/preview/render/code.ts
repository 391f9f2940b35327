import { CodeHeadWidget } from '../../media/inline-widgets.ts';
import type { InlineRenderer } from '../renderer.ts';

/** Fenced code: the fences stay as lines of the block, and the language replaces the opening marks. */
export const codeBlocks: InlineRenderer = {
  nodes: ['FencedCode', 'CodeBlock'],
  render(node, context) {
    const { doc } = context.state;
    const first = doc.lineAt(node.from).from;
    const last = doc.lineAt(node.to).from;
    context.eachLine(node, ({ from }) => {
      const edges = `${from === first ? ' nv-first' : ''}${from === last ? ' nv-last' : ''}`;
      context.line(from, `nv-code-line${edges}`, { spellcheck: 'false' });
    });
    if (node.name === 'CodeBlock') return;
    const isRevealed = context.isRevealed(node, 'line');
    const info = node.node.getChild('CodeInfo');
    const [open, close] = node.node.getChildren('CodeMark');
    const language = info === null ? '' : context.text(info.from, info.to).trim();
    if (open !== undefined) {
      const end = doc.lineAt(open.from).to;
      if (isRevealed) context.mark(open.from, end, 'nv-syntax');
      else {
        const from = Math.min(end + 1, node.to);
        const to = Math.max(from, close === undefined ? node.to : doc.lineAt(close.from).from - 1);
        context.replace(open.from, end, new CodeHeadWidget(language, context.text(from, to)));
      }
    }
    if (close === undefined) return;
    context.line(close.from, 'nv-code-end');
    if (isRevealed) context.mark(close.from, close.to, 'nv-syntax');
    else context.hide(close.from, close.to);
  },
};
