import { ancestorsOf, folderOf, foldPath } from '@notevault/note-text/paths.ts';
import type { FileState } from './file-states.ts';
import { conflictPath } from './names.ts';
import { eachInSteps, type Steps } from './steps.ts';

/**
 * Gives each path to at most one file, and no file the path of a folder. A file that the server has at the path keeps
 * it; the other becomes a conflict copy. Two local files whose names differ only by case stay unchanged and are
 * reported as a problem for the user.
 *
 * @param label the label in the name of a conflict copy.
 * @param canStore whether a path can be stored on every common disk.
 */
export function* settleNames(
  states: readonly FileState[],
  label: string,
  canStore: (path: string) => boolean,
): Steps<void> {
  const owners = new Map<string, FileState>();
  const isTaken = (folded: string) => owners.has(folded);
  const makeWay = (state: FileState, path: string) => {
    state.target = conflictPath(path, label, isTaken);
    state.decidedBy = 'local';
    state.conflict = true;
    owners.set(foldPath(state.target), state);
  };

  const losers: FileState[] = [];
  yield* eachInSteps(byPrecedence(states), (state) => {
    if (state.target === null) return;
    const folded = foldPath(state.target);
    const owner = owners.get(folded);
    if (owner === undefined) owners.set(folded, state);
    else if (isCaseTwin(owner, state)) state.problem = 'case';
    else losers.push(state);
  });
  for (const state of losers) makeWay(state, state.target ?? '');
  if (hasFileAsFolder(states, owners)) {
    for (const state of states) {
      if (state.target === null || state.problem !== null) continue;
      for (const folder of ancestorsOf(state.target)) separate(owners.get(foldPath(folder)), state, folder, makeWay);
    }
  }
  yield* eachInSteps(states, (state) => {
    const { target, local, remote } = state;
    if (target === null || (local?.path === target && remote?.path === target) || canStore(target)) return;
    state.problem ??= local?.path === target ? 'name here' : 'name';
  });
}

/** Returns whether any file has the path of a folder with files. */
function hasFileAsFolder(states: readonly FileState[], owners: ReadonlyMap<string, FileState>): boolean {
  const folders = new Set<string>();
  for (const { target } of states) {
    if (target === null) continue;
    for (let folder = folderOf(target); folder !== '' && !folders.has(folder); folder = folderOf(folder)) {
      if (owners.has(foldPath(folder))) return true;
      folders.add(folder);
    }
  }
  return false;
}

/** Orders files already at their target on the server first, then those known to both sides, then new ones. */
function byPrecedence(states: readonly FileState[]): FileState[] {
  const ranks: [FileState[], FileState[], FileState[]] = [[], [], []];
  for (const state of states) {
    const { remote, synced, target } = state;
    ranks[remote?.path === target ? 0 : synced === null ? 2 : 1].push(state);
  }
  const [atTarget, ...others] = ranks;
  // No two files are at one path on the server, so the order of the first ones makes no difference.
  return [...atTarget, ...others.flatMap((rank) => rank.sort((a, b) => (a.key < b.key ? -1 : 1)))];
}

function isCaseTwin(owner: FileState, state: FileState): boolean {
  const [a, b] = [owner.local?.path, state.local?.path];
  return a !== undefined && b !== undefined && a !== b && foldPath(a) === foldPath(b);
}

/** Resolves a file at the path of a folder that contains the other file: the one that the server has there stays. */
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
