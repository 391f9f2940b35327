import { kindOf, type RemoteFile } from '../plan/trees.ts';
import { type ChangesPage, type Server, ServerUnreachable } from './ports.ts';
import type { SyncState } from './sync-state.ts';

/** Maximum reads from the start of a feed that is reset repeatedly. */
const ANEW_MAX = 3;

/** Follows the change feed of the vault. */
export class RemoteObserver {
  readonly #server: Server;
  readonly #state: SyncState;

  constructor(server: Server, state: SyncState) {
    this.#server = server;
    this.#state = state;
  }

  /**
   * Brings the rows of the state up to date; returns the folders that exist without files. Throws the errors of the
   * server port.
   *
   * @param isForAll whether the folder lacks all files, as at a first sync
   */
  async observe(isForAll: boolean): Promise<readonly string[]> {
    // One after the other: after a failure of one, the other would go on beside the next run.
    const seq = await this.#follow(isForAll);
    if (seq === null || seq !== this.#state.remoteFoldersSeq)
      this.#state.record({ type: 'remoteFolders', paths: await this.#server.folders(), seq });
    await this.#state.commit();
    return this.#state.remoteFolders;
  }

  /** Returns the seq of the vault that the rows have now; null if it is not known. */
  async #follow(isForAll: boolean): Promise<number | null> {
    for (;;) {
      const page = await this.#server.changes(this.#state.cursor, isForAll);
      if (page === null) {
        await this.compareAnew();
        return null;
      }
      this.#apply(page);
      if (!page.hasMore) return page.seq;
      await this.#state.commit();
    }
  }

  /** Reads the feed from the start: see `#readAnew`. Throws ServerUnreachable when it cannot be read to its end. */
  async compareAnew(): Promise<void> {
    for (let tries = 0; tries < ANEW_MAX; tries++) if (await this.#readAnew()) return;
    throw new ServerUnreachable('the change feed of the vault cannot be read to its end');
  }

  #apply({ changes, cursor, isReadOnly }: ChangesPage): void {
    for (const { deleted, ...file } of changes)
      this.#state.record(deleted ? { type: 'remoteGone', id: file.id } : { type: 'remote', file });
    // Stored together with the rows it covers: after a crash between the two, changes would be skipped.
    this.#state.record({ type: 'cursor', cursor });
    if (isReadOnly !== this.#state.isReadOnly) this.#state.record({ type: 'access', isReadOnly });
  }

  /**
   * Reads the feed from the start, after the vault was restored or when this device was away for longer than tombstones
   * are kept. A missing file was not necessarily deleted, nor a different one edited, so both are compared as if they
   * had never been synced, unless the vault knows the agreed text as an earlier version: nothing local is deleted or
   * overwritten. Returns whether the feed could be read: it may be reset again meanwhile, and then nothing changes.
   */
  async #readAnew(): Promise<boolean> {
    const there = new Map<string, RemoteFile>();
    let cursor: string | null = null;
    let isReadOnly = false;
    for (let hasMore = true; hasMore; ) {
      const page: ChangesPage | null = await this.#server.changes(cursor);
      if (page === null) return false;
      for (const { deleted, ...file } of page.changes) {
        if (deleted) there.delete(file.id);
        else there.set(file.id, file);
      }
      // Neither gone nor changed, as far as anybody can tell.
      for (const id of page.unreadable) {
        const known = this.#state.remote.get(id);
        if (known !== undefined) there.set(id, known);
      }
      ({ cursor, hasMore, isReadOnly } = page);
    }
    const versions = await this.#agreedVersions(there);
    for (const id of this.#state.remote.keys()) if (!there.has(id)) this.#state.record({ type: 'remoteGone', id });
    for (const [id, synced] of this.#state.synced) {
      const version = versions.get(id);
      if (version === undefined) this.#state.record({ type: 'unsynced', id });
      else if (version !== synced.version) this.#state.record({ type: 'synced', file: { ...synced, version } });
    }
    // They name versions that the vault may have given to other texts.
    for (const key of [...this.#state.intents.keys()]) this.#state.record({ type: 'settled', key });
    for (const file of there.values()) this.#state.record({ type: 'remote', file });
    this.#state.record({ type: 'cursor', cursor }, { type: 'access', isReadOnly });
    this.#state.record({ type: 'remoteFolders', paths: this.#state.remoteFolders, seq: null });
    return true;
  }

  /**
   * Returns the versions that the agreed texts have in the vault now, by id, for those that it has or had. Numbers of a
   * restored vault are given again, so the number of a text that never had this base may be that of the base.
   */
  async #agreedVersions(there: ReadonlyMap<string, RemoteFile>): Promise<Map<string, number | null>> {
    const versions = new Map<string, number | null>();
    const others = new Map<string, Pick<RemoteFile, 'id' | 'hash' | 'path'>>();
    for (const { id, hash } of this.#state.synced.values()) {
      const now = there.get(id);
      if (now?.hash === hash) versions.set(id, now.version);
      else if (now !== undefined && kindOf(now.path) === 'note') others.set(id, { id, hash, path: now.path });
    }
    const known = others.size === 0 ? [] : await this.#server.known([...others.values()]);
    for (const { id, version } of known ?? []) if (others.has(id)) versions.set(id, version);
    return versions;
  }
}
