import type { StateChange, StateStore, StoredState } from '../../src/engine/ports.ts';

type Keyed<Item> = Map<string, Item>;

/** The persisted state of a device: what was committed survives its process. */
export class SimStore implements StateStore {
  readonly #synced: Keyed<StoredState['synced'][number]> = new Map();
  readonly #folders = new Set<string>();
  readonly #remote: Keyed<StoredState['remote'][number]> = new Map();
  readonly #hashes: Keyed<StoredState['hashes'][number]> = new Map();
  readonly #refused: Keyed<StoredState['refused'][number]> = new Map();
  readonly #intents: Keyed<StoredState['intents'][number]> = new Map();
  #deletions: StoredState['deletions'] = [];
  readonly #texts = new Map<string, string>();
  #remoteFolders: readonly string[] = [];
  #remoteFoldersSeq: number | null = null;
  #cursor: string | null = null;
  #isReadOnly = false;
  turn: () => Promise<void> = () => Promise.resolve();

  /** Returns a store with the state that this one has now. */
  copied(): SimStore {
    const copy = new SimStore();
    for (const [from, to] of [
      [this.#synced, copy.#synced],
      [this.#remote, copy.#remote],
      [this.#hashes, copy.#hashes],
      [this.#refused, copy.#refused],
      [this.#intents, copy.#intents],
      [this.#texts, copy.#texts],
    ] as [Map<string, unknown>, Map<string, unknown>][])
      for (const [key, value] of from) to.set(key, value);
    for (const path of this.#folders) copy.#folders.add(path);
    copy.#deletions = this.#deletions;
    copy.#remoteFolders = this.#remoteFolders;
    copy.#remoteFoldersSeq = this.#remoteFoldersSeq;
    copy.#cursor = this.#cursor;
    copy.#isReadOnly = this.#isReadOnly;
    return copy;
  }

  async load(): Promise<StoredState> {
    return {
      synced: [...this.#synced.values()],
      folders: [...this.#folders],
      remote: [...this.#remote.values()],
      remoteFolders: this.#remoteFolders,
      remoteFoldersSeq: this.#remoteFoldersSeq,
      cursor: this.#cursor,
      isReadOnly: this.#isReadOnly,
      hashes: [...this.#hashes.values()],
      refused: [...this.#refused.values()],
      deletions: this.#deletions,
      intents: [...this.#intents.values()],
    };
  }

  async commit(changes: readonly StateChange[]): Promise<void> {
    await this.turn();
    for (const change of changes) this.#apply(change);
    await this.turn();
  }

  async baseText(hash: string): Promise<string | null> {
    await this.turn();
    return this.#texts.get(hash) ?? null;
  }

  #apply(change: StateChange): void {
    switch (change.type) {
      case 'synced':
        this.#synced.set(change.file.id, change.file);
        return;
      case 'unsynced':
        this.#synced.delete(change.id);
        return;
      case 'folder':
        if (change.isSynced) this.#folders.add(change.path);
        else this.#folders.delete(change.path);
        return;
      case 'remote':
        this.#remote.set(change.file.id, change.file);
        return;
      case 'remoteGone':
        this.#remote.delete(change.id);
        return;
      case 'remoteFolders':
        this.#remoteFolders = change.paths;
        this.#remoteFoldersSeq = change.seq;
        return;
      case 'cursor':
        this.#cursor = change.cursor;
        return;
      case 'access':
        this.#isReadOnly = change.isReadOnly;
        return;
      case 'hash':
        this.#hashes.set(change.file.path, { ...change.file, hash: change.hash });
        return;
      case 'hashGone':
        this.#hashes.delete(change.path);
        return;
      case 'refused':
        this.#refused.set(change.refusal.key, change.refusal);
        return;
      case 'retried':
        this.#refused.delete(change.key);
        return;
      case 'intent':
        this.#intents.set(change.key, change.intent);
        return;
      case 'settled':
        this.#intents.delete(change.key);
        return;
      case 'deletions':
        this.#deletions = change.deletions;
        return;
      case 'baseText':
        this.#texts.set(change.hash, change.text);
        return;
    }
  }
}
