import type { NoteId } from '@notevault/protocol/values/ids.ts';
import type { Clock } from '../../../../../ports/clock/clock.ts';
import type { OpenVault } from '../../../vaults/vaults.ts';

/** How long edits wait for their flush: after the last one, and after the first one. */
const DELAYS = { quietMs: 750, maxMs: 2_500 };
/** Minimum time between two flushes of a note, unless somebody reads it. */
const MIN_INTERVAL_MS = 1_000;
/** Time between the starts of flushes when many notes are due, so that an edit waits for one flush at most. */
const STEP_MS = 5;
/** Time within which all notes that are due have been started. */
const SPREAD_MS = 250;
const CONCURRENCY = 8;

interface ScheduledNote {
  readonly vault: OpenVault;
  readonly first: number;
  last: number;
  /** The note is not flushed before this. */
  readonly earliest: number;
  timer: Disposable | undefined;
}

/** Decides when notes with edits in the log are flushed. */
export class FlushSchedule {
  readonly #flush: (vault: OpenVault, id: NoteId) => Promise<void>;
  readonly #clock: Pick<Clock, 'elapsed' | 'schedule'>;
  readonly #waiting = new Map<NoteId, ScheduledNote>();
  /** The notes that are due, oldest first. */
  readonly #ready = new Set<NoteId>();
  /** Deadline for starting the last of them. */
  #deadline = 0;
  #stepping = false;
  #running = 0;

  /** @param flush must not reject. */
  constructor(flush: (vault: OpenVault, id: NoteId) => Promise<void>, clock: Pick<Clock, 'elapsed' | 'schedule'>) {
    this.#flush = flush;
    this.#clock = clock;
  }

  get size(): number {
    return this.#waiting.size;
  }

  has(id: NoteId): boolean {
    return this.#waiting.has(id);
  }

  /** Call when an edit of the note is on disk. @param flushedAt when the note was last flushed. */
  edited(vault: OpenVault, id: NoteId, flushedAt: number): void {
    const now = this.#clock.elapsed();
    const known = this.#waiting.get(id);
    if (known !== undefined) {
      known.last = now;
      return;
    }
    const waiting = { vault, first: now, last: now, earliest: flushedAt + MIN_INTERVAL_MS, timer: undefined };
    this.#waiting.set(id, waiting);
    this.#arm(id, waiting);
  }

  /** Call when the note is being flushed anyway. */
  cancel(id: NoteId): void {
    this.#waiting.get(id)?.timer?.[Symbol.dispose]();
    this.#waiting.delete(id);
    this.#ready.delete(id);
  }

  async flushAll(): Promise<void> {
    for (const [id, { vault }] of [...this.#waiting]) {
      this.cancel(id);
      await this.#flush(vault, id);
    }
  }

  #arm(id: NoteId, waiting: ScheduledNote): void {
    const left = dueAt(waiting) - this.#clock.elapsed();
    waiting.timer = this.#clock.schedule(left, () => this.#check(id, waiting));
  }

  #check(id: NoteId, waiting: ScheduledNote): void {
    if (this.#clock.elapsed() < dueAt(waiting)) {
      this.#arm(id, waiting);
      return;
    }
    this.#ready.add(id);
    this.#deadline = this.#clock.elapsed() + SPREAD_MS;
    if (!this.#stepping) this.#step();
  }

  /** Starts the flush of one note that is due, and schedules the next. */
  #step(): void {
    const [id] = this.#ready;
    const waiting = id === undefined ? undefined : this.#waiting.get(id);
    this.#stepping = id !== undefined && waiting !== undefined && this.#running < CONCURRENCY;
    if (!this.#stepping || id === undefined || waiting === undefined) return;
    this.cancel(id);
    this.#running += 1;
    void this.#flush(waiting.vault, id).finally(() => {
      this.#running -= 1;
      if (!this.#stepping) this.#step();
    });
    const pause = Math.min(STEP_MS, (this.#deadline - this.#clock.elapsed()) / this.#ready.size);
    // A timer waits for at least one millisecond.
    if (pause >= 1) this.#clock.schedule(pause, () => this.#step());
    else setImmediate(() => this.#step());
  }
}

function dueAt({ first, last, earliest }: ScheduledNote): number {
  return Math.max(earliest, Math.min(last + DELAYS.quietMs, first + DELAYS.maxMs));
}
