import type { SyntaxNode } from '@lezer/common';

/** Returns the text of a node without the marks of quotes around it. */
export function sourceOf(node: SyntaxNode, source: string): string {
  let text = '';
  let at = node.from;
  for (const mark of node.getChildren('QuoteMark')) {
    text += source.slice(at, mark.from);
    at = mark.to + (source.charAt(mark.to) === ' ' ? 1 : 0);
  }
  return text + source.slice(at, node.to);
}
