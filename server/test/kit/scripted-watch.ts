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

  /** Reports that watching has begun. */
  ready(): void {
    this.#watcher.emit('ready');
  }

  /** Reports that watching has failed. */
  fail(code: string): void {
    this.#watcher.emit('error', Object.assign(new Error('broken'), { code }));
  }

  /** Reports a change of an entry in a watched folder. */
  change(folder: string, name: string): void {
    this.#watcher.emit('raw', 'change', name, { watchedPath: folder });
  }
}
