import { type PoolClient, DatabaseError as SqlError } from 'pg';
import { DatabaseError, type WriteHandle } from '../database.ts';
import { portError } from './errors.ts';
import * as store from './identity.store.ts';

/** Learns about the server behind the connections. */
export interface ServerObserver {
  /** Called with the server's time, read at some moment of a round trip that has just ended. */
  timeRead(now: number, roundTripMs: number): void;
  /** Writes the changes needed when another server continues with this data, which may lack its last commits. */
  serverChanged(handle: WriteHandle): Promise<void>;
}

interface WatchOptions {
  /** Whether a pooler gives each transaction another connection. */
  readonly isPooled: boolean;
  /** Milliseconds since some moment. */
  readonly elapsed?: () => number;
}

/** How long a direct connection is not checked again; its server cannot change, but its clock can. */
const RECHECK_MS = 60_000;
/** Behind a pooler a connection may lead to another server at any time. */
const RECHECK_POOLED_MS = 1000;

const STATE = `select pg_is_in_recovery()::int as standby, (to_regclass('server_identity') is not null)::int as recordable,
  (extract(epoch from clock_timestamp()) * 1000)::text as now`;
/**
 * A promotion begins a new timeline, which `pg_control_checkpoint` reports only after the next checkpoint. Managed
 * servers may refuse the first query, or both.
 */
const IDENTITIES = [
  `select concat_ws(' ', system_identifier, left(pg_walfile_name(pg_current_wal_lsn()), 8)) as identity
    from pg_control_system()`,
  'select left(pg_walfile_name(pg_current_wal_lsn()), 8) as identity',
];

/** Finds out when connections lead to another server, or to a standby. */
export class ServerWatch {
  readonly #observer: ServerObserver;
  readonly #elapsed: () => number;
  readonly #recheckMs: number;
  /** When each connection was last checked. */
  #checked = new WeakMap<PoolClient, number>();
  /** The identity that is known to be stored. */
  #stored: string | null = null;

  constructor(observer: ServerObserver, { isPooled, elapsed = () => performance.now() }: WatchOptions) {
    this.#observer = observer;
    this.#elapsed = elapsed;
    this.#recheckMs = isPooled ? RECHECK_POOLED_MS : RECHECK_MS;
  }

  /** Makes every connection be checked again. */
  reset(): void {
    this.#checked = new WeakMap();
  }

  /**
   * Checks the server of a connection unless it was checked lately. Resolves to the server's identity when it may
   * differ from the stored one: then `record` must commit before the connection is used. Throws DatabaseError for a
   * standby: its rows may never become part of the data, and it accepts no writes.
   */
  async check(client: PoolClient): Promise<string | null> {
    const began = this.#elapsed();
    if (began - (this.#checked.get(client) ?? Number.NEGATIVE_INFINITY) < this.#recheckMs) return null;
    try {
      const { rows } = await client.query<{ standby: number; recordable: number; now: string }>(STATE);
      const [state] = rows;
      if (state?.standby === 1) throw new DatabaseError('unavailable', 'PostgreSQL is a standby');
      this.#observer.timeRead(Number(state?.now), this.#elapsed() - began);
      const identity = state?.recordable === 1 ? await identityOf(client) : null;
      this.#checked.set(client, began);
      return identity === this.#stored ? null : identity;
    } catch (error) {
      throw portError(error);
    }
  }

  /** Stores the identity with the changes that another one needs; once for all processes. */
  async record(handle: WriteHandle, identity: string): Promise<void> {
    const isFirst = (await handle.run(store.insertIdentity, { identity })) > 0;
    if (!isFirst && (await handle.run(store.replaceIdentity, { identity })) > 0)
      await this.#observer.serverChanged(handle);
    handle.onCommit(() => {
      this.#stored = identity;
    });
  }
}

/** Null when the server does not tell. */
async function identityOf(client: PoolClient): Promise<string | null> {
  for (const sql of IDENTITIES) {
    try {
      return (await client.query<{ identity: string | null }>(sql)).rows[0]?.identity ?? null;
    } catch (error) {
      if (!(error instanceof SqlError)) throw error;
    }
  }
  return null;
}
