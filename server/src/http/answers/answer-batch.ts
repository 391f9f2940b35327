/** The longest that the first of the answers waits for the others, unless one of them takes longer to make. */
const WAIT_MS = 0.5;

interface Batch extends PromiseWithResolvers<void> {
  readonly began: number;
}

/**
 * Lets answers that are made in one turn of the event loop be written one after another. Writing to a connection whose
 * reader sleeps wakes it up, which costs as much as all else of the write; a reader of several connections, such as a
 * proxy, is then awake for the others, and sends its next requests together.
 */
export class AnswerBatches {
  readonly #later: (run: () => void) => void;
  #batch: Batch | undefined;

  /** @param later calls a function when the event loop has handled what it found. */
  constructor(later: (run: () => void) => void = setImmediate) {
    this.#later = later;
  }

  /** Resolves when the answers of this turn are to be written. */
  due(): Promise<void> {
    const batch = this.#batch ?? this.#begin();
    if (performance.now() - batch.began >= WAIT_MS) this.#end(batch);
    return batch.promise;
  }

  #begin(): Batch {
    const batch = { ...Promise.withResolvers<void>(), began: performance.now() };
    this.#batch = batch;
    this.#later(() => this.#end(batch));
    return batch;
  }

  #end(batch: Batch): void {
    if (this.#batch === batch) this.#batch = undefined;
    batch.resolve();
  }
}

export const answerBatches = new AnswerBatches();
