import type { Clock } from '../../../ports/clock/clock.ts';

/** Notes written within about a second that are a burst, as of an import. A person or a device in sync writes fewer. */
const NOTES_MIN = 200;
const WINDOW_MS = 1000;
/** After this time a burst is no longer waited for: it may go on for hours. */
const LONGEST_MS = 30_000;

/** Notices when so much is written that work on it should wait: each then takes longer, and what is written first. */
export class WriteBurst {
  readonly #clock: Pick<Clock, 'now'>;
  #windowFrom = 0;
  /** Notes written in this window and in the one before. */
  #written = 0;
  #writtenBefore = 0;
  /** When the burst was noticed; null without one. */
  #since: number | null = null;

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  record(notes: number): void {
    this.#turnWindow();
    this.#written += notes;
  }

  /** Whether there is a burst that should be waited for. */
  isOn(): boolean {
    const now = this.#turnWindow();
    if (this.#written + this.#writtenBefore < NOTES_MIN) {
      this.#since = null;
      return false;
    }
    this.#since ??= now;
    return now - this.#since < LONGEST_MS;
  }

  #turnWindow(): number {
    const now = this.#clock.now();
    const age = now - this.#windowFrom;
    if (age >= 0 && age < WINDOW_MS) return now;
    this.#writtenBefore = age >= WINDOW_MS && age < 2 * WINDOW_MS ? this.#written : 0;
    this.#written = 0;
    this.#windowFrom = now;
    return now;
  }
}
