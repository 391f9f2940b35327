import { fdatasync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { currentReads } from '../../../concurrency/tenant.ts';
import { syncFolder } from '../../fsync/fsync.ts';
import {
  type Database,
  DatabaseError,
  type Migration,
  type Priority,
  type ReadHandle,
  type WriteHandle,
} from '../database.ts';
import type { Compiled, ListStatement, Statement } from '../statement.ts';
import { Checkpoints } from './checkpoints.ts';
import { Connection, MMAP_BYTES, whenFree } from './connection.ts';
import { isBusy, portError } from './errors.ts';
import { allMany } from './handle.ts';
import { migrateSqlite } from './migrate.ts';
import { Readers } from './readers.ts';
import { Durability } from './wal.ts';
import { Writer } from './writer.ts';

export interface SqliteOptions {
  /** Created if missing, readable only by its owner; its folder must exist. */
  readonly file: string;
  /** Maximum accepted transactions, and separately maximum accepted reads; more are refused as overloaded. */
  readonly maxWaiting?: number;
  /** How long to wait for another process that holds the write lock. */
  readonly busyMs?: number;
  /** How long the body of a read may leave its handle unused. */
  readonly idleMs?: number;
  /** Interval at which mapped pages of the file are unmapped. */
  readonly unmapMs?: number;
  /** Syncs the `-wal` file; tests replace it to observe or fail syncs. */
  readonly sync?: (descriptor: number) => Promise<void>;
}

const EVERY = ['trusted_schema = off', 'temp_store = memory', MMAP_BYTES];
const WRITER = [
  ...EVERY,
  'journal_mode = wal',
  'synchronous = normal',
  'wal_autocheckpoint = 0',
  // Size to which the file is cut when it is reused after a burst. A smaller limit would cost more per sync, because
  // syncing a growing file is more expensive than overwriting one.
  'journal_size_limit = 33554432',
  'cache_size = -65536',
  'foreign_keys = on',
  'secure_delete = on',
];
const READER = [...EVERY, 'cache_size = -16384', 'busy_timeout = 5000'];
const MIGRATOR = [...EVERY, 'synchronous = full', 'wal_autocheckpoint = 0', 'foreign_keys = on'];
const READER_CONNECTIONS = 4;
/** How long a read waits for a connection; earlier reads may be long and yield to other work. */
const READ_WAIT_MS = 30_000;

const syncData = promisify(fdatasync);

/** Left open, because their disk has failed: closing one may copy unsynced pages over good ones. */
const abandoned = new Set<Connection>();

/** Opens or creates the database. Throws DatabaseError when the file cannot be opened or is damaged. */
export async function openSqlite(options: SqliteOptions): Promise<Database> {
  try {
    return await openFile(options);
  } catch (error) {
    throw portError(error);
  }
}

async function openFile(options: SqliteOptions): Promise<Database> {
  const { file, busyMs = 15_000 } = options;
  await create(file);
  // The first connection may have to wait for another process that recovers or closes the database.
  const writer = await whenFree(() => {
    const connection = new Connection(file, { pragmas: WRITER });
    try {
      // Creates the -wal file, which then keeps its inode until the last connection closes.
      connection.exec('begin immediate; commit');
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    }
  }, busyMs);
  const wal = await open(`${file}-wal`, 'r+');
  try {
    // Commits of a killed process can be read from now on, and may be only in the page cache.
    await wal.datasync();
    await syncFolder(dirname(file));
    return new Sqlite(options, busyMs, writer, wal);
  } catch (error) {
    await wal.close();
    writer.close();
    throw error;
  }
}

class Sqlite implements Database {
  readonly engine = 'sqlite';
  readonly #file: string;
  readonly #busyMs: number;
  readonly #connection: Connection;
  readonly #wal: { readonly fd: number; close(): Promise<void> };
  readonly #durability: Durability;
  readonly #checkpoints: Checkpoints;
  readonly #writer: Writer;
  readonly #reader: Connection;
  readonly #readers: Readers;
  readonly #unmapping: NodeJS.Timeout;
  #closed: Promise<void> | undefined;

  constructor(
    options: SqliteOptions,
    busyMs: number,
    connection: Connection,
    wal: { fd: number; close(): Promise<void> },
  ) {
    const { file, maxWaiting = 10_000, idleMs = 10_000, unmapMs = 60_000, sync = syncData } = options;
    this.#file = file;
    this.#busyMs = busyMs;
    this.#connection = connection;
    this.#wal = wal;
    this.#durability = new Durability(
      () => sync(wal.fd),
      () => this.#checkpoints.noticeCommit(),
      othersVersionOf(connection),
    );
    this.#writer = new Writer(connection, this.#durability, { maxWaiting, busyMs });
    this.#checkpoints = new Checkpoints(
      file,
      (work) => this.#writer.lock(work),
      (cause) => this.#durability.fail(cause),
    );
    const openReader = () => new Connection(file, { readOnly: true, pragmas: READER });
    this.#reader = openReader();
    this.#readers = new Readers(openReader, {
      connections: READER_CONNECTIONS,
      connectionsPerTenant: READER_CONNECTIONS - 1,
      maxWaiting,
      waitMs: READ_WAIT_MS,
      idleMs,
    });
    this.#unmapping = setInterval(() => {
      for (const each of [connection, this.#reader, this.#readers]) each.unmap();
    }, unmapMs).unref();
  }

  get<Params, Row>(statement: Statement<Params, Row>, params: Params): Promise<Row | undefined> {
    const compiled = statement.compiled('sqlite');
    return this.#once(compiled, (connection) => connection.get(compiled, params) as Row | undefined);
  }

  all<Params, Row>(statement: Statement<Params, Row>, params: Params): Promise<Row[]> {
    const compiled = statement.compiled('sqlite');
    return this.#once(compiled, (connection) => connection.all(compiled, params, []) as Row[]);
  }

  allMany<Params, Item, Row>(
    statement: ListStatement<Params, Item, Row>,
    params: Params,
    items: readonly Item[],
  ): Promise<Row[]> {
    return this.#once(statement.compiled('sqlite', 1), (connection) => allMany(connection, statement, params, items));
  }

  read<T>(body: (handle: ReadHandle) => Promise<T>): Promise<T> {
    const refusal = this.#closedError();
    return refusal === undefined ? this.#readers.read(body).finally(() => this.#seen()) : Promise.reject(refusal);
  }

  transact<T>(body: (handle: WriteHandle) => Promise<T>, priority: Priority = 'normal'): Promise<T> {
    const refusal = this.#closedError();
    return refusal === undefined ? this.#writer.transact(body, priority) : Promise.reject(refusal);
  }

  async migrate(migrations: readonly Migration[], beforeUpgrade?: () => Promise<void>): Promise<void> {
    const refusal = this.#closedError();
    if (refusal !== undefined) throw refusal;
    const connection = new Connection(this.#file, { pragmas: MIGRATOR });
    try {
      await migrateSqlite(connection, migrations, this.#busyMs, beforeUpgrade);
    } catch (error) {
      throw portError(error);
    } finally {
      connection.close();
    }
    for (const each of [this.#connection, this.#reader, this.#readers]) each.forgetPrepared();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed ??= this.#close();
    await this.#closed;
  }

  async #close(): Promise<void> {
    clearInterval(this.#unmapping);
    await this.#writer.close();
    await this.#checkpoints.close();
    await this.#readers.close();
    this.#reader.close();
    if (this.#durability.failure === undefined) this.#connection.close();
    else abandoned.add(this.#connection);
    await this.#wal.close();
  }

  /** Selects run on the writer's connection while it is in no transaction: a commit empties all other page caches. */
  #once<T>({ isSelect }: Compiled, work: (connection: Connection) => T): Promise<T> {
    const refusal = this.#closedError();
    if (refusal !== undefined) return Promise.reject(refusal);
    try {
      const isFree = isSelect && !this.#connection.inTransaction;
      const result = isFree ? this.#onWriter(work) : work(this.#reader);
      const onDisk = this.#seen();
      return onDisk === undefined ? Promise.resolve(result) : onDisk.then(() => result);
    } catch (error) {
      return Promise.reject(portError(error));
    }
  }

  /** Records a read, so that its request waits for its commits; outside a request, returns the promise to await. */
  #seen(): Promise<void> | undefined {
    const deferred = currentReads()?.add(this.#durability) ?? false;
    return deferred ? undefined : this.#durability.onDisk(this.#durability.newest);
  }

  #onWriter<T>(work: (connection: Connection) => T): T {
    try {
      return work(this.#connection);
    } catch (error) {
      // The writer waits for other processes without blocking the event loop, so it does not wait here at all.
      if (isBusy(error)) return work(this.#reader);
      throw error;
    }
  }

  #closedError(): DatabaseError | undefined {
    if (this.#closed !== undefined) return new DatabaseError('unavailable', 'the database is closed');
    return this.#durability.failure;
  }
}

/** Reads a number that changes with each commit of another connection; undefined when the file is busy. */
function othersVersionOf(connection: Connection): () => number | undefined {
  const version = connection.prepare('pragma data_version');
  return () => {
    try {
      return version();
    } catch (error) {
      if (isBusy(error)) return undefined;
      throw error;
    }
  };
}

/** Never opens an existing file: closing it again would drop the locks of a connection in this process. */
async function create(file: string): Promise<void> {
  try {
    await (await open(file, 'wx', 0o600)).close();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}
