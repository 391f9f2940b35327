import { foldPath } from '@notevault/note-text/paths.ts';
import type { FileState } from './file-states.ts';
import type { PathChange } from './side.ts';

/** A folder that moves with all its contents. */
export interface FolderMove {
  readonly from: string;
  readonly to: string;
  readonly states: readonly FileState[];
}

/**
 * Finds folders whose files all move to the same new folder. One folder move replaces the file moves and also moves
 * ignored files. Of nested candidates the outermost is returned.
 *
 * @param present the paths of all files of the side.
 * @param isFree whether a folder's new path is free.
 */
export function folderMoves(
  changes: readonly PathChange[],
  present: readonly string[],
  isFree: (folder: string) => boolean,
): FolderMove[] {
  const groups = new Map<string, { from: string; to: string; states: FileState[] }>();
  for (const { state, from, to } of changes) {
    const folder = movedFolder(from, to);
    if (folder === null) continue;
    const key = `${folder.from}\0${folder.to}`;
    const group = groups.get(key) ?? { ...folder, states: [] };
    group.states.push(state);
    groups.set(key, group);
  }
  const counts = countBelow(
    [...groups.values()].map(({ from }) => from),
    present,
  );
  const whole = [...groups.values()].filter(({ from, to, states }) => {
    const onlyCase = foldPath(from) === foldPath(to);
    return counts.get(foldPath(from)) === states.length && (onlyCase || isFree(to));
  });
  const chosen: FolderMove[] = [];
  for (const move of whole.sort((a, b) => b.states.length - a.states.length)) {
    const isApart = chosen.every((other) => [move.from, move.to].every((folder) => isOutside(folder, other)));
    if (isApart) chosen.push(move);
  }
  return chosen;
}

/**
 * Returns the outermost folder whose move explains a file's move; null when the file name changes or the file leaves
 * its folder.
 */
function movedFolder(from: string, to: string): { from: string; to: string } | null {
  const [a, b] = [from.split('/'), to.split('/')];
  let common = 0;
  while (common < Math.min(a.length, b.length) - 1 && a.at(-1 - common) === b.at(-1 - common)) common++;
  if (common === 0) return null;
  const folders = { from: a.slice(0, a.length - common).join('/'), to: b.slice(0, b.length - common).join('/') };
  const [below, above] = [foldPath(folders.from), foldPath(folders.to)];
  // A folder cannot move into itself or replace one of its ancestors.
  return above.startsWith(`${below}/`) || below.startsWith(`${above}/`) ? null : folders;
}

function countBelow(folders: readonly string[], present: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map(folders.map((folder) => [foldPath(folder), 0]));
  for (const path of present) {
    const folded = foldPath(path);
    for (let at = folded.lastIndexOf('/'); at > 0; at = folded.lastIndexOf('/', at - 1)) {
      const folder = folded.slice(0, at);
      const count = counts.get(folder);
      if (count !== undefined) counts.set(folder, count + 1);
    }
  }
  return counts;
}

/**
 * Returns whether a folder neither contains nor lies in the source or destination of a move. Moves must be independent
 * because they run in any order.
 */
function isOutside(folder: string, { from, to }: FolderMove): boolean {
  const folded = foldPath(folder);
  return [from, to]
    .map(foldPath)
    .every((other) => !`${folded}/`.startsWith(`${other}/`) && !`${other}/`.startsWith(`${folded}/`));
}
