import type { syntaxTree } from '@codemirror/language';

type SyntaxTree = ReturnType<typeof syntaxTree>;

/** A block of a note that is in no other. */
export interface TopBlock {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  /** The same as long as the parser did not read the block anew. */
  readonly tree: SyntaxTree;
}

const known = new WeakMap<SyntaxTree, readonly TopBlock[]>();

/**
 * The blocks of a note that are in no other, in order. Every key asks for them, more than once: a cursor over a note of
 * ten thousand lines takes some milliseconds each time.
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
    // The parser makes a tree of each block; the names of what is packed are those of parts of text.
    if ('buffer' in child) return;
    // Nodes without a name only keep the tree balanced.
    if (child.type.isAnonymous) collect(child, from, blocks);
    else blocks.push({ name: child.type.name, from, to: from + child.length, tree: child });
  });
}
