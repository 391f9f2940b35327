import type { TreeEntry, TreeIndex } from './tree-index.ts';

/** A row of the tree, with what assistive technology is told about its place. */
export interface TreeRow {
  readonly entry: TreeEntry;
  /** Depth of the row; 1 for entries of the root. */
  readonly level: number;
  /** How many entries its folder has, and which of them it is, from 1. */
  readonly setSize: number;
  readonly position: number;
  /** Only for folders. */
  readonly isExpanded: boolean | null;
}

/** Returns the rows of a tree from top to bottom, those in closed folders left out. */
export function visibleRows(index: TreeIndex, expanded: ReadonlySet<string>): TreeRow[] {
  const rows: TreeRow[] = [];
  const add = (folder: string, level: number) => {
    const children = index.childrenOf(folder);
    children.forEach((entry, at) => {
      const isExpanded = entry.kind === 'folder' ? expanded.has(entry.path) : null;
      rows.push({ entry, level, setSize: children.length, position: at + 1, isExpanded });
      if (isExpanded === true) add(entry.path, level + 1);
    });
  };
  add('', 1);
  return rows;
}

/** Returns the folders that must be open for an entry to be visible: all above it. */
export function foldersAbove({ parent }: Pick<TreeEntry, 'parent'>): string[] {
  if (parent === '') return [];
  const segments = parent.split('/');
  return segments.map((_, at) => segments.slice(0, at + 1).join('/'));
}
