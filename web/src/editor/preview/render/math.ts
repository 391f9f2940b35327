import { MathWidget } from '../../media/math.ts';
import type { InlineRenderer } from '../renderer.ts';

/** Formulas within a line. */
export const inlineMath: InlineRenderer = {
  nodes: ['InlineMath', 'DisplayMath'],
  isLeaf: true,
  render(node, context) {
    const size = node.name === 'DisplayMath' ? 2 : 1;
    if (context.isRevealed(node, 'touch')) {
      context.mark(node.from, node.to, 'nv-math-source');
      return;
    }
    const isOneLine = context.state.doc.lineAt(node.from).to >= node.to;
    if (isOneLine) {
      const formula = context.text(node.from + size, node.to - size);
      context.replace(node.from, node.to, new MathWidget(formula, false));
    }
  },
};
