import type { VaultTree } from '@notevault/protocol/sync.ts';
import { useSuspenseQuery } from '@tanstack/react-query';
import { treeQuery } from '../data/queries.ts';
import { TreeIndex } from './model/tree-index.ts';

const compare = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' }).compare;
const indexes = new WeakMap<VaultTree, TreeIndex>();

/** The index of a tree, made once for all that show it. */
export function indexOf(tree: VaultTree): TreeIndex {
  const index = indexes.get(tree) ?? new TreeIndex(tree, compare);
  indexes.set(tree, index);
  return index;
}

/** What is in a vault, as it changes. */
export function useTree(vault: string): TreeIndex {
  return indexOf(useSuspenseQuery(treeQuery(vault)).data);
}
