import { setTimeout as delay } from 'node:timers/promises';
import { Client, type ClientConfig, Pool, type PoolClient } from 'pg';
import type { Permit } from '../../../concurrency/semaphore.ts';
import { ConnectionPermits } from '../connection-permits.ts';
import {
  type Database,
  DatabaseError,
  type Migration,
  type ReadHandle,
  SchemaError,
  type WriteHandle,
} from '../database.ts';
import { type Compiled, type ListStatement, listSizes, type Statement, valuesOf } from '../statement.ts';
import { LATE_PERIODS, TransactionWatchdog } from '../transaction-watchdog.ts';
import { isUnavailable, isWorthRetrying, portError } from './errors.ts';
import { PostgresHandle } from './handle.ts';
import { migratePostgres } from './migrate.ts';
import { type ServerObserver, ServerWatch } from './server-watch.ts';
import { type Begin, prepareConnection, Session, StatementNames } from './session.ts';
import { SharedReads } from './shared-reads.ts';
import { valueTypes } from './value-types.ts';

export interface PostgresOptions {
  readonly url: string;
  /** Address without a pooler, where there is one: for changes of the schema. */
  readonly directUrl?: string | null;
  readonly poolSize?: number;
  /**
   * Whether statements are prepared once per connection. Not behind a pooler in transaction mode, which gives each
   * transaction another connection: then nothing is kept on one, so the role's settings must limit statements.
   */
  readonly prepared?: boolean;
  readonly statementTimeoutMs?: number;
  /** Maximum callers waiting for a connection; more are refused as overloaded. */
  readonly maxWaiting?: number;
  readonly waitMs?: number;
  /** How long a body may leave its handle unused while it holds a connection and perhaps locks. */
  readonly idleMs?: number;
  /** Told about the server, which is checked on every new connection; null checks nothing. */
  readonly observer?: ServerObserver | null;
}

const ATTEMPTS = 10;
const CONNECT_MS = 10_000;
/** How long after the server's own timeout the client considers the connection dead. */
const SILENCE_MS = 5_000;

export async function openPostgres(options: PostgresOptions): Promise<Database> {
  const db = new Postgres(options);
  try {
    await db.ping();
    return db;
  } catch (error) {
    await db[Symbol.asyncDispose]();
    throw error;
  }
}

class Postgres implements Database {
  readonly engine = 'postgres';
  readonly #pool: Pool;
  /** Configuration of a dedicated connection outside the pool. */
  readonly #direct: ClientConfig;
  readonly #permits: ConnectionPermits;
  readonly #idleMs: number;
  readonly #names: StatementNames;
  readonly #reads: SharedReads;
  readonly #watch: ServerWatch | null;
  #accepted = 0;
  #idle: (() => void) | undefined;
  #closed: Promise<void> | undefined;

  constructor(options: PostgresOptions) {
    const { url, poolSize = 10, prepared = true, maxWaiting = 10_000, waitMs = 10_000 } = options;
    const { statementTimeoutMs = 30_000, observer = null } = options;
    this.#names = new StatementNames(prepared);
    this.#reads = new SharedReads(() => this.#connect(), this.#names);
    this.#watch = observer === null ? null : new ServerWatch(observer, { isPooled: !prepared });
    // Half of the pool, so that a tenant with much slow work leaves half to the others.
    const connectionsPerTenant = Math.ceil(poolSize / 2);
    this.#permits = new ConnectionPermits({ connections: poolSize, connectionsPerTenant, maxWaiting, waitMs });
    this.#idleMs = options.idleMs ?? 5_000;
    const config = { connectionString: url, application_name: 'notevault', keepAlive: true, types: valueTypes };
    this.#direct = { ...config, connectionString: options.directUrl ?? url };
    this.#pool = new Pool({
      ...config,
      max: poolSize,
      pipeline: true,
      query_timeout: statementTimeoutMs + SILENCE_MS,
      connectionTimeoutMillis: CONNECT_MS,
      idleTimeoutMillis: 60_000,
      ...(prepared && {
        statement_timeout: statementTimeoutMs,
        // Our own watchdog aborts the body first and answers the caller; this timeout is for a process that hangs.
        idle_in_transaction_session_timeout: this.#idleMs * (2 + LATE_PERIODS) + SILENCE_MS,
        onConnect: prepareConnection,
      }),
    });
    // A broken connection emits an event besides rejecting its calls; an unhandled event would end the process.
    this.#pool.on('error', () => {});
    this.#pool.on('connect', (client) => client.on('error', () => {}));
  }

  async ping(): Promise<void> {
    (await this.#connect()).release();
  }

  async get<Params, Row>(statement: Statement<Params, Row>, params: Params): Promise<Row | undefined> {
    return (await this.#once(statement.compiled('postgres'), params, []))[0] as Row | undefined;
  }

  async all<Params, Row>(statement: Statement<Params, Row>, params: Params): Promise<Row[]> {
    return (await this.#once(statement.compiled('postgres'), params, [])) as Row[];
  }

  async allMany<Params, Item, Row>(
    statement: ListStatement<Params, Item, Row>,
    params: Params,
    items: readonly Item[],
  ): Promise<Row[]> {
    if (items.length === 0) return [];
    const sizes = listSizes(items.length);
    // Several statements must not see different states.
    if (sizes.length > 1) return this.read((handle) => handle.allMany(statement, params, items));
    return (await this.#once(statement.compiled('postgres', items.length), params, items)) as Row[];
  }

  read<T>(body: (handle: ReadHandle) => Promise<T>): Promise<T> {
    return this.#retried(() =>
      this.#transaction('begin_read', body, async (session, lease) => {
        // Nothing can be lost any more, so the caller does not wait for the answer.
        session.commit().then(
          () => lease.release(),
          () => lease.release(true),
        );
      }),
    );
  }

  /** Every body has its own connection here, so a bulk one needs no special treatment. */
  transact<T>(body: (handle: WriteHandle) => Promise<T>): Promise<T> {
    return this.#retried(() =>
      this.#transaction('begin_write', body, async (session, lease) => {
        await session.commit();
        lease.release();
      }),
    );
  }

  async migrate(migrations: readonly Migration[], beforeUpgrade?: () => Promise<void>): Promise<void> {
    // Not from the pool, whose timeouts are too short for a large table.
    const client = new Client(this.#direct);
    client.on('error', () => {});
    let failure: { readonly error: unknown } | undefined;
    const before = () =>
      beforeUpgrade?.().catch((error: unknown) => {
        failure = { error };
        throw error;
      });
    try {
      await client.connect();
      await migratePostgres(client, migrations, beforeUpgrade && before);
    } catch (error) {
      // Only errors of PostgreSQL become the port's.
      throw error instanceof SchemaError || failure?.error === error ? error : portError(error);
    } finally {
      await client.end().catch(() => {});
      this.#names.renew();
      this.#watch?.reset();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed ??= this.#close();
    await this.#closed;
  }

  async #close(): Promise<void> {
    // Waits by itself, because ending the pool would drop callers that wait for a connection.
    if (this.#accepted > 0) await new Promise<void>((resolve) => (this.#idle = resolve));
    await this.#pool.end();
  }

  /** One statement outside any transaction. */
  #once(compiled: Compiled, params: unknown, items: readonly unknown[]): Promise<unknown[]> {
    return this.#retried(async () => this.#reads.run(compiled, valuesOf(compiled, params, items)));
  }

  /** Runs a body; `end` commits and releases the connection, unless it throws. */
  async #transaction<T>(
    begin: Begin,
    body: (handle: WriteHandle) => Promise<T>,
    end: (session: Session, lease: Lease) => Promise<void>,
    leased?: Lease,
  ): Promise<T> {
    const lease = leased ?? (await this.#connect());
    const session = new Session(lease.client, this.#names, begin);
    const leftOpen = Promise.withResolvers<never>();
    using deadline = new TransactionWatchdog(this.#idleMs, () => leftOpen.reject(bodyLeftOpen()));
    const handle = new PostgresHandle(session, deadline);
    let value: T;
    try {
      value = await Promise.race([body(handle), leftOpen.promise]);
      handle.end();
      if (handle.failure !== undefined) throw handle.failure.error;
      await end(session, lease);
    } catch (error) {
      handle.end();
      await releaseLease(lease, session, error);
      // A body may throw its own error after a deadlock; whether to run it again depends on the deadlock.
      const first = handle.failure?.error;
      throw isWorthRetrying(first) ? first : error;
    }
    for (const effect of handle.effects) perform(effect);
    return value;
  }

  async #retried<T>(attempt: () => Promise<T>): Promise<T> {
    if (this.#closed !== undefined) throw new DatabaseError('unavailable', 'the database is closed');
    this.#accepted++;
    try {
      for (let attempts = 1; ; attempts++) {
        try {
          return await attempt();
        } catch (error) {
          if (!isWorthRetrying(error) || attempts === ATTEMPTS) throw error;
        }
        await delay(Math.random() * Math.min(200, 2 ** attempts));
      }
    } finally {
      this.#accepted--;
      if (this.#accepted === 0) this.#idle?.();
    }
  }

  /** A connection to the server that the database is known to be on. */
  async #connect(): Promise<Lease> {
    const lease = await this.#lease();
    const watch = this.#watch;
    if (watch === null) return lease;
    const identity = await watch.check(lease.client).catch((error: unknown) => {
      lease.release(true);
      throw error;
    });
    // It releases the connection when it fails.
    const record = (handle: WriteHandle) => watch.record(handle, identity ?? '');
    if (identity !== null) await this.#transaction('begin_write', record, (session) => session.commit(), lease);
    return lease;
  }

  async #lease(): Promise<Lease> {
    const permit = await this.#permits.acquire();
    try {
      return new Lease(await this.#pool.connect(), permit);
    } catch (error) {
      permit[Symbol.dispose]();
      throw new DatabaseError('unavailable', 'PostgreSQL cannot be reached', error);
    }
  }
}

/** A connection of the pool, with its tenant's permit for it. */
class Lease {
  readonly client: PoolClient;
  readonly #permit: Permit;

  constructor(client: PoolClient, permit: Permit) {
    this.client = client;
    this.#permit = permit;
  }

  /** Releases the connection, or closes it when it is broken. */
  release(broken = false): void {
    this.client.release(broken);
    this.#permit[Symbol.dispose]();
  }
}

/** Rolls back and releases the connection, or closes it when that fails. */
async function releaseLease(lease: Lease, session: Session, error: unknown): Promise<void> {
  let broken = isUnavailable(error);
  try {
    await session.rollback();
  } catch {
    broken = true;
  }
  lease.release(broken);
}

function perform(effect: () => void): void {
  try {
    effect();
  } catch (error) {
    // The transaction is committed, so its caller must not see the error, which is reported as uncaught instead.
    queueMicrotask(() => {
      throw error;
    });
  }
}

function bodyLeftOpen(): DatabaseError {
  return new DatabaseError('body_left_open', 'the body of a transaction did not use its handle for too long');
}
