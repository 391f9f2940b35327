import { foldPath } from '@notevault/note-text/paths.ts';

/**
 * One after the other for each path. Writes of the app that overlap on one file can leave it marked as being saved, and
 * then it notices no change from outside until it is started again.
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
