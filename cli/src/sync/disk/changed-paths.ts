/**
 * Paths of a folder that may have changed since the last listing: all of them without a watcher. Watcher events only
 * speed up syncing; the whole folder is listed again from time to time, and after a watcher has failed.
 */
export class ChangedPaths {
  #paths = new Set<string>();
  #isWatched = false;
  #isAll = true;

  /** Starts collecting changed paths. */
  watchBegins(): void {
    this.#isWatched = true;
    this.#isAll = true;
  }

  watchFails(): void {
    this.#isWatched = false;
  }

  add(path: string): void {
    if (this.#isWatched) this.#paths.add(path);
  }

  addAll(): void {
    this.#isAll = true;
  }

  /** Returns the paths to list and marks them as listed; null if the whole folder must be listed. */
  take(): ReadonlySet<string> | null {
    const [paths, isAll] = [this.#paths, this.#isAll || !this.#isWatched];
    this.#paths = new Set();
    this.#isAll = false;
    return isAll ? null : paths;
  }
}
