import { useMemo, useRef, useState } from 'react';
import { movesInto } from '../../data/tree/moves.ts';
import { foldersAbove, type TreeRow, visibleRows } from '../../data/tree/rows.ts';
import type { TreeEntry } from '../../data/tree/tree-index.ts';
import type { TreeDeps } from './tree-deps.ts';
import type { RowState } from './tree-row.tsx';
import type { ExpandedFolders } from './use-expanded.ts';
import { useRowEvents } from './use-row-events.ts';
import { useTreeCommands } from './use-tree-commands.ts';
import { useTreeFocus } from './use-tree-focus.ts';

/** Combines the tree's rows, focus, commands and events. */
export function useTreeState(deps: TreeDeps) {
  const { index, canWrite, expanded, actions, current, addFiles } = deps;
  const rows = useMemo(() => visibleRows(index, expanded.folders), [index, expanded.folders]);
  const [renamed, setRenamed] = useState<string | null>(null);
  const focus = useTreeFocus(rows, index, current);
  const commands = useTreeCommands({ ...deps, rows, focus, startRenaming: setRenamed });
  const { openRow, press, cut } = commands;
  const events = useRowEvents({ ...deps, rows, focus, openRow, stopRenaming: () => setRenamed(null) });
  const hovered = useHoveredFolder(expanded);
  return {
    rows,
    canWrite,
    activeIndex: focus.activeIndex,
    dropFolder: hovered.folder,
    press,
    events,
    enter: focus.enter,
    stateOf: ({ entry }: TreeRow): RowState => ({
      isActive: entry.key === focus.active,
      isSelected: focus.selection.keys.has(entry.key),
      isCurrent: entry.key === current,
      isCut: cut.has(entry.key),
      isRenamed: entry.key === renamed,
      canMove: canWrite,
      isDropTarget: hovered.folder !== '' && entry.kind === 'folder' && entry.path === hovered.folder,
    }),
    /** Shows an entry, with the folders above it open. */
    reveal(entry: TreeEntry) {
      expanded.expand(foldersAbove(entry));
      focus.activate(entry.key);
    },
    startRenaming(key: string) {
      focus.activate(key);
      setRenamed(key);
    },
    cut: commands.setCut,
    dragOver: hovered.over,
    drop(key: string, folder: string) {
      const moves = movesInto(focus.entriesFor(key), folder);
      if (moves !== null) void actions.move(moves);
    },
    dropFiles: addFiles,
  };
}

export type TreeState = ReturnType<typeof useTreeState>;

const OPEN_ON_HOVER_MS = 500;

/** Returns the folder under the dragged entry, which opens after a moment; null while nothing is dragged. */
function useHoveredFolder(expanded: ExpandedFolders) {
  const [folder, setFolder] = useState<string | null>(null);
  const hover = useRef<{ folder: string | null; timer: ReturnType<typeof setTimeout> | undefined }>({
    folder: null,
    timer: undefined,
  });
  return {
    folder,
    over(next: string | null) {
      if (next === hover.current.folder) return;
      clearTimeout(hover.current.timer);
      const timer =
        next === null || next === '' ? undefined : setTimeout(() => expanded.expand([next]), OPEN_ON_HOVER_MS);
      hover.current = { folder: next, timer };
      setFolder(next);
    },
  };
}
