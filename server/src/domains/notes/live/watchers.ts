export interface Watcher {
  /** Called with each update of others (Yjs, v1) once it is on disk, in the order in which they were stored. */
  update(update: Uint8Array): void;
  /** Called when the document closes. `lost` is temporary: a client that reconnects can open it again. */
  closed(reason: CloseReason): void;
}

export type CloseReason = 'note_deleted' | 'note_too_large' | 'lost';

export class Watchers {
  readonly #watchers = new Set<Watcher>();

  get size(): number {
    return this.#watchers.size;
  }

  /** Adds a watcher; disposing of the result removes it. */
  add(watcher: Watcher): Disposable {
    this.#watchers.add(watcher);
    return { [Symbol.dispose]: () => void this.#watchers.delete(watcher) };
  }

  /** @param except the watcher that the update came from. */
  notify(update: Uint8Array, except: Watcher | null): void {
    for (const watcher of [...this.#watchers]) if (watcher !== except) watcher.update(update);
  }

  /** Tells all watchers that the document closes, and removes them. */
  close(reason: CloseReason): void {
    for (const watcher of [...this.#watchers]) watcher.closed(reason);
    this.#watchers.clear();
  }
}
