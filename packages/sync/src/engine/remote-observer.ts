import type { RemoteFile, SideTree, SyncedFile } from '../plan/trees.ts';
import type { ChangesPage, Server } from './ports.ts';
import type { SyncState } from './sync-state.ts';

/** Follows the change feed of the vault. */
export class RemoteObserver {
  readonly #server: Server;
  readonly #state: SyncState;

  constructor(server: Server, state: SyncState) {
    this.#server = server;
    this.#state = state;
  }

  /** Throws what the server throws. */
  async observe(): Promise<SideTree<RemoteFile>> {
    await this.#follow();
    const folders = await this.#server.folders();
    this.#state.record({ type: 'remoteFolders', paths: folders });
    await this.#state.commit();
    return { files: [...this.#state.remote.values()], folders };
  }

  async #follow(): Promise<void> {
    for (;;) {
      const page = await this.#server.changes(this.#state.cursor);
      if (page === null) return this.#readAnew();
      this.#apply(page);
      if (!page.hasMore) return;
      await this.#state.commit();
    }
  }

  #apply({ changes, cursor }: ChangesPage): void {
    for (const { deleted, ...file } of changes)
      this.#state.record(deleted ? { type: 'remoteGone', id: file.id } : { type: 'remote', file });
    // With what it stands for: a crash between them would leave changes out.
    this.#state.record({ type: 'cursor', cursor });
  }

  /**
   * The feed begins anew: the vault was restored, or this device was away for longer than deletions are remembered. A
   * file that is not there now was not necessarily deleted by anybody, and one that differs not necessarily edited: both
   * are compared as if they had never been synced, so that nothing here is deleted or written over.
   */
  async #readAnew(): Promise<void> {
    const there = new Map<string, RemoteFile>();
    let cursor: string | null = null;
    for (let hasMore = true; hasMore; ) {
      const page: ChangesPage | null = await this.#server.changes(cursor);
      // Begins anew once more: the next round starts over with what is stored, which has not changed.
      if (page === null) return;
      for (const { deleted, ...file } of page.changes) {
        if (deleted) there.delete(file.id);
        else there.set(file.id, file);
      }
      ({ cursor, hasMore } = page);
    }
    for (const id of this.#state.remote.keys()) if (!there.has(id)) this.#state.record({ type: 'remoteGone', id });
    for (const [id, synced] of this.#state.synced)
      if (!isSuccessor(there.get(id), synced)) this.#state.record({ type: 'unsynced', id });
    for (const file of there.values()) this.#state.record({ type: 'remote', file });
    this.#state.record({ type: 'cursor', cursor });
  }
}

/** Whether a file is what was synced, or a later version of it. */
function isSuccessor(now: RemoteFile | undefined, { hash, version }: SyncedFile): boolean {
  return now !== undefined && (now.hash === hash || (version ?? Number.POSITIVE_INFINITY) < (now.version ?? 0));
}
