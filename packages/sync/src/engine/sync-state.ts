import { foldPath } from '@notevault/note-text/paths.ts';
import type { RemoteFile, SyncedFile } from '../plan/trees.ts';
import type { DiskFile, StateChange, StateStore } from './ports.ts';

/** The stored state in memory. A recorded change is visible at once and persisted by the next `commit`. */
export class SyncState {
  readonly synced = new Map<string, SyncedFile>();
  /** Spellings by case-folded path. */
  readonly folders = new Map<string, string>();
  readonly remote = new Map<string, RemoteFile>();
  remoteFolders: readonly string[] = [];
  cursor: string | null = null;
  readonly #hashes = new Map<string, DiskFile & { readonly hash: string }>();
  readonly #store: StateStore;
  #pending: StateChange[] = [];

  private constructor(store: StateStore) {
    this.#store = store;
  }

  static async load(store: StateStore): Promise<SyncState> {
    const state = new SyncState(store);
    const { synced, folders, remote, remoteFolders, cursor, hashes } = await store.load();
    for (const file of synced) state.synced.set(file.id, file);
    for (const path of folders) state.folders.set(foldPath(path), path);
    for (const file of remote) state.remote.set(file.id, file);
    for (const file of hashes) state.#hashes.set(file.path, file);
    state.remoteFolders = remoteFolders;
    state.cursor = cursor;
    return state;
  }

  /** Returns the cached hash of a file whose listing has not changed since it was hashed. */
  hashOf({ path, size, mtimeMs, fileId }: DiskFile): string | undefined {
    const known = this.#hashes.get(path);
    const isSame = known?.size === size && known.mtimeMs === mtimeMs && known.fileId === fileId;
    return isSame ? known?.hash : undefined;
  }

  /** Returns the last listing of a path that was hashed. */
  lastSeen(path: string): (DiskFile & { readonly hash: string }) | undefined {
    return this.#hashes.get(path);
  }

  get hashedPaths(): Iterable<string> {
    return this.#hashes.keys();
  }

  record(...changes: readonly StateChange[]): void {
    for (const change of changes) this.#apply(change);
    this.#pending.push(...changes);
  }

  async commit(): Promise<void> {
    const changes = this.#pending;
    this.#pending = [];
    if (changes.length > 0) await this.#store.commit(changes);
  }

  baseText(hash: string): Promise<string | null> {
    return this.#store.baseText(hash);
  }

  #apply(change: StateChange): void {
    switch (change.type) {
      case 'synced':
        this.synced.set(change.file.id, change.file);
        return;
      case 'unsynced':
        this.synced.delete(change.id);
        return;
      case 'folder':
        if (change.isSynced) this.folders.set(foldPath(change.path), change.path);
        else this.folders.delete(foldPath(change.path));
        return;
      case 'remote':
        this.remote.set(change.file.id, change.file);
        return;
      case 'remoteGone':
        this.remote.delete(change.id);
        return;
      case 'remoteFolders':
        this.remoteFolders = change.paths;
        return;
      case 'cursor':
        this.cursor = change.cursor;
        return;
      case 'hash':
        this.#hashes.set(change.file.path, { ...change.file, hash: change.hash });
        return;
      case 'hashGone':
        this.#hashes.delete(change.path);
        return;
      case 'baseText':
        return;
    }
  }
}
