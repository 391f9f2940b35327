import type { UserId } from '@notevault/protocol/ids.ts';
import type { Clock } from '../../ports/clock/clock.ts';
import type { Database } from '../../ports/database/database.ts';
import * as store from './connections.store.ts';

const MINUTE_MS = 60_000;
const PENDING_MAX = 10_000;
const USER_AGENT_MAX = 256;

/** From where a credential is used. */
export interface Client {
  readonly ip: string | null;
  readonly userAgent: string | null;
}

export interface LastUsed {
  /** Remembers that a connection was used now. Costs the request nothing: it is written with others, later. */
  record(userId: UserId, id: string, lastUsed: number | null, client: Client): void;
  /** Writes what is remembered; what a crash takes is the last uses since the flush before. */
  flush(): Promise<void>;
}

interface Usage extends Client {
  readonly userId: UserId;
  readonly id: string;
  readonly at: number;
}

/** Uses at minute precision, so that a busy key costs one write a minute. */
export function createLastUsed({ db, clock }: { db: Database; clock: Clock }): LastUsed {
  let pending = new Map<string, Usage>();
  let flushing = Promise.resolve();

  async function write(): Promise<void> {
    const batch = pending;
    if (batch.size === 0) return;
    pending = new Map();
    await db.transact(async (handle) => {
      for (const use of batch.values()) await handle.run(store.updateLastUsed, use);
    });
  }

  return {
    record(userId, id, lastUsed, { ip, userAgent }) {
      const at = Math.floor(clock.now() / MINUTE_MS) * MINUTE_MS;
      const key = `${userId}:${id}`;
      const before = pending.get(key);
      if ((lastUsed ?? 0) >= at || (before?.at ?? 0) >= at) return;
      if (before === undefined && pending.size >= PENDING_MAX) return;
      const agent = userAgent?.toWellFormed().slice(0, USER_AGENT_MAX) ?? null;
      // The first address is the one to keep.
      pending.set(key, before === undefined ? { userId, id, at, ip, userAgent: agent } : { ...before, at });
    },
    flush() {
      // After the one under way, which may hold what the caller is to find written.
      const next = flushing.then(write, write);
      flushing = next.catch(() => undefined);
      return next;
    },
  };
}
