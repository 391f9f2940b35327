import { type KeyboardEvent, useState } from 'react';
import { movesInto } from '../../data/tree/moves.ts';
import type { TreeRow } from '../../data/tree/rows.ts';
import type { TreeEntry } from '../../data/tree/tree-index.ts';
import { moveOf, type TreeMove } from '../../data/tree/tree-keys.ts';
import type { TreeDeps } from './tree-deps.ts';
import type { TreeFocus } from './use-tree-focus.ts';

interface CommandDeps extends TreeDeps {
  readonly rows: readonly TreeRow[];
  readonly focus: TreeFocus;
  readonly startRenaming: (key: string) => void;
}

/** Returns the commands of keys in the tree, and the entries that were cut, which pasting moves. */
export function useTreeCommands(deps: CommandDeps) {
  const { rows, index, canWrite, expanded, actions, focus, open, remove, openMenu } = deps;
  const [cut, setCut] = useState<ReadonlySet<string>>(new Set());
  const keysOf = (entries: readonly TreeEntry[]) => new Set(entries.map(({ key }) => key));

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

  /** Carries out what concerns the active row. */
  const runOn = (row: TreeRow, move: TreeMove) => {
    const { key } = row.entry;
    if (move.type === 'open') openRow(row);
    else if (move.type === 'toggle') focus.toggle(key);
    else if (!canWrite) return;
    else if (move.type === 'rename') deps.startRenaming(key);
    else if (move.type === 'delete') remove(focus.entriesFor(key));
    else if (move.type === 'cut') setCut(keysOf(focus.entriesFor(key)));
    else paste(row);
  };

  const run = (move: TreeMove) => {
    if (move.type === 'focus') return focus.goTo(move.index, move.extends);
    if (move.type === 'expand') return expanded.expand(move.paths);
    if (move.type === 'collapse') return expanded.collapse(move.paths);
    if (move.type === 'select-all') return focus.selectAll();
    const row = rows[focus.activeIndex];
    if (row !== undefined) runOn(row, move);
  };

  const openMenuOfActive = () => {
    const { active } = focus;
    const row = document.getElementById(`tree-row-${active}`)?.getBoundingClientRect();
    if (active !== null && row !== undefined) openMenu(focus.entriesFor(active), { x: row.left + 24, y: row.bottom });
  };

  return {
    cut,
    openRow,
    setCut: (entries: readonly TreeEntry[]) => setCut(keysOf(entries)),
    press(event: KeyboardEvent) {
      const { key, shiftKey } = event;
      if (key === 'Escape') {
        setCut(new Set());
        return focus.clearSelection();
      }
      if ((key === 'F10' && shiftKey) || key === 'ContextMenu') {
        event.preventDefault();
        return openMenuOfActive();
      }
      const modKey = event.ctrlKey || event.metaKey;
      const move = event.altKey ? null : moveOf({ key, shiftKey, modKey }, rows, focus.activeIndex);
      if (move !== null) {
        event.preventDefault();
        run(move);
      } else if (key.length === 1 && !modKey && !event.altKey) focus.typeLetter(key);
    },
  };
}
