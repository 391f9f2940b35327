import { ancestorsOf, foldPath } from '@notevault/note-text/paths.ts';
import type { FileState } from './file-states.ts';
import { conflictPath } from './names.ts';

/**
 * Makes sure that every path is given to one file, and that no file has the path of a folder. A file that the server has
 * at the path keeps it; another makes way under the name of a conflict copy. Two local files whose names differ by case
 * alone stay what they are, as a problem that a person has to settle.
 *
 * @param label what stands in the name of a conflict copy.
 * @param canStore whether the disk can hold a path.
 */
export function settleNames(states: readonly FileState[], label: string, canStore: (path: string) => boolean): void {
  const owners = new Map<string, FileState>();
  const isTaken = (folded: string) => owners.has(folded);
  const makeWay = (state: FileState, path: string) => {
    state.target = conflictPath(path, label, isTaken);
    state.decidedBy = 'local';
    state.conflict = true;
    owners.set(foldPath(state.target), state);
  };

  const losers: FileState[] = [];
  for (const state of [...states].sort(byPrecedence)) {
    if (state.target === null) continue;
    const owner = owners.get(foldPath(state.target));
    if (owner === undefined) owners.set(foldPath(state.target), state);
    else if (isCaseTwin(owner, state)) state.problem = 'case';
    else losers.push(state);
  }
  for (const state of losers) makeWay(state, state.target ?? '');
  for (const state of states) {
    if (state.target === null || state.problem !== null) continue;
    for (const folder of ancestorsOf(state.target)) separate(owners.get(foldPath(folder)), state, folder, makeWay);
  }
  for (const state of states) {
    if (state.target !== null && state.local?.path !== state.target && !canStore(state.target))
      state.problem ??= 'name';
  }
}

/** Files that are at their target on the server come first, then those that both sides know, then new ones. */
function byPrecedence(a: FileState, b: FileState): number {
  const rank = ({ remote, synced, target }: FileState) => (remote?.path === target ? 0 : synced === null ? 2 : 1);
  return rank(a) - rank(b) || (a.key < b.key ? -1 : 1);
}

function isCaseTwin(owner: FileState, state: FileState): boolean {
  const [a, b] = [owner.local?.path, state.local?.path];
  return a !== undefined && b !== undefined && a !== b && foldPath(a) === foldPath(b);
}

/** One of them is a file at the path of a folder that the other lies in: whichever the server has there stays. */
function separate(
  file: FileState | undefined,
  inside: FileState,
  folder: string,
  makeWay: (state: FileState, path: string) => void,
): void {
  if (file === undefined || file === inside || file.target === null || file.problem !== null) return;
  if (file.remote?.path !== file.target && file.local !== null) makeWay(file, file.target);
  else if (inside.local !== null && inside.remote?.path !== inside.target) {
    makeWay(inside, `${folder} ${(inside.target ?? '').slice(folder.length + 1).replaceAll('/', ' ')}`);
  }
}
