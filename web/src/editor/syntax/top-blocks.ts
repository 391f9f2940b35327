import type { syntaxTree } from '@codemirror/language';

type SyntaxTree = ReturnType<typeof syntaxTree>;

/** A top-level block of a note. */
export interface TopBlock {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  /** Syntax tree of the block; the same object until the parser reads the block again. */
  readonly tree: SyntaxTree;
}

const known = new WeakMap<SyntaxTree, readonly TopBlock[]>();

/**
 * Returns the top-level blocks of a note, in order. Cached, because every key needs them several times, and walking a
 * note of ten thousand lines takes milliseconds.
 */
export function topBlocks(tree: SyntaxTree): readonly TopBlock[] {
  const found = known.get(tree);
  if (found !== undefined) return found;
  const blocks: TopBlock[] = [];
  collect(tree, 0, blocks);
  known.set(tree, blocks);
  return blocks;
}

function collect({ children, positions }: SyntaxTree, start: number, blocks: TopBlock[]): void {
  children.forEach((child, index) => {
    const from = start + (positions[index] ?? 0);
    // The parser makes a tree of each block; packed nodes are always parts of text.
    if ('buffer' in child) return;
    // Unnamed nodes only balance the tree.
    if (child.type.isAnonymous) collect(child, from, blocks);
    else blocks.push({ name: child.type.name, from, to: from + child.length, tree: child });
  });
}
