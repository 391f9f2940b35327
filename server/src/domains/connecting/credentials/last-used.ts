import type { UserId } from '@notevault/protocol/values/ids.ts';
import { type Clock, latestPlausible } from '../../../ports/clock/clock.ts';
import type { Database } from '../../../ports/database/database.ts';
import * as store from './credentials.store.ts';

const MINUTE_MS = 60_000;
const PENDING_MAX = 10_000;
const USER_AGENT_MAX = 256;

export interface Client {
  readonly ip: string | null;
  readonly userAgent: string | null;
}

interface Usage extends Client {
  readonly userId: UserId;
  readonly id: string;
  readonly at: number;
}

/** Records when connections were used, by the minute, so that a busy key costs one write a minute. */
export class LastUsed {
  readonly #db: Database;
  readonly #clock: Clock;
  #pending = new Map<string, Usage>();
  #flushing: Promise<void> = Promise.resolve();

  constructor({ db, clock }: { readonly db: Database; readonly clock: Clock }) {
    this.#db = db;
    this.#clock = clock;
  }

  /** Costs the request nothing, because uses are written together later. */
  record({ userId, id }: Pick<Usage, 'userId' | 'id'>, lastUsed: number | null, { ip, userAgent }: Client): void {
    const at = Math.floor(this.#clock.now() / MINUTE_MS) * MINUTE_MS;
    const key = `${userId}:${id}`;
    const before = this.#pending.get(key);
    const isKnown = (time = 0) => time >= at && time <= latestPlausible(at);
    if (isKnown(lastUsed ?? 0) || isKnown(before?.at)) return;
    if (before === undefined && this.#pending.size >= PENDING_MAX) return;
    const agent = userAgent?.toWellFormed().slice(0, USER_AGENT_MAX) ?? null;
    // The address of the first use is kept.
    this.#pending.set(key, before === undefined ? { userId, id, at, ip, userAgent: agent } : { ...before, at });
  }

  /** A crash loses the uses since the last flush. */
  flush(): Promise<void> {
    // After the flush under way, which may contain uses that the caller expects to be written.
    const write = () => this.#write();
    const next = this.#flushing.then(write, write);
    this.#flushing = next.catch(() => undefined);
    return next;
  }

  async #write(): Promise<void> {
    const batch = this.#pending;
    if (batch.size === 0) return;
    this.#pending = new Map();
    const latest = latestPlausible(this.#clock.now());
    await this.#db.transact(async (handle) => {
      for (const use of batch.values()) await handle.run(store.updateLastUsed, { ...use, latest });
    });
  }
}
