import { foldPath } from '@notevault/note-text/paths.ts';
import { identify } from '../plan/identify.ts';
import type { Operation } from '../plan/operations.ts';
import { kindOf, type RemoteFile, type SyncedFile, type Trees } from '../plan/trees.ts';
import type { StateChange } from './ports.ts';

/*
 * A user's decisions for one side. Each changes only the agreed state, so that the planner sees a change on the side
 * that is to win, and none on the other; the operations that follow have all their usual preconditions.
 */

/** A hash that no file has: a file with this base counts as changed on both sides, and a change wins over a deletion. */
const NO_HASH = '';

/** Returns the state changes that turn each stopped operation into its opposite. */
export function putBack(operations: readonly Operation[], { local, remote, synced }: Trees): StateChange[] {
  const syncedOf = new Map(synced.files.map((file) => [file.id, file]));
  const remoteOf = new Map(remote.files.map((file) => [file.id, file]));
  const localAt = new Map(local.files.map((file) => [file.path, file]));
  const changed = (file: SyncedFile | undefined, base: Partial<SyncedFile>): StateChange[] =>
    file === undefined ? [] : [{ type: 'synced', file: { ...file, pushed: null, ...base } }];
  return operations.flatMap((operation) => {
    switch (operation.type) {
      case 'deleteLocal':
      case 'deleteRemote':
        return changed(syncedOf.get(operation.id), { hash: NO_HASH, version: null });
      case 'pushContent': {
        const here = localAt.get(operation.localPath);
        return here === undefined ? [] : changed(syncedOf.get(operation.id), { hash: here.hash });
      }
      case 'writeLocal': {
        const there = remoteOf.get(operation.id);
        if (operation.over === null || there === undefined) return [];
        return changed(syncedOf.get(operation.id), { hash: there.hash, version: there.version });
      }
      default:
        return [];
    }
  });
}

/** Returns the state changes after which the folder has no changes of its own, so that it takes those of the vault. */
export function followServer({ local, remote, synced }: Trees): StateChange[] {
  const { known, fresh } = identify(synced.files, local.files);
  const remoteAt = new Map(remote.files.map((file) => [foldPath(file.path), file]));
  const changes: StateChange[] = synced.files.map((file) => {
    const here = known.get(file.id);
    if (here === undefined) return { type: 'unsynced', id: file.id };
    return { type: 'synced', file: { ...file, path: here.path, hash: here.hash, fileId: here.fileId, pushed: null } };
  });
  const taken = new Set(known.keys());
  for (const { path, hash, fileId } of fresh) {
    const there = remoteAt.get(foldPath(path));
    const isSame = there !== undefined && !taken.has(there.id) && kindOf(there.path) === kindOf(path);
    // A file that the vault never had counts as one that it deleted.
    const id = isSame ? there.id : `only here ${path}`;
    taken.add(id);
    const version = isSame ? there.version : null;
    changes.push({ type: 'synced', file: { id, path, hash, version, fileId, pushed: null } });
  }
  for (const path of local.folders) changes.push({ type: 'folder', path, isSynced: true });
  return changes;
}

/** Returns the state changes after which the vault has no changes of its own, so that it takes those of the folder. */
export function makeAuthoritative({ local, remote, synced }: Trees): StateChange[] {
  const { known } = identify(synced.files, local.files);
  const there = new Set(remote.files.map(({ id }) => id));
  const agreed = remote.files.map(
    ({ id, path, hash, version }): StateChange => ({
      type: 'synced',
      file: { id, path, hash, version, fileId: known.get(id)?.fileId ?? null, pushed: null },
    }),
  );
  const deleted = synced.files.flatMap((file): StateChange[] =>
    there.has(file.id) ? [] : [{ type: 'synced', file: { ...file, hash: NO_HASH, version: null, pushed: null } }],
  );
  const folders = remote.folders.map((path): StateChange => ({ type: 'folder', path, isSynced: true }));
  return [...agreed, ...deleted, ...folders];
}

/** Returns the agreed files once the changes are recorded. */
export function syncedAfter({ synced }: Trees, changes: readonly StateChange[]): SyncedFile[] {
  const files = new Map(synced.files.map((file) => [file.id, file]));
  for (const change of changes) {
    if (change.type === 'synced') files.set(change.file.id, change.file);
    if (change.type === 'unsynced') files.delete(change.id);
  }
  return [...files.values()];
}

/** Returns the files of the vault whose present content operations would remove. */
export function overwrittenRemotely(operations: readonly Operation[], { remote }: Trees): RemoteFile[] {
  const ids = new Set(
    operations.flatMap((operation) =>
      operation.type === 'deleteRemote' || operation.type === 'pushContent' ? [operation.id] : [],
    ),
  );
  return remote.files.filter(({ id }) => ids.has(id));
}
