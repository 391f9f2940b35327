/** The longest that the first of the answers waits for the others, unless one of them takes longer to make. */
const WAIT_MS = 0.5;

interface Turn extends PromiseWithResolvers<void> {
  readonly began: number;
}

/**
 * Lets answers that are made in one turn of the event loop be written one after another. Writing to a connection whose
 * reader sleeps wakes it up, which costs as much as all else of the write; a reader of several connections, such as a
 * proxy, is then awake for the others.
 */
export class TurnEnd {
  readonly #later: (run: () => void) => void;
  #turn: Turn | undefined;

  /** @param later calls a function when the event loop has handled what it found. */
  constructor(later: (run: () => void) => void = setImmediate) {
    this.#later = later;
  }

  /** Resolves when the answers of this turn are to be written. */
  reached(): Promise<void> {
    const turn = this.#turn ?? this.#begin();
    if (performance.now() - turn.began >= WAIT_MS) this.#end(turn);
    return turn.promise;
  }

  #begin(): Turn {
    const turn = { ...Promise.withResolvers<void>(), began: performance.now() };
    this.#turn = turn;
    this.#later(() => this.#end(turn));
    return turn;
  }

  #end(turn: Turn): void {
    if (this.#turn === turn) this.#turn = undefined;
    turn.resolve();
  }
}

export const turnEnd = new TurnEnd();
