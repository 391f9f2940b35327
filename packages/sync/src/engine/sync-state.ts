import { foldPath } from '@notevault/note-text/paths.ts';
import { eachInSteps, withRests } from '../plan/steps.ts';
import type { RemoteFile, SyncedFile } from '../plan/trees.ts';
import type { Deletion, DiskFile, Intent, Refusal, StateChange, StateStore } from './ports.ts';

/** The stored state in memory. A recorded change is visible at once and persisted by the next `commit`. */
export class SyncState {
  readonly synced = new Map<string, SyncedFile>();
  /** Spellings by case-folded path. */
  readonly folders = new Map<string, string>();
  readonly remote = new Map<string, RemoteFile>();
  remoteFolders: readonly string[] = [];
  remoteFoldersSeq: number | null = null;
  cursor: string | null = null;
  isReadOnly = false;
  readonly refused = new Map<string, Refusal>();
  deletions: readonly Deletion[] = [];
  /** The file that a download replaced, by id: what a program that had it open writes later is an edit of its content. */
  readonly replaced = new Map<string, { readonly fileId: string; readonly hash: string }>();
  /** By key: see `keyOfIntent`. */
  readonly intents = new Map<string, Intent>();
  readonly #hashes = new Map<string, { file: DiskFile; readonly hash: string }>();
  readonly #store: StateStore;
  readonly #flushDisk: () => Promise<void>;
  #pending: StateChange[] = [];
  #committed: Promise<void> = Promise.resolve();
  /** The commit that has not begun yet. */
  #next: Promise<void> | null = null;

  private constructor(store: StateStore, flushDisk: () => Promise<void>) {
    this.#store = store;
    this.#flushDisk = flushDisk;
  }

  /**
   * @param flushDisk makes the changes on the disk durable, which the state must never be ahead of.
   * @param rest see EngineOptions
   */
  static async load(
    store: StateStore,
    flushDisk: () => Promise<void>,
    rest: () => Promise<void> = async () => undefined,
  ): Promise<SyncState> {
    const state = new SyncState(store, flushDisk);
    const { synced, folders, remote, hashes, refused, intents, ...stored } = await store.load();
    const each = <Row>(rows: readonly Row[], set: (row: Row) => void) => withRests(eachInSteps(rows, set), rest);
    await each(synced, (file) => state.synced.set(file.id, file));
    await each(folders, (path) => state.folders.set(foldPath(path), path));
    await each(remote, (file) => state.remote.set(file.id, file));
    await each(hashes, ({ hash, ...file }) => state.#hashes.set(file.path, { file, hash }));
    for (const refusal of refused) state.refused.set(refusal.key, refusal);
    state.remoteFolders = stored.remoteFolders;
    state.remoteFoldersSeq = stored.remoteFoldersSeq;
    state.cursor = stored.cursor;
    state.isReadOnly = stored.isReadOnly;
    state.deletions = stored.deletions;
    for (const intent of intents) state.intents.set(keyOfIntent(intent), intent);
    return state;
  }

  /** Returns the cached hash of a file whose listing has not changed since it was hashed. */
  hashOf(file: DiskFile): string | undefined {
    const known = this.#hashes.get(file.path);
    if (known === undefined || (known.file !== file && !isAlike(known.file, file))) return undefined;
    // The disk keeps its listing, and a second one of each file would take megabytes.
    known.file = file;
    return known.hash;
  }

  /** Returns the last listing of a path that was hashed. */
  lastSeen(path: string): { readonly file: DiskFile; readonly hash: string } | undefined {
    return this.#hashes.get(path);
  }

  get hashedPaths(): Iterable<string> {
    return this.#hashes.keys();
  }

  record(...changes: readonly StateChange[]): void {
    for (const change of changes) this.#apply(change);
    this.#pending.push(...changes);
  }

  /** Stores requests that are about to be sent. */
  async intend(...intents: readonly Intent[]): Promise<void> {
    for (const intent of intents) this.record({ type: 'intent', key: keyOfIntent(intent), intent });
    await this.commit();
  }

  /** Records that the outcome of a request is known. */
  settled(intent: Intent): void {
    this.record({ type: 'settled', key: keyOfIntent(intent) });
  }

  /**
   * Commits one after another, because a later change of a row must not be overwritten by an earlier one. Whoever calls
   * while one runs shares the next.
   */
  commit(): Promise<void> {
    if (this.#next !== null) return this.#next;
    const next = this.#committed.then(async () => {
      this.#next = null;
      const changes = this.#pending;
      this.#pending = [];
      if (changes.length === 0) return;
      await this.#flushDisk();
      await this.#store.commit(changes);
    });
    this.#next = next;
    this.#committed = next.catch(() => undefined);
    return next;
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
        this.remoteFoldersSeq = change.seq;
        return;
      case 'cursor':
        this.cursor = change.cursor;
        return;
      case 'access':
        this.isReadOnly = change.isReadOnly;
        return;
      case 'hash':
        this.#hashes.set(change.file.path, { file: change.file, hash: change.hash });
        return;
      case 'hashGone':
        this.#hashes.delete(change.path);
        return;
      case 'refused':
        this.refused.set(change.refusal.key, change.refusal);
        return;
      case 'retried':
        this.refused.delete(change.key);
        return;
      case 'intent':
        this.intents.set(change.key, change.intent);
        return;
      case 'settled':
        this.intents.delete(change.key);
        return;
      case 'deletions':
        this.deletions = change.deletions;
        return;
      case 'baseText':
        return;
    }
  }
}

/** Returns the key of an intent: a later one with the same key replaces it, because it has the same effect or undoes it. */
export function keyOfIntent(
  intent: Exclude<Intent, { type: 'create' }> | Pick<Extract<Intent, { type: 'create' }>, 'type' | 'path'>,
): string {
  if (intent.type === 'create') return `create ${foldPath(intent.path)}`;
  const effect = intent.type === 'push' || intent.type === 'put' ? 'content' : intent.type;
  return `${effect} ${intent.id}`;
}

/** Returns whether two listings of a path are of the same bytes. */
export function isAlike(a: DiskFile, b: DiskFile): boolean {
  return a.size === b.size && a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs && a.fileId === b.fileId;
}
