import { ancestorsOf, folderOf, foldPath } from '@notevault/note-text/paths.ts';
import { foldersOf } from './folders.ts';
import { eachInSteps, type Steps } from './steps.ts';
import type { LocalFile, RemoteFile, SyncedFile, Trees } from './trees.ts';

/** Trees without the files and folders that are in sync. */
export interface Differing {
  readonly trees: Trees;
  /**
   * Whether a plan of these trees is one of all, if it moves nothing: no file that was left out is at, above or below the
   * path of one that was not.
   */
  readonly isApart: boolean;
}

/**
 * Leaves out what is in sync, because most of a vault is, and one look at each file costs a tenth of planning for it. A
 * plan of what is left may lack what depends on other files: see `isApart`.
 */
export function* differing({ local, remote, synced }: Trees): Steps<Differing> {
  const localAt = new Map(local.files.map((file) => [file.path, file]));
  yield;
  const remoteOf = new Map(remote.files.map((file) => [file.id, file]));
  yield;
  const left: SyncedFile[] = [];
  const equal: LocalFile[] = [];
  const equalRemotely = new Set<RemoteFile>();
  yield* eachInSteps(synced.files, (file) => {
    const [here, there] = [localAt.get(file.path), remoteOf.get(file.id)];
    if (here === undefined || there === undefined || !isInSync(file, here, there) || !localAt.delete(file.path))
      left.push(file);
    else {
      equal.push(here);
      equalRemotely.add(there);
    }
  });
  const files = {
    local: local.files.length === equal.length ? [] : local.files.filter((file) => localAt.get(file.path) === file),
    remote: remote.files.length === equal.length ? [] : remote.files.filter((file) => !equalRemotely.has(file)),
    synced: left,
  };
  const paths = [...files.local, ...files.remote, ...left].map(({ path }) => foldPath(path));
  const folders = yield* foldersThatDiffer({ local, remote, synced }, paths.flatMap(ancestorsOf));
  const at = new Set(paths);
  const isApart =
    !folders.all.some((folder) => isAtOrBelow(folder, at)) &&
    !(yield* hasPathNear(equal, at, folders.differing)) &&
    !hasIdOf(equal, [...files.local, ...left]);
  const side = <File>(of: readonly File[], among: readonly string[]) => ({ files: of, folders: among });
  return {
    trees: {
      local: side(files.local, folders.local),
      remote: side(files.remote, folders.remote),
      synced: side(files.synced, folders.synced),
    },
    isApart,
  };
}

function isInSync(synced: SyncedFile, local: LocalFile, remote: RemoteFile): boolean {
  return (
    remote.path === synced.path &&
    local.hash === synced.hash &&
    remote.hash === synced.hash &&
    remote.version === synced.version &&
    local.fileId === synced.fileId &&
    synced.pushed === null
  );
}

/** Returns whether a path, or that of a folder above it, is among `at`. */
function isAtOrBelow(folded: string, at: ReadonlySet<string>): boolean {
  for (let path = folded; path !== ''; path = folderOf(path)) if (at.has(path)) return true;
  return false;
}

/**
 * Returns whether one of the files has the path of a folder that differs, or is at or below the path of a file that
 * does.
 */
function* hasPathNear(
  equal: readonly LocalFile[],
  at: ReadonlySet<string>,
  folders: ReadonlySet<string>,
): Steps<boolean> {
  if (at.size === 0 && folders.size === 0) return false;
  let isNear = false;
  yield* eachInSteps(equal, ({ path }) => {
    if (isNear) return;
    const folded = foldPath(path);
    isNear = folders.has(folded) || isAtOrBelow(folded, at);
  });
  return isNear;
}

/** Returns whether the file system's id of one of the others is that of a file in sync. */
function hasIdOf(equal: readonly LocalFile[], others: readonly Pick<LocalFile, 'fileId'>[]): boolean {
  const ids = new Set(others.map(({ fileId }) => fileId));
  ids.delete(null);
  return ids.size > 0 && equal.some(({ fileId }) => ids.has(fileId));
}

/**
 * Returns the folders that some side lacks, with those above them and above files that differ; and all folders, folded.
 */
function* foldersThatDiffer({ local, remote, synced }: Trees, above: readonly string[]) {
  const inLocal = foldersOf(local.files, local.folders);
  yield;
  const inRemote = foldersOf(remote.files, remote.folders);
  yield;
  const inSynced = new Map(synced.folders.map((path) => [foldPath(path), path]));
  const all = [...new Set([...inLocal.keys(), ...inRemote.keys(), ...inSynced.keys()])];
  const differing = new Set(above);
  for (const folded of all) {
    if (inLocal.has(folded) && inRemote.has(folded) && inSynced.has(folded)) continue;
    // A side that has a folder has those above it; where one differs, those above it already do.
    for (let at = folded; at !== '' && !differing.has(at); at = folderOf(at)) differing.add(at);
  }
  const of = (folders: ReadonlyMap<string, string>) =>
    [...folders].filter(([folded]) => differing.has(folded)).map(([, path]) => path);
  return {
    local: of(inLocal),
    remote: of(inRemote),
    synced: of(inSynced),
    all,
    differing,
  };
}
