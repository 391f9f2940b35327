import { foldService, syntaxTree } from '@codemirror/language';
import type { EditorState } from '@codemirror/state';
import type { SyntaxNode } from '@lezer/common';

/** Folds a heading's section: up to the next heading of its level or above. */
export const headingFolds = foldService.of((state, lineStart, lineEnd) => {
  const tree = syntaxTree(state);
  for (let node: SyntaxNode | null = tree.resolveInner(lineEnd, -1); node; node = node.parent) {
    if (node.from < lineStart) break;
    const level = headingLevel(node.name);
    if (level === 0) continue;
    const end = sectionEnd(state, node, level);
    return end > lineEnd ? { from: lineEnd, to: end } : null;
  }
  return null;
});

/** Returns the level of a heading node by its name, 1 to 6; 0 for other nodes. */
export function headingLevel(name: string): number {
  const match = /^(?:ATX|Setext)Heading([1-6])$/.exec(name);
  return match === null ? 0 : Number(match[1]);
}

function sectionEnd(state: EditorState, heading: SyntaxNode, level: number): number {
  let last = heading;
  for (let next = heading.nextSibling; next; next = next.nextSibling) {
    const nextLevel = headingLevel(next.name);
    if (nextLevel > 0 && nextLevel <= level) break;
    last = next;
  }
  return Math.min(state.doc.length, last.to);
}
