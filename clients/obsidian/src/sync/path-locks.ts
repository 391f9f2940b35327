import { foldPath } from '@notevault/note-text/paths.ts';

/**
 * Locks that serialise work per path. Overlapping writes of one file can leave the app convinced that it is still
 * saving; it then notices no external change until it restarts.
 */
export class PathLocks {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Does the work while it is the turn of all paths. */
  runAll<Result>(paths: readonly string[], work: () => Promise<Result>): Promise<Result> {
    // In one order, so that no two wait for each other.
    const [first, ...others] = [...new Set(paths.map(foldPath))].sort();
    return first === undefined ? work() : this.run(first, () => this.runAll(others, work));
  }

  async run<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
    const key = foldPath(path);
    const turn = (this.#last.get(key) ?? Promise.resolve()).then(work, work);
    const settled = turn.catch(() => undefined);
    this.#last.set(key, settled);
    try {
      return await turn;
    } finally {
      if (this.#last.get(key) === settled) this.#last.delete(key);
    }
  }
}
