import { BodyDeadline } from './body-deadline.ts';
import { DatabaseError, type ReadHandle } from './database.ts';
import type { Connection } from './sqlite.connection.ts';
import { portError } from './sqlite.errors.ts';
import { SqliteHandle } from './sqlite.handle.ts';

export interface ReaderLimits {
  readonly connections: number;
  /** Bodies that may wait for a connection; more are refused as overloaded. */
  readonly maxWaiting: number;
  /** A body that leaves its handle alone for so long is cut off: its snapshot keeps the `-wal` file from being reused. */
  readonly idleMs: number;
}

/** Gives snapshots: each body has a connection of its own, in one read transaction. */
export class Readers {
  readonly #open: () => Connection;
  readonly #limits: ReaderLimits;
  readonly #all: Connection[] = [];
  readonly #idle: Connection[] = [];
  readonly #waiting: PromiseWithResolvers<Connection>[] = [];
  #closing = false;

  constructor(open: () => Connection, limits: ReaderLimits) {
    this.#open = open;
    this.#limits = limits;
  }

  async read<T>(body: (handle: ReadHandle) => Promise<T>): Promise<T> {
    const connection = await this.#take();
    try {
      return await this.#snapshot(connection, body);
    } catch (error) {
      throw portError(error);
    } finally {
      this.#give(connection);
    }
  }

  unmap(): void {
    for (const connection of this.#all) connection.unmap();
  }

  forgetPrepared(): void {
    for (const connection of this.#all) connection.forgetPrepared();
  }

  /** Refuses new bodies and waits for those under way. */
  async close(): Promise<void> {
    this.#closing = true;
    for (const waiting of this.#waiting.splice(0)) waiting.reject(closed());
    while (this.#idle.length < this.#all.length) await new Promise((resolve) => setImmediate(resolve));
    for (const connection of this.#all) connection.close();
  }

  async #snapshot<T>(connection: Connection, body: (handle: ReadHandle) => Promise<T>): Promise<T> {
    const leftOpen = Promise.withResolvers<never>();
    using deadline = new BodyDeadline(this.#limits.idleMs, () => leftOpen.reject(readLeftOpen()));
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

  async #take(): Promise<Connection> {
    if (this.#closing) throw closed();
    const idle = this.#idle.pop();
    if (idle !== undefined) return idle;
    if (this.#all.length < this.#limits.connections) {
      return this.#another();
    }
    if (this.#waiting.length >= this.#limits.maxWaiting) {
      throw new DatabaseError('overloaded', 'too many readers are waiting');
    }
    const waiting = Promise.withResolvers<Connection>();
    this.#waiting.push(waiting);
    return waiting.promise;
  }

  #another(): Connection {
    try {
      const connection = this.#open();
      this.#all.push(connection);
      return connection;
    } catch (error) {
      throw portError(error);
    }
  }

  #give(connection: Connection): void {
    const waiting = this.#waiting.shift();
    if (waiting === undefined) this.#idle.push(connection);
    else waiting.resolve(connection);
  }
}

function readLeftOpen(): DatabaseError {
  return new DatabaseError('body_left_open', 'the body of a read left its handle alone for too long');
}

function closed(): DatabaseError {
  return new DatabaseError('unavailable', 'the database is closed');
}
