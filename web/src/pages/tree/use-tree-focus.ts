import { useRef, useState } from 'react';
import type { TreeRow } from '../../data/tree/rows.ts';
import {
  actedOn,
  NOTHING_SELECTED,
  type Selection,
  selectOnly,
  selectRange,
  toggleSelected,
} from '../../data/tree/selection.ts';
import type { TreeEntry, TreeIndex } from '../../data/tree/tree-index.ts';
import { typeAhead } from '../../data/tree/tree-keys.ts';

const TYPE_AHEAD_MS = 700;

/** Active and selected rows of the tree, and the keys that move between rows. */
export function useTreeFocus(rows: readonly TreeRow[], index: TreeIndex, current: string | null) {
  const [active, setActive] = useState<string | null>(current);
  const [selection, setSelection] = useState<Selection>(NOTHING_SELECTED);
  const typed = useRef({ text: '', at: 0 });
  const activeIndex = rows.findIndex(({ entry }) => entry.key === active);

  const goTo = (at: number, extend = false) => {
    const key = rows[at]?.entry.key;
    if (key === undefined) return;
    setActive(key);
    if (!extend) return setSelection(NOTHING_SELECTED);
    const order = rows.map(({ entry }) => entry.key);
    const from = selection.anchor === null && active !== null ? selectOnly(active) : selection;
    setSelection(selectRange(order, from, key));
  };

  return {
    active,
    activeIndex,
    selection,
    goTo,
    activate: setActive,
    toggle: (key: string) => setSelection(toggleSelected(selection, key)),
    selectAll: () => setSelection({ keys: new Set(rows.map(({ entry }) => entry.key)), anchor: active }),
    clearSelection: () => setSelection(NOTHING_SELECTED),
    /** Returns the entries that an action applies to: the selection if the entry is in it, else the entry alone. */
    entriesFor: (key: string): TreeEntry[] => actedOn(selection, key).flatMap((one) => index.byKey(one) ?? []),
    /** Goes to the next name that begins with the letters that were typed in quick succession. */
    typeLetter(letter: string) {
      const now = performance.now();
      const text = now - typed.current.at < TYPE_AHEAD_MS ? typed.current.text + letter : letter;
      typed.current = { text, at: now };
      const found = typeAhead(rows, Math.max(0, activeIndex), text);
      if (found >= 0) goTo(found);
    },
    /** Called when the tree gets the focus: on the open note, else on the first row. */
    enter() {
      if (activeIndex >= 0) return;
      const at = rows.findIndex(({ entry }) => entry.key === current);
      setActive(rows[Math.max(0, at)]?.entry.key ?? null);
    },
  };
}

export type TreeFocus = ReturnType<typeof useTreeFocus>;
