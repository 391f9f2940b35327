import { FSWatcher, type watch } from 'chokidar';

/** A watcher that reports only what a test tells it to. */
export class ScriptedWatch {
  readonly #watcher = new FSWatcher();
  readonly #begun = Promise.withResolvers<void>();
  /** Resolves once somebody listens. */
  readonly begun = this.#begun.promise;
  readonly watch = (() => {
    setImmediate(this.#begun.resolve);
    return this.#watcher;
  }) as unknown as typeof watch;

  /** It watches. */
  ready(): void {
    this.#watcher.emit('ready');
  }

  /** It cannot watch. */
  fail(code: string): void {
    this.#watcher.emit('error', Object.assign(new Error('broken'), { code }));
  }

  /** It has noticed a change of an entry of a watched folder. */
  change(folder: string, name: string): void {
    this.#watcher.emit('raw', 'change', name, { watchedPath: folder });
  }
}
