import { NotevaultError } from '@notevault/protocol/errors.ts';
import { type Clock, latestPlausible } from '../../../../ports/clock/clock.ts';
import { type Database, deleteUntil, isFull } from '../../../../ports/database/database.ts';
import type { Keys } from '../../../foundation/keys/keys.ts';
import type { SignInAttemptsRow } from '../accounts.tables.ts';
import * as store from './attempts.store.ts';

const SECOND_MS = 1000;
const HOUR_MS = 60 * 60 * SECOND_MS;
export const DAY_MS = 24 * HOUR_MS;

type Counted = Omit<SignInAttemptsRow, 'subject'>;

/** The number of attempts allowed per subject and period. */
export interface Pace {
  /** The period over which attempts are counted; the next one begins with the first attempt after it. */
  readonly periodMs: number;
  /** The time from which the next attempt is allowed. */
  nextAt(counted: Counted): number;
}

function atMost(max: number, periodMs: number): Pace {
  return { periodMs, nextAt: ({ count, since }) => (count < max ? 0 : since + periodMs) };
}

const AT_ONCE = 10;
const A_DAY = 100;

/** Passwords: ten at once, then waits that grow to 30 s, and two minutes beyond a hundred a day. */
export const PASSWORDS: Pace = {
  periodMs: DAY_MS,
  nextAt({ count, last_at }) {
    if (count < AT_ONCE) return 0;
    const seconds = count < A_DAY ? Math.min(2 ** (count - AT_ONCE), 30) : 120;
    return last_at + seconds * SECOND_MS;
  },
};

/** Codes of a second factor. */
export const SECOND_FACTORS = atMost(10, HOUR_MS);

/** Mails to one address that anybody can ask for, and invitations that one account sends. */
export const MAILS = { hourly: atMost(3, HOUR_MS), daily: atMost(5, DAY_MS), invitations: atMost(100, DAY_MS) };

/** Rows of attempts: those at addresses without an account are stored too. */
const SUBJECTS_MAX = 100_000;
const DELETED_AT_ONCE = 1000;
/** Subjects counted in memory. */
const HERE_MAX = 10_000;

/**
 * Counts attempts in the database, so that all processes count together and a restart forgets nothing. What is attempted
 * is stored as an HMAC: an address that has an account and one that has none leave rows that look alike.
 */
export class Attempts {
  readonly #deps: { readonly db: Database; readonly keys: Keys; readonly clock: Clock };
  /** Attempts since the disk of the database became full, the latest last. */
  readonly #here = new Map<string, Counted>();

  constructor(deps: { readonly db: Database; readonly keys: Keys; readonly clock: Clock }) {
    this.#deps = deps;
  }

  /**
   * Counts an attempt before it is known whether it is right, so that concurrent ones count too. Resolves to a function
   * that uncounts it. Throws `rate_limited`, which counts nothing.
   */
  async count(...paces: readonly (readonly [subject: string, pace: Pace])[]): Promise<() => Promise<void>> {
    const { db, keys, clock } = this.#deps;
    const server = await keys.openServer();
    const now = clock.now();
    const subjects = paces.map(([subject, pace]) => ({ subject: server.mac('sign-in attempts', subject), pace }));
    // Refusing must cost less than an attempt does.
    for (const { subject, pace } of subjects) check(await db.get(store.findAttempts, { subject }), pace, now);
    const counting = db.transact(async (handle) => {
      const rows: { subject: Buffer; since: number }[] = [];
      for (const { subject, pace } of subjects) {
        const held = check(await handle.get(store.lockAttempts, { subject, now }), pace, now);
        const { count, since } = { ...held, count: held.count + 1 };
        await handle.run(store.putAttempts, { subject, count, since, last_at: now, expires_at: since + pace.periodMs });
        rows.push({ subject, since });
      }
      return rows;
    });
    const counted = await counting.catch((error: unknown) => (isFull(error) ? null : Promise.reject(error)));
    if (counted === null) return this.#countHere(subjects, now);
    return () =>
      db.transact(async (handle) => {
        for (const row of counted) await handle.run(store.uncountAttempt, row);
      });
  }

  /** Counts in this process, because the disk of the database is full. */
  #countHere(subjects: readonly { readonly subject: Buffer; readonly pace: Pace }[], now: number) {
    const counts = subjects.map(({ subject, pace }) => {
      const key = subject.toString('base64');
      const held = check(this.#here.get(key), pace, now);
      const counted = {
        count: held.count + 1,
        since: held.since,
        last_at: now,
        expires_at: held.since + pace.periodMs,
      };
      this.#here.delete(key);
      this.#here.set(key, counted);
      return counted;
    });
    for (const oldest of this.#here.keys()) {
      if (this.#here.size <= HERE_MAX) break;
      this.#here.delete(oldest);
    }
    return async () => {
      for (const counted of counts) counted.count -= 1;
    };
  }

  /** Deletes expired rows, and beyond the maximum those with the fewest attempts. */
  async sweep(): Promise<void> {
    const { db, clock } = this.#deps;
    await deleteUntil(db, store.deleteExpiredAttempts, clock.now());
    let over = ((await db.get(store.countSubjects, {}))?.subjects ?? 0) - SUBJECTS_MAX;
    for (; over > 0; over -= DELETED_AT_ONCE) {
      const beyond = { kept: SUBJECTS_MAX, limit: DELETED_AT_ONCE };
      await db.transact((handle) => handle.run(store.deleteBeyond, beyond));
    }
  }
}

export function isLimit(error: unknown): boolean {
  return error instanceof NotevaultError && error.code === 'rate_limited';
}

/** The attempts of the current period. Throws `rate_limited`. */
function check(found: Counted | undefined, pace: Pace, now: number): Counted {
  // A clock that was ahead must not refuse anybody until that time comes.
  const isOver = found === undefined || found.expires_at <= now || found.last_at > latestPlausible(now);
  const counted = isOver ? { count: 0, since: now, last_at: 0, expires_at: 0 } : found;
  const waits = pace.nextAt(counted) - now;
  if (waits > 0) throw new NotevaultError('rate_limited', { retry_after: String(Math.ceil(waits / SECOND_MS)) });
  return counted;
}
