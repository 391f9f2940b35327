import { groupBy } from '@notevault/note-text/group-by.ts';
import { fileName, foldPath } from '@notevault/note-text/paths.ts';
import { agreedHash, kindOf, type LocalFile, type SyncedFile } from './trees.ts';

/** The match between local and synced files. */
export interface Identified {
  /** Local files by the id of their synced file. */
  readonly known: ReadonlyMap<string, LocalFile>;
  /** Local files that match no synced file. */
  readonly fresh: readonly LocalFile[];
}

/**
 * Whether a local file may be the synced one although its path is spelled with other case. A rename keeps the file
 * system's id, so where ids differ in a path whose file name is spelled anew, it is another file.
 */
export function canBeSpelledAnew(
  synced: Pick<SyncedFile, 'path' | 'fileId'>,
  local: Pick<LocalFile, 'path' | 'fileId'>,
): boolean {
  const isOther = synced.fileId !== null && local.fileId !== null && synced.fileId !== local.fileId;
  return !isOther || fileName(synced.path) === fileName(local.path);
}

/**
 * Matches local files to synced files, to tell renames from deletions: first by the file system's id, then by path,
 * then by bytes if both files are still unmatched. A note never matches an attachment.
 */
export function identify(synced: readonly SyncedFile[], local: readonly LocalFile[]): Identified {
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

  const byFileId = new Map(local.flatMap((file) => (file.fileId === null ? [] : [[file.fileId, file] as const])));
  take(({ fileId }) => (fileId === null ? undefined : byFileId.get(fileId)));
  const byPath = new Map(local.map((file) => [file.path, file]));
  take(({ path }) => byPath.get(path));
  const byFoldedPath = groupBy(left, ({ path }) => foldPath(path));
  const renamed = (file: SyncedFile) => {
    const [only, ...others] = byFoldedPath.get(foldPath(file.path)) ?? [];
    return only !== undefined && others.length === 0 && canBeSpelledAnew(file, only) ? only : undefined;
  };
  take((file) => (renamed(file)?.hash === agreedHash(file) ? renamed(file) : undefined));
  const byHash = groupBy(left, ({ hash, path }) => `${kindOf(path)} ${hash}`);
  const candidates = (file: SyncedFile) =>
    byHash.get(`${kindOf(file.path)} ${agreedHash(file)}`)?.filter((at) => left.has(at));
  take((file) => candidates(file)?.find(({ path }) => fileName(path) === fileName(file.path)));
  take((file) => candidates(file)?.[0]);
  // Last, because a disk that distinguishes case may have had both files.
  take(renamed);
  return { known, fresh: [...left] };
}
