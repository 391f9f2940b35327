import { foldPath } from '@notevault/note-text/paths.ts';
import type { TreeRow } from './rows.ts';

/** Action of a key in the tree. */
export type TreeMove =
  | { readonly type: 'focus'; readonly index: number; readonly extends: boolean }
  | { readonly type: 'expand' | 'collapse'; readonly paths: readonly string[] }
  | { readonly type: 'open' | 'toggle' | 'rename' | 'delete' | 'select-all' | 'cut' | 'paste' };

export interface PressedKey {
  readonly key: string;
  readonly shiftKey: boolean;
  /** Control, or Command on a Mac. */
  readonly modKey: boolean;
}

/** Returns what a key does on a row, after the tree view pattern of WAI-ARIA; null if nothing. */
export function moveOf(
  { key, shiftKey, modKey }: PressedKey,
  rows: readonly TreeRow[],
  index: number,
): TreeMove | null {
  if (modKey) return COMMANDS[key.toLowerCase()] ?? null;
  const row = rows[index];
  const to = (target: number): TreeMove => ({
    type: 'focus',
    index: Math.min(rows.length - 1, Math.max(0, target)),
    extends: shiftKey,
  });
  switch (key) {
    case 'ArrowDown':
      return to(index + 1);
    case 'ArrowUp':
      return to(index - 1);
    case 'Home':
      return to(0);
    case 'End':
      return to(rows.length - 1);
    case 'PageDown':
      return to(index + PAGE);
    case 'PageUp':
      return to(index - PAGE);
    case 'ArrowRight':
      return row === undefined ? null : inward(row, index);
    case 'ArrowLeft':
      return row === undefined ? null : outward(rows, row, index);
    case '*':
      return row === undefined ? null : { type: 'expand', paths: siblingFolders(rows, row) };
    case 'Enter':
      return { type: 'open' };
    case ' ':
      return { type: 'toggle' };
    case 'F2':
      return { type: 'rename' };
    case 'Delete':
      return { type: 'delete' };
    default:
      return null;
  }
}

const PAGE = 15;
const COMMANDS: Readonly<Record<string, TreeMove>> = {
  a: { type: 'select-all' },
  x: { type: 'cut' },
  v: { type: 'paste' },
  // As in the Finder: keyboards of Macs have no Delete.
  backspace: { type: 'delete' },
};

/** Opens a closed folder, or goes to the first entry in an open one. */
function inward({ entry, isExpanded }: TreeRow, index: number): TreeMove | null {
  if (isExpanded === null) return null;
  if (!isExpanded) return { type: 'expand', paths: [entry.path] };
  return { type: 'focus', index: index + 1, extends: false };
}

/** Closes an open folder, or goes to the folder that the row is in. */
function outward(rows: readonly TreeRow[], { entry, level, isExpanded }: TreeRow, index: number): TreeMove | null {
  if (isExpanded === true) return { type: 'collapse', paths: [entry.path] };
  for (let at = index - 1; at >= 0; at--) {
    if ((rows[at]?.level ?? 0) < level) return { type: 'focus', index: at, extends: false };
  }
  return null;
}

function siblingFolders(rows: readonly TreeRow[], { entry: { parent } }: TreeRow): string[] {
  return rows.flatMap(({ entry }) => (entry.kind === 'folder' && entry.parent === parent ? [entry.path] : []));
}

/**
 * Returns the index of the next row whose name begins with what was typed, around from the row after `index`; a letter
 * that is typed again goes on to the next such row. -1 if there is none.
 */
export function typeAhead(rows: readonly TreeRow[], index: number, typed: string): number {
  const wanted = foldPath(/^(.)\1*$/u.test(typed) ? (typed[0] ?? '') : typed);
  const start = wanted.length === 1 ? index + 1 : index;
  for (let step = 0; step < rows.length; step++) {
    const at = (start + step) % rows.length;
    if (foldPath(rows[at]?.entry.name ?? '').startsWith(wanted)) return at;
  }
  return -1;
}
