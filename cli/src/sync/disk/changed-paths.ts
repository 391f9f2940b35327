/**
 * The paths of a folder that may have changed since it was last listed. Without a watcher that is all of them. What a
 * watcher reports is a hint to be fast: everything is listed again from time to time, and when it fails.
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

  /** Returns the paths to look at, which then count as looked at; null for all. */
  take(): ReadonlySet<string> | null {
    const [paths, isAll] = [this.#paths, this.#isAll || !this.#isWatched];
    this.#paths = new Set();
    this.#isAll = false;
    return isAll ? null : paths;
  }
}
