import type { NoteId } from '@notevault/protocol/ids.ts';
import type { OpenVault } from '../../vaults/vaults.ts';

/** How long edits wait for their note: after the last of them, and after the first. */
const PACE = { quietMs: 750, mostMs: 2_500 };
/** A note is not settled twice within this, unless somebody reads it. */
const APART_MS = 1_000;
/** Many notes may be due at once: they are begun this far apart, so that whoever types waits for one of them at most. */
const STEP_MS = 5;
/** The last of those due has waited no longer than this. */
const SPREAD_MS = 250;
/** Notes whose settling is under way at once. */
const AT_ONCE = 8;

interface Waiting {
  readonly vault: OpenVault;
  readonly first: number;
  last: number;
  /** Before this it is not due, however quiet it is. */
  readonly earliest: number;
  timer: NodeJS.Timeout | undefined;
}

/** Notes with edits on disk that wait to be settled; says when. */
export class Due {
  readonly #settle: (vault: OpenVault, id: NoteId) => Promise<void>;
  readonly #now: () => number;
  readonly #waiting = new Map<NoteId, Waiting>();
  /** Those that are due, oldest first. */
  readonly #ready = new Set<NoteId>();
  /** When the last of them is to be begun. */
  #allBy = 0;
  #stepping = false;
  #underWay = 0;

  /** @param settle must not reject. @param now milliseconds, of a clock that is never set anew. */
  constructor(settle: (vault: OpenVault, id: NoteId) => Promise<void>, now: () => number) {
    this.#settle = settle;
    this.#now = now;
  }

  get size(): number {
    return this.#waiting.size;
  }

  has(id: NoteId): boolean {
    return this.#waiting.has(id);
  }

  /** An edit of the note is on disk. @param settledAt when it was last settled. */
  edited(vault: OpenVault, id: NoteId, settledAt: number): void {
    const now = this.#now();
    const known = this.#waiting.get(id);
    if (known !== undefined) {
      known.last = now;
      return;
    }
    const waiting = { vault, first: now, last: now, earliest: settledAt + APART_MS, timer: undefined };
    this.#waiting.set(id, waiting);
    this.#arm(id, waiting);
  }

  /** Somebody settles the note now. */
  forget(id: NoteId): void {
    clearTimeout(this.#waiting.get(id)?.timer);
    this.#waiting.delete(id);
    this.#ready.delete(id);
  }

  /** Settles all that wait, at once. */
  async settleAll(): Promise<void> {
    for (const [id, { vault }] of [...this.#waiting]) {
      this.forget(id);
      await this.#settle(vault, id);
    }
  }

  #arm(id: NoteId, waiting: Waiting): void {
    const left = dueAt(waiting) - this.#now();
    waiting.timer = setTimeout(() => this.#look(id, waiting), Math.max(0, left)).unref();
  }

  #look(id: NoteId, waiting: Waiting): void {
    if (this.#now() < dueAt(waiting)) {
      this.#arm(id, waiting);
      return;
    }
    this.#ready.add(id);
    this.#allBy = this.#now() + SPREAD_MS;
    if (!this.#stepping) this.#step();
  }

  /** Begins with one of those that are due, and comes back for the next. */
  #step(): void {
    const [id] = this.#ready;
    const waiting = id === undefined ? undefined : this.#waiting.get(id);
    this.#stepping = id !== undefined && waiting !== undefined && this.#underWay < AT_ONCE;
    if (!this.#stepping || id === undefined || waiting === undefined) return;
    this.forget(id);
    this.#underWay += 1;
    void this.#settle(waiting.vault, id).finally(() => {
      this.#underWay -= 1;
      if (!this.#stepping) this.#step();
    });
    const pause = Math.min(STEP_MS, (this.#allBy - this.#now()) / this.#ready.size);
    // A timer waits for a millisecond at least.
    if (pause >= 1) setTimeout(() => this.#step(), pause).unref();
    else setImmediate(() => this.#step());
  }
}

function dueAt({ first, last, earliest }: Waiting): number {
  return Math.max(earliest, Math.min(last + PACE.quietMs, first + PACE.mostMs));
}
