import { nameOf, type TreeEntry } from './tree-index.ts';

/** A change of an entry's path. */
export interface PathMove {
  readonly kind: TreeEntry['kind'];
  readonly from: string;
  readonly to: string;
}

/** Joins a folder and a name. */
export function within(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

/**
 * Returns the moves that bring entries into a folder. What is there already stays, and so does what is in a folder that
 * moves itself; null if a folder would be moved into itself.
 */
export function movesInto(entries: readonly TreeEntry[], folder: string): PathMove[] | null {
  const folders = entries.filter(({ kind }) => kind === 'folder').map(({ path }) => path);
  if (folders.some((path) => folder === path || folder.startsWith(`${path}/`))) return null;
  const outermost = entries.filter(({ path }) => !folders.some((above) => path.startsWith(`${above}/`)));
  return outermost.flatMap(({ kind, path, parent }) =>
    parent === folder ? [] : [{ kind, from: path, to: within(folder, nameOf(path)) }],
  );
}

/** Returns the moves that take moves back. */
export function reversed(moves: readonly PathMove[]): PathMove[] {
  return moves.map(({ kind, from, to }) => ({ kind, from: to, to: from })).reverse();
}

/** Why a name cannot be given to an entry, as a key of the texts. */
export type NameFault = 'empty' | 'slash' | 'dots' | 'control';

/** Returns why a name cannot be used; null if it can. The server decides about what else is in the vault. */
export function nameFault(name: string): NameFault | null {
  const trimmed = name.trim();
  if (trimmed === '') return 'empty';
  if (/[/\\]/.test(trimmed)) return 'slash';
  if (/^\.{1,2}$/.test(trimmed)) return 'dots';
  return /\p{Cc}/u.test(trimmed) ? 'control' : null;
}

/** Returns the path of an entry under another name, as a person types it: notes keep `.md`. */
export function renamedPath({ kind, path, parent }: TreeEntry, name: string): string {
  const trimmed = name.trim();
  const isNote = kind === 'note' && !/\.md$/i.test(trimmed);
  return within(parent, isNote ? `${trimmed}${path.slice(-3)}` : trimmed);
}
