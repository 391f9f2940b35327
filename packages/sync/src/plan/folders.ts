import { folderOf, foldPath } from '@notevault/note-text/paths.ts';
import type { FileState } from './file-states.ts';
import type { Operation } from './operations.ts';
import type { Side } from './side.ts';
import type { Trees } from './trees.ts';

/** Returns the folders' spellings on this side by case-folded path. */
export function foldersOf(
  files: readonly { readonly path: string }[],
  folders: readonly string[],
): Map<string, string> {
  const spellings = new Set<string>();
  const add = (folder: string) => {
    // Where a spelling is known, those above it are.
    for (let at = folder; at !== '' && !spellings.has(at); at = folderOf(at)) spellings.add(at);
  };
  for (const { path } of files) add(folderOf(path));
  const ofFiles = [...spellings];
  spellings.clear();
  for (const folder of folders) add(folder);
  return new Map([...ofFiles, ...spellings].map((folder) => [foldPath(folder), folder]));
}

/**
 * Returns the folder operations. Folders with files appear and disappear with their files; the others are synced by
 * path. A folder that one side removed is removed on the other once it is empty.
 *
 * @param isReadOnly whether the vault is not changed: its folders come back, and those of the disk stay there
 */
export function folderOperations(
  { local, remote, synced }: Trees,
  states: readonly FileState[],
  sides: { readonly local: Side; readonly remote: Side },
  isReadOnly = false,
): Operation[] {
  const inLocal = foldersOf(local.files, local.folders);
  const inRemote = foldersOf(remote.files, remote.folders);
  const inSynced = new Map(synced.folders.map((path) => [foldPath(path), path]));
  const files = new Map<string, FileState>();
  const needed = new Set<string>();
  for (const state of states) {
    if (state.target === null) continue;
    const folded = foldPath(state.target);
    files.set(folded, state);
    for (let folder = folderOf(folded); folder !== '' && !needed.has(folder); folder = folderOf(folder))
      needed.add(folder);
  }
  const isAtFile = atOneOf(files);
  const operations: Operation[] = [];
  const all = new Map([...inSynced, ...inRemote, ...inLocal]);
  /** Folders with a subfolder that stays. */
  const kept = new Set<string>();
  const keepAbove = (path: string) => {
    for (let at = folderOf(path); at !== '' && !kept.has(at); at = folderOf(at)) kept.add(at);
  };
  // Innermost first: a folder can be removed only after its subfolders.
  for (const [folded, path] of [...all].sort(([a], [b]) => b.length - a.length || (a < b ? -1 : 1))) {
    const [s, l, r] = [inSynced.has(folded), inLocal.get(folded), inRemote.get(folded)];
    const isEmpty = { local: !sides.local.hasFilesIn(path), remote: !sides.remote.hasFilesIn(path) };
    const makesWay = isAtFile(folded);
    const stays =
      !makesWay &&
      (needed.has(folded) || kept.has(folded) || !s || (r !== undefined && (isReadOnly || l !== undefined)));
    if (stays) {
      keepAbove(folded);
      if (l !== undefined && r !== undefined) {
        if (!s) operations.push({ type: 'adoptFolder', path: r });
      } else if (!needed.has(folded) && !kept.has(folded)) {
        if (l !== undefined && !isReadOnly) operations.push({ type: 'makeRemoteFolder', path: l });
        else if (r !== undefined) operations.push({ type: 'makeLocalFolder', path: r });
      }
      continue;
    }
    const goesLocally = l !== undefined && isEmpty.local && !kept.has(folded);
    const goesRemotely = r !== undefined && isEmpty.remote && !kept.has(folded);
    if (goesLocally) operations.push({ type: 'removeLocalFolder', path: l });
    if (goesRemotely) operations.push({ type: 'removeRemoteFolder', path: r });
    if (l === undefined && r === undefined) operations.push({ type: 'forgetFolder', path });
    // Its ancestors wait until it has been removed.
    else keepAbove(folded);
  }
  return operations;
}

/** Returns whether a path or one above it is among some: each path is looked at once, however deep they are. */
function atOneOf(paths: ReadonlyMap<string, unknown>): (path: string) => boolean {
  const answers = new Map<string, boolean>();
  return (path) => {
    const below: string[] = [];
    let answer: boolean | undefined;
    for (let at = path; answer === undefined; at = folderOf(at)) {
      answer = at === '' ? false : (answers.get(at) ?? (paths.has(at) || undefined));
      below.push(at);
    }
    for (const at of below) answers.set(at, answer);
    return answer;
  };
}
