import type { Clock } from '../../../ports/clock/clock.ts';
import type { Embedding } from './embedding.ts';
import { WriteBurst } from './write-burst.ts';

/** How often to look for writes of other processes, and for notes whose next attempt is due. */
const CHECK_EVERY_MS = 60_000;
/** The pause after an embedder failed. Each one is twice as long as the one before, up to a limit. */
const FIRST_PAUSE_MS = 10_000;
const MAX_PAUSE_MS = 10 * 60_000;

/** Decides when notes are embedded. */
export class BackgroundEmbedding {
  readonly #clock: Clock;
  readonly #embedding: Embedding;
  readonly #burst: WriteBurst;
  #hasChanges = false;
  #nextCheckAt = 0;
  #pausedUntil = 0;
  #failuresInRow = 0;

  constructor(clock: Clock, embedding: Embedding) {
    this.#clock = clock;
    this.#embedding = embedding;
    this.#burst = new WriteBurst(clock);
  }

  /** Records that notes were written. */
  recordChange(notes: number): void {
    this.#hasChanges = true;
    this.#burst.record(notes);
  }

  /** Like `run`, but leaves the processor to an import: during a burst of writes it does nothing, or ends early. */
  async runBetweenBursts(signal: AbortSignal): Promise<void> {
    if (!this.#burst.isOn()) await this.run(signal, () => !this.#burst.isOn());
  }

  /**
   * Embeds what was written, and retries failed notes, when this process has written something or not checked for a
   * minute. Throws EmbedderError when the embedder fails. Must not be called while it runs.
   *
   * @param mayContinue asked after each few notes; the rest is left to the next run.
   */
  async run(signal: AbortSignal, mayContinue = () => true): Promise<void> {
    const now = this.#clock.now();
    if ((!this.#hasChanges && now < this.#nextCheckAt) || now < this.#pausedUntil) return;
    this.#hasChanges = false;
    this.#nextCheckAt = now + CHECK_EVERY_MS;
    const { failure, hasMore } = await this.#embedding.run(signal, mayContinue);
    if (hasMore) this.#hasChanges = true;
    if (failure === null) {
      this.#failuresInRow = 0;
      return;
    }
    this.#failuresInRow += 1;
    this.#hasChanges = true;
    const pause = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (this.#failuresInRow - 1));
    this.#pausedUntil = this.#clock.now() + Math.max(pause, failure.retryAfterMs ?? 0);
    throw failure;
  }
}
