import { type KeyboardEvent, useMemo, useRef, useState } from 'react';
import { movesInto, renamedPath } from './model/moves.ts';
import { foldersAbove, type TreeRow, visibleRows } from './model/rows.ts';
import {
  actedOn,
  NOTHING_SELECTED,
  type Selection,
  selectOnly,
  selectRange,
  toggleSelected,
} from './model/selection.ts';
import { folderKey, type TreeEntry, type TreeIndex } from './model/tree-index.ts';
import { moveOf, type TreeMove, typeAhead } from './model/tree-keys.ts';
import type { RowEvents, RowState } from './tree-row.tsx';
import type { Expanded } from './use-expanded.ts';
import type { TreeActions } from './use-tree-actions.ts';

export interface TreeDeps {
  readonly index: TreeIndex;
  readonly expanded: Expanded;
  readonly actions: TreeActions;
  /** The key of the entry whose page is open; null if none is. */
  readonly current: string | null;
  /** Opens the page of a note or an attachment. */
  readonly open: (entry: TreeEntry) => void;
  /** Asks before entries are deleted, if that is needed. */
  readonly remove: (entries: readonly TreeEntry[]) => void;
  readonly openMenu: (entries: readonly TreeEntry[], at: { readonly x: number; readonly y: number }) => void;
}

const TYPE_AHEAD_MS = 700;
const OPEN_ON_HOVER_MS = 500;

/** What the tree shows and does: active row, selection, renaming, cut entries, dragging. */
export function useTreeState({ index, expanded, actions, current, open, remove, openMenu }: TreeDeps) {
  const rows = useMemo(() => visibleRows(index, expanded.folders), [index, expanded.folders]);
  const [active, setActive] = useState<string | null>(current);
  const [selection, setSelection] = useState<Selection>(NOTHING_SELECTED);
  const [renamed, setRenamed] = useState<string | null>(null);
  const [cut, setCut] = useState<ReadonlySet<string>>(new Set());
  const [dropFolder, setDropFolder] = useState<string | null>(null);
  const typed = useRef({ text: '', at: 0 });
  const hover = useRef<{ folder: string | null; timer: ReturnType<typeof setTimeout> | undefined }>({
    folder: null,
    timer: undefined,
  });
  const activeIndex = rows.findIndex(({ entry }) => entry.key === active);
  const entriesFor = (key: string) => actedOn(selection, key).flatMap((one) => index.byKey(one) ?? []);

  const goTo = (at: number, extend = false) => {
    const key = rows[at]?.entry.key;
    if (key === undefined) return;
    setActive(key);
    const order = rows.map(({ entry }) => entry.key);
    setSelection(
      extend
        ? selectRange(order, selection.anchor === null && active !== null ? selectOnly(active) : selection, key)
        : NOTHING_SELECTED,
    );
  };

  const openRow = ({ entry, isExpanded }: TreeRow) => {
    if (entry.kind !== 'folder') return open(entry);
    if (isExpanded === true) expanded.collapse([entry.path]);
    else expanded.expand([entry.path]);
  };

  const paste = ({ entry }: TreeRow) => {
    const entries = [...cut].flatMap((key) => index.byKey(key) ?? []);
    const moves = movesInto(entries, entry.kind === 'folder' ? entry.path : entry.parent);
    setCut(new Set());
    if (moves !== null) void actions.move(moves);
  };

  const run = (move: TreeMove) => {
    const row = rows[activeIndex];
    if (move.type === 'focus') return goTo(move.index, move.extends);
    if (move.type === 'expand') return expanded.expand(move.paths);
    if (move.type === 'collapse') return expanded.collapse(move.paths);
    if (move.type === 'select-all')
      return setSelection({ keys: new Set(rows.map(({ entry }) => entry.key)), anchor: active });
    if (row === undefined) return;
    const { key } = row.entry;
    if (move.type === 'open') openRow(row);
    else if (move.type === 'toggle') setSelection(toggleSelected(selection, key));
    else if (move.type === 'rename') setRenamed(key);
    else if (move.type === 'delete') remove(entriesFor(key));
    else if (move.type === 'cut') setCut(new Set(entriesFor(key).map((entry) => entry.key)));
    else paste(row);
  };

  const typeLetter = (letter: string) => {
    const now = performance.now();
    const text = now - typed.current.at < TYPE_AHEAD_MS ? typed.current.text + letter : letter;
    typed.current = { text, at: now };
    const found = typeAhead(rows, Math.max(0, activeIndex), text);
    if (found >= 0) goTo(found);
  };

  const press = (event: KeyboardEvent) => {
    const { key, shiftKey } = event;
    if (key === 'Escape') {
      setCut(new Set());
      return setSelection(NOTHING_SELECTED);
    }
    if ((key === 'F10' && shiftKey) || key === 'ContextMenu') {
      const row = document.getElementById(`tree-row-${active}`)?.getBoundingClientRect();
      event.preventDefault();
      if (active !== null && row !== undefined) openMenu(entriesFor(active), { x: row.left + 24, y: row.bottom });
      return;
    }
    const modKey = event.ctrlKey || event.metaKey;
    const move = event.altKey ? null : moveOf({ key, shiftKey, modKey }, rows, activeIndex);
    if (move !== null) {
      event.preventDefault();
      run(move);
    } else if (key.length === 1 && !modKey && !event.altKey) typeLetter(key);
  };

  const events: RowEvents = {
    press(key, { shiftKey, metaKey, ctrlKey }) {
      const at = rows.findIndex(({ entry }) => entry.key === key);
      const row = rows[at];
      if (row === undefined) return;
      if (shiftKey) return goTo(at, true);
      setActive(key);
      if (metaKey || ctrlKey) return setSelection(toggleSelected(selection, key));
      setSelection(NOTHING_SELECTED);
      openRow(row);
    },
    openMenu(key, at) {
      setActive(key);
      openMenu(entriesFor(key), at);
    },
    rename(key, name) {
      setRenamed(null);
      const entry = index.byKey(key);
      if (entry === undefined) return;
      const to = renamedPath(entry, name);
      if (entry.kind === 'folder' && expanded.folders.has(entry.path)) expanded.expand([to]);
      if (active === key && entry.kind === 'folder') setActive(folderKey(to));
      void actions.move([{ kind: entry.kind, from: entry.path, to }]);
    },
    stopRenaming: () => setRenamed(null),
  };

  return {
    rows,
    activeIndex,
    dropFolder,
    press,
    events: useStable(events),
    /** Called when the tree gets the focus: on the open note, else on the first row. */
    enter() {
      if (activeIndex >= 0) return;
      const at = rows.findIndex(({ entry }) => entry.key === current);
      setActive(rows[Math.max(0, at)]?.entry.key ?? null);
    },
    stateOf: ({ entry }: TreeRow): RowState => ({
      isActive: entry.key === active,
      isSelected: selection.keys.has(entry.key),
      isCurrent: entry.key === current,
      isCut: cut.has(entry.key),
      isRenamed: entry.key === renamed,
      isDropTarget: dropFolder !== null && dropFolder !== '' && entry.kind === 'folder' && entry.path === dropFolder,
    }),
    /** Shows an entry, with the folders above it open. */
    reveal(entry: TreeEntry) {
      expanded.expand(foldersAbove(entry));
      setActive(entry.key);
    },
    startRenaming(key: string) {
      setActive(key);
      setRenamed(key);
    },
    cut: (entries: readonly TreeEntry[]) => setCut(new Set(entries.map(({ key }) => key))),
    dragOver(folder: string | null) {
      if (folder === hover.current.folder) return;
      clearTimeout(hover.current.timer);
      const timer =
        folder === null || folder === '' ? undefined : setTimeout(() => expanded.expand([folder]), OPEN_ON_HOVER_MS);
      hover.current = { folder, timer };
      setDropFolder(folder);
    },
    drop(key: string, folder: string) {
      const moves = movesInto(entriesFor(key), folder);
      if (moves !== null) void actions.move(moves);
    },
  };
}

export type TreeState = ReturnType<typeof useTreeState>;

/** The same object at each render, whose functions are those of the last render, so that rows need not render again. */
function useStable(events: RowEvents): RowEvents {
  const latest = useRef(events);
  latest.current = events;
  const stable = useRef<RowEvents>({
    press: (...args) => latest.current.press(...args),
    openMenu: (...args) => latest.current.openMenu(...args),
    rename: (...args) => latest.current.rename(...args),
    stopRenaming: () => latest.current.stopRenaming(),
  });
  return stable.current;
}
