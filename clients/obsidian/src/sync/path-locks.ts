import { foldPath } from '@notevault/note-text/paths.ts';

/**
 * One after the other for each path. Writes of the app that overlap on one file can leave it marked as being saved, and
 * then it notices no change from outside until it is started again.
 */
export class PathLocks {
  readonly #last = new Map<string, Promise<unknown>>();

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
