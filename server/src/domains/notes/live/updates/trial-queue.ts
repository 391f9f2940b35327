/** Runs work that tries updates on a worker thread, one after the other. */
export class TrialQueue {
  #last: Promise<unknown> | undefined;

  get isRunning(): boolean {
    return this.#last !== undefined;
  }

  /** Runs `work` after all that was given before, whether that succeeded or not. */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    const run = (this.#last ?? Promise.resolve()).then(work);
    const ended = run.then(
      () => undefined,
      () => undefined,
    );
    this.#last = ended;
    void ended.then(() => {
      if (this.#last === ended) this.#last = undefined;
    });
    return run;
  }
}
