import { groupBy } from '@notevault/note-text/group-by.ts';
import { fileName, foldPath } from '@notevault/note-text/paths.ts';
import { agreedHash, kindOf, type LocalFile, type SyncedFile } from './trees.ts';

/** The match between local and synced files. */
export interface Identification {
  /** Local files by the id of their synced file. */
  readonly known: ReadonlyMap<string, LocalFile>;
  /** Local files that match no synced file. */
  readonly fresh: readonly LocalFile[];
}

/**
 * Returns whether a local file may be the synced one although its path is spelled with other case. A rename keeps the
 * file system's id, so where ids differ in a path whose file name is spelled anew, it is another file.
 */
export function canBeSpelledAnew(
  synced: Pick<SyncedFile, 'path' | 'fileId'>,
  local: Pick<LocalFile, 'path' | 'fileId'>,
): boolean {
  const isOther = synced.fileId !== null && local.fileId !== null && synced.fileId !== local.fileId;
  return !isOther || fileName(synced.path) === fileName(local.path);
}

/**
 * Matches local files to synced files, to tell renames from deletions: first by the file system's id, then by path, but
 * for files that have exchanged their paths, then by bytes if both files are still unmatched. A note never matches an
 * attachment.
 */
export function identify(synced: readonly SyncedFile[], local: readonly LocalFile[]): Identification {
  const known = new Map<string, LocalFile>();
  const left = new Set(local);
  let missing = [...synced];
  const take = (find: (file: SyncedFile) => LocalFile | undefined) => {
    missing = missing.filter((file) => {
      const found = find(file);
      if (found === undefined || !left.has(found) || kindOf(found.path) !== kindOf(file.path)) return true;
      known.set(file.id, found);
      left.delete(found);
      return false;
    });
  };

  const recognised = new Map(local.flatMap((file) => (file.id === undefined ? [] : [[file.id, file] as const])));
  take(({ id }) => recognised.get(id));
  const byFileId = new Map(local.flatMap((file) => (file.fileId === null ? [] : [[file.fileId, file] as const])));
  take(({ fileId }) => (fileId === null ? undefined : byFileId.get(fileId)));
  const byPath = new Map(local.map((file) => [file.path, file]));
  const exchanged = exchangedFiles(missing, (path) => byPath.get(path));
  take(({ id }) => exchanged.get(id));
  take(({ path }) => byPath.get(path));
  const byFoldedPath = groupBy(left, ({ path }) => foldPath(path));
  const renamed = (file: SyncedFile) => {
    const [only, ...others] = byFoldedPath.get(foldPath(file.path)) ?? [];
    return only !== undefined && others.length === 0 && canBeSpelledAnew(file, only) ? only : undefined;
  };
  take((file) => (renamed(file)?.hash === agreedHash(file) ? renamed(file) : undefined));
  const byHash = groupBy(left, ({ hash, path }) => `${kindOf(path)} ${hash}`);
  const candidates = (file: SyncedFile) =>
    [agreedHash(file), file.hash]
      .flatMap((hash) => byHash.get(`${kindOf(file.path)} ${hash}`) ?? [])
      .filter((at) => left.has(at));
  take((file) => candidates(file).find(({ path }) => fileName(path) === fileName(file.path)));
  take((file) => candidates(file)[0]);
  // Last, because a disk that distinguishes case may have had both files.
  take(renamed);
  return { known, fresh: [...left] };
}

/**
 * Returns the files of which each has the path of the next one and none was edited, by the id of their synced file: such
 * a circle of contents is one of renames.
 */
function exchangedFiles(
  synced: readonly SyncedFile[],
  at: (path: string) => LocalFile | undefined,
): ReadonlyMap<string, LocalFile> {
  const changed = synced.filter((file) => {
    const there = at(file.path);
    return there !== undefined && there.hash !== agreedHash(file);
  });
  const owners = groupBy(changed, agreedHash);
  const exchanged = new Map<string, LocalFile>();
  for (const start of changed) {
    const circle = new Map<string, LocalFile>();
    let last = start;
    for (let there = at(start.path); there !== undefined; there = at(last.path)) {
      const [owner, ...others] = owners.get(there.hash) ?? [];
      if (owner === undefined || others.length > 0 || circle.has(owner.id)) break;
      circle.set(owner.id, there);
      last = owner;
      if (owner === start) break;
    }
    if (circle.has(start.id)) for (const [id, file] of circle) exchanged.set(id, file);
  }
  return exchanged;
}
