import { fileName, foldPath } from '@notevault/note-text/paths.ts';
import { isSetting } from '../rules/settings-files.ts';
import { identify } from './identify.ts';
import type { ProblemReason } from './operations.ts';
import { agreedHash, kindOf, type LocalFile, type RemoteFile, type SyncedFile, type Trees } from './trees.ts';

/** Side that determines a file's path. A path that the server already has needs no decision. */
export type DecidedBy = 'remote' | 'local' | 'both';

/** A file in all three trees, and its target path. */
export interface FileState {
  /** The server's id, or an id that begins with `new ` for a file that the server does not have. */
  readonly key: string;
  readonly synced: SyncedFile | null;
  readonly local: LocalFile | null;
  readonly remote: RemoteFile | null;
  /** The path it gets on both sides; null when it is deleted. */
  target: string | null;
  decidedBy: DecidedBy;
  /** Whether it is renamed to a conflict copy because another file takes its path. */
  conflict: boolean;
  /** Why the file stays at its path although `target` differs. */
  problem: ProblemReason | null;
}

/**
 * Returns whether two paths differ only by the case of their folders. Moving the file cannot change that; moving the
 * folder can.
 */
export function isSamePlace(a: string, b: string): boolean {
  return a === b || (fileName(a) === fileName(b) && foldPath(a) === foldPath(b));
}

/**
 * Returns every file of the three trees once, with the target path that the changes on both sides give it.
 *
 * @param isReadOnly whether only the changes of the vault count
 */
export function fileStates({ local, remote, synced }: Trees, isReadOnly = false): FileState[] {
  const { known, fresh } = identify(synced.files, local.files);
  const syncedOf = new Map(synced.files.map((file) => [file.id, file]));
  const remoteOf = new Map(remote.files.map((file) => [file.id, file]));
  const states = [...new Set([...syncedOf.keys(), ...remoteOf.keys()])].map((id) => {
    const trees = {
      synced: syncedOf.get(id) ?? null,
      local: known.get(id) ?? null,
      remote: remoteOf.get(id) ?? null,
    };
    return {
      key: id,
      ...trees,
      ...(isReadOnly ? destinationInVault(trees) : destination(trees)),
      conflict: false,
      problem: null,
    };
  });
  return withFresh(states, fresh);
}

/**
 * Returns whether a local file has a content that the server has or had: the agreed one, or what the server made of it.
 */
export function isUnedited({ hash }: Pick<LocalFile, 'hash'>, synced: SyncedFile): boolean {
  return hash === agreedHash(synced) || hash === synced.hash;
}

type ObservedState = Pick<FileState, 'synced' | 'local' | 'remote'>;

function destination({ synced, local, remote }: ObservedState): Pick<FileState, 'target' | 'decidedBy'> {
  if (synced === null) return { target: remote?.path ?? null, decidedBy: 'remote' };
  const movedTo = (path: string) => (path === synced.path ? null : path);
  const remotePath = remote === null ? null : movedTo(remote.path);
  const localPath = local === null ? null : movedTo(local.path);
  const changedRemotely = remote !== null && (remote.hash !== agreedHash(synced) || remotePath !== null);
  const changedLocally = local !== null && (!isUnedited(local, synced) || localPath !== null);
  // A change wins over a deletion on the other side.
  if (local === null) return { target: changedRemotely ? (remote?.path ?? null) : null, decidedBy: 'remote' };
  if (remote === null) return { target: changedLocally ? local.path : null, decidedBy: 'local' };
  if (remotePath !== null) return { target: remotePath, decidedBy: 'remote' };
  if (localPath !== null) return { target: localPath, decidedBy: 'local' };
  return { target: synced.path, decidedBy: 'both' };
}

/** Returns the target where only the vault decides; a local file that was edited is not deleted with the vault's. */
function destinationInVault({ synced, local, remote }: ObservedState): Pick<FileState, 'target' | 'decidedBy'> {
  if (remote !== null) return { target: remote.path, decidedBy: 'remote' };
  const isEdited = synced !== null && local !== null && !isUnedited(local, synced);
  return { target: isEdited ? local.path : null, decidedBy: 'local' };
}

/**
 * Adds the new local files. If the server has a new file with equal bytes at the same path, both are the same file; of
 * a settings file whatever its bytes are.
 * This also holds for the local copy of a file that the server deleted: it may have been recreated there under another
 * id.
 */
function withFresh(states: FileState[], fresh: readonly LocalFile[]): FileState[] {
  const added = states.filter(({ synced, remote }) => synced === null && remote !== null);
  const addedAt = new Map(added.map((state) => [foldPath(state.remote?.path ?? ''), state]));
  const adopted = new Map<FileState, LocalFile>();
  const others: FileState[] = [];
  const adopt = (local: LocalFile): boolean => {
    const there = addedAt.get(foldPath(local.path));
    const isEqual = there?.remote?.hash === local.hash && kindOf(there.remote.path) === kindOf(local.path);
    const isSame = isEqual || (isSetting(local.path) && there?.remote?.path === local.path);
    if (there === undefined || !isSame || adopted.has(there)) return false;
    adopted.set(there, local);
    return true;
  };
  const moved = new Set(
    states.filter(({ synced, local, remote }) => synced !== null && local !== null && remote === null && adopt(local)),
  );
  for (const local of fresh) {
    if (!adopt(local)) {
      others.push({
        key: `new ${local.path}`,
        synced: null,
        local,
        remote: null,
        target: local.path,
        decidedBy: 'local',
        conflict: false,
        problem: null,
      });
    }
  }
  const known = states.map((state) =>
    moved.has(state)
      ? { ...state, local: null, target: null }
      : { ...state, local: state.local ?? adopted.get(state) ?? null },
  );
  return [...known, ...others];
}
