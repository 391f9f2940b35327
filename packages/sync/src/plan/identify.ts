import { fileName, foldPath } from '@notevault/note-text/paths.ts';
import { kindOf, type LocalFile, type SyncedFile } from './trees.ts';

/** The match between local and synced files. */
export interface Identified {
  /** Local files by the id of their synced file. */
  readonly known: ReadonlyMap<string, LocalFile>;
  /** Local files that match no synced file. */
  readonly fresh: readonly LocalFile[];
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
  const byFoldedPath = Map.groupBy(left, ({ path }) => foldPath(path));
  take(({ path }) => {
    const [only, ...others] = byFoldedPath.get(foldPath(path)) ?? [];
    return others.length === 0 ? only : undefined;
  });
  const byHash = Map.groupBy(left, ({ hash, path }) => `${kindOf(path)} ${hash}`);
  const candidates = (file: SyncedFile) =>
    byHash.get(`${kindOf(file.path)} ${file.hash}`)?.filter((at) => left.has(at));
  take((file) => candidates(file)?.find(({ path }) => fileName(path) === fileName(file.path)));
  take((file) => candidates(file)?.[0]);
  return { known, fresh: [...left] };
}
