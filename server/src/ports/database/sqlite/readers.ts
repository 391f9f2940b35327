import { type ConnectionLimits, ConnectionPermits } from '../connection-permits.ts';
import { DatabaseError, type ReadHandle } from '../database.ts';
import { TransactionWatchdog } from '../transaction-watchdog.ts';
import type { Connection } from './connection.ts';
import { portError } from './errors.ts';
import { SqliteHandle } from './handle.ts';

export interface ReaderLimits extends ConnectionLimits {
  /** A body that leaves its handle unused for this long is aborted: its snapshot keeps the `-wal` file from reuse. */
  readonly idleMs: number;
}

/** Runs bodies on snapshots: each has its own connection, in one read transaction. */
export class Readers {
  readonly #open: () => Connection;
  readonly #limits: ReaderLimits;
  readonly #all: Connection[] = [];
  readonly #idle: Connection[] = [];
  readonly #permits: ConnectionPermits;
  #closing = false;

  constructor(open: () => Connection, limits: ReaderLimits) {
    this.#open = open;
    this.#limits = limits;
    this.#permits = new ConnectionPermits(limits);
  }

  async read<T>(body: (handle: ReadHandle) => Promise<T>): Promise<T> {
    if (this.#closing) throw closed();
    using _ = await this.#permits.acquire();
    const connection = this.#idle.pop() ?? this.#openOne();
    try {
      return await this.#snapshot(connection, body);
    } catch (error) {
      throw portError(error);
    } finally {
      this.#idle.push(connection);
    }
  }

  unmap(): void {
    for (const connection of this.#all) connection.unmap();
  }

  forgetPrepared(): void {
    for (const connection of this.#all) connection.forgetPrepared();
  }

  /** Refuses new bodies and waits for running ones. */
  async close(): Promise<void> {
    this.#closing = true;
    this.#permits.refuseWaiting(closed());
    while (this.#idle.length < this.#all.length) await new Promise((resolve) => setImmediate(resolve));
    for (const connection of this.#all) connection.close();
  }

  async #snapshot<T>(connection: Connection, body: (handle: ReadHandle) => Promise<T>): Promise<T> {
    const leftOpen = Promise.withResolvers<never>();
    using deadline = new TransactionWatchdog(this.#limits.idleMs, () => leftOpen.reject(readLeftOpen()));
    const handle = new SqliteHandle(connection, () => deadline.used());
    connection.exec('begin');
    try {
      const value = await Promise.race([body(handle), leftOpen.promise]);
      if (handle.failure !== undefined) throw handle.failure.error;
      return value;
    } finally {
      handle.end();
      if (connection.inTransaction) connection.exec('rollback');
    }
  }

  #openOne(): Connection {
    try {
      const connection = this.#open();
      this.#all.push(connection);
      return connection;
    } catch (error) {
      throw portError(error);
    }
  }
}

function readLeftOpen(): DatabaseError {
  return new DatabaseError('body_left_open', 'the body of a read did not use its handle for too long');
}

function closed(): DatabaseError {
  return new DatabaseError('unavailable', 'the database is closed');
}
