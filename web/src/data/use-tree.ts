import { nameOrder } from '@notevault/note-text/names/order.ts';
import type { VaultTree } from '@notevault/protocol/sync.ts';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useLanguage } from '../i18n/use-texts.ts';
import { treeQuery } from './queries.ts';
import { TreeIndex } from './tree/tree-index.ts';

const indexes = new WeakMap<VaultTree, { readonly language: string; readonly index: TreeIndex }>();

/** The index of a tree, made once for all that show it. */
function indexOf(tree: VaultTree, language: string): TreeIndex {
  const made = indexes.get(tree);
  if (made?.language === language) return made.index;
  const index = new TreeIndex(tree, nameOrder(language));
  indexes.set(tree, { language, index });
  return index;
}

/** Returns the index of a vault's tree, and follows its changes. */
export function useTree(vault: string): TreeIndex {
  const { data } = useSuspenseQuery(treeQuery(vault));
  return indexOf(data, useLanguage());
}
