import type { Random } from '../../../../server/test/kit/random.ts';
import type { Clock } from '../../src/engine/ports.ts';

/** A process was killed: it gets no more answers. */
export class Killed extends Error {
  override readonly name = 'Killed';
}

interface Turn {
  /** The earliest tick of the turn. */
  readonly at: number;
  readonly go: () => void;
}

/**
 * Runs one waiting task at a time, chosen at random but deterministically by seed. Time passes when no task can run.
 */
export class Scheduler {
  readonly #random: Random;
  #turns: Turn[] = [];
  ticks = 0;
  #uuids = 0;
  /** Offset of the wall clock from the ticks; tests let it jump. */
  wallOffset = 1_700_000_000_000;

  constructor(random: Random) {
    this.#random = random;
  }

  /** Waits for a turn, at least `ms` from now. */
  turn(ms = 0): Promise<void> {
    return new Promise((resolve) => this.#turns.push({ at: this.ticks + ms, go: resolve }));
  }

  /** Runs waiting tasks until a promise settles. */
  async run<Result>(work: Promise<Result>): Promise<Result> {
    let settled = false;
    const end = work.finally(() => {
      settled = true;
    });
    end.catch(() => undefined);
    for (;;) {
      // First run everything that follows from the last turn without a turn of its own.
      await new Promise((resolve) => setImmediate(resolve));
      if (settled) return end;
      const next = this.#draw();
      if (next === undefined) throw new Error('everybody waits for somebody else');
      next.go();
    }
  }

  #draw(): Turn | undefined {
    const due = this.#turns.filter(({ at }) => at <= this.ticks);
    const next = due.length > 0 ? this.#random.pick(due) : this.#turns.toSorted((a, b) => a.at - b.at)[0];
    if (next === undefined) return undefined;
    this.ticks = Math.max(this.ticks, next.at);
    this.#turns = this.#turns.filter((turn) => turn !== next);
    return next;
  }

  clock(): Clock {
    return {
      now: () => this.wallOffset + this.ticks,
      ticks: () => this.ticks,
      sleep: (ms) => this.turn(ms),
      uuid: () => {
        this.#uuids += 1;
        return `00000000-0000-4000-8000-${String(this.#uuids).padStart(12, '0')}`;
      },
    };
  }
}
