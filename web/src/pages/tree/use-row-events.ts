import { useRef } from 'react';
import { renamedPath } from '../../data/tree/moves.ts';
import type { TreeRow } from '../../data/tree/rows.ts';
import { folderKey } from '../../data/tree/tree-index.ts';
import type { TreeDeps } from './tree-deps.ts';
import type { RowEvents } from './tree-row.tsx';
import type { TreeFocus } from './use-tree-focus.ts';

interface RowEventDeps extends TreeDeps {
  readonly rows: readonly TreeRow[];
  readonly focus: TreeFocus;
  readonly openRow: (row: TreeRow) => void;
  readonly stopRenaming: () => void;
}

/** Returns the handlers of pointing at rows and renaming them, the same object at each render. */
export function useRowEvents(deps: RowEventDeps): RowEvents {
  const { rows, index, expanded, actions, focus, openMenu, openRow, stopRenaming } = deps;
  return useStable({
    press(key, { shiftKey, metaKey, ctrlKey }) {
      const at = rows.findIndex(({ entry }) => entry.key === key);
      const row = rows[at];
      if (row === undefined) return;
      if (shiftKey) return focus.goTo(at, true);
      focus.activate(key);
      if (metaKey || ctrlKey) return focus.toggle(key);
      focus.clearSelection();
      openRow(row);
    },
    pressMiddle(key) {
      const entry = index.byKey(key);
      if (entry !== undefined) deps.openBehind(entry);
    },
    openMenu(key, at) {
      focus.activate(key);
      openMenu(focus.entriesFor(key), at);
    },
    rename(key, name) {
      stopRenaming();
      const entry = index.byKey(key);
      if (entry === undefined) return;
      const to = renamedPath(entry, name);
      if (entry.kind === 'folder' && expanded.folders.has(entry.path)) expanded.expand([to]);
      if (focus.active === key && entry.kind === 'folder') focus.activate(folderKey(to));
      void actions.move([{ kind: entry.kind, from: entry.path, to }]);
    },
    stopRenaming,
  });
}

/** The same object at each render, whose functions are those of the last render, so that rows need not render again. */
function useStable(events: RowEvents): RowEvents {
  const latest = useRef(events);
  latest.current = events;
  const stable = useRef<RowEvents>({
    press: (...args) => latest.current.press(...args),
    pressMiddle: (...args) => latest.current.pressMiddle(...args),
    openMenu: (...args) => latest.current.openMenu(...args),
    rename: (...args) => latest.current.rename(...args),
    stopRenaming: () => latest.current.stopRenaming(),
  });
  return stable.current;
}
