import { useEffect, useRef } from 'react';
import type { TreeEntry, TreeIndex } from '../../data/tree/tree-index.ts';

/**
 * Shows the entry whose page is open, once for each page: a folder that is closed afterwards stays closed, also when
 * the tree changes.
 *
 * @param current the entry's key; null if no page of an entry is open.
 */
export function useRevealed(index: TreeIndex, current: string | null, reveal: (entry: TreeEntry) => void): void {
  const revealed = useRef<string | null>(null);
  useEffect(() => {
    if (current === revealed.current) return;
    const entry = current === null ? undefined : index.byKey(current);
    // The tree may not have been read yet, or the note may be new.
    if (current !== null && entry === undefined) return;
    revealed.current = current;
    if (entry !== undefined) reveal(entry);
  });
}
