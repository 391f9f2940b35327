import type { Deletion, Engine, ListStatement, Statement } from './statement.ts';

/** A row of a query; columns have the same names and values on both engines. */
export type SnapshotRow = Readonly<Record<string, string | number | Uint8Array | null>>;

/** A part of a snapshot: the file of an embedded database, or the rows of one table. */
export interface SnapshotPart {
  readonly name: string;
  /** The columns of a table, in the order of its rows; null for a file. */
  readonly columns: readonly string[] | null;
  /** Must be iterated to the end before the next part. A piece may be overwritten by the next one. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** The whole database as it was at one moment, read beside writers, which do not wait for it. */
export interface DatabaseSnapshot extends AsyncDisposable {
  readonly engine: Engine;
  /** Runs a query on the snapshot; parameters are `$1`, `$2`… Not while a part is read. */
  all(sql: string, ...params: readonly (string | number)[]): Promise<readonly SnapshotRow[]>;
  /** All that a restore needs, without the rows of tables that were left out, in the order in which it can be restored. */
  parts(): AsyncIterable<SnapshotPart>;
}

/** Reads committed rows. On every engine integers are numbers, bytes Buffers, and absent values null. */
export interface ReadHandle {
  /** The first row, or undefined when there is none. */
  get<Params, Row>(statement: Statement<Params, Row>, params: Params): Promise<Row | undefined>;
  /** Every row, in the statement's order. */
  all<Params, Row>(statement: Statement<Params, Row>, params: Params): Promise<Row[]>;
  /** Every row of every item; the order between items is undefined. Without items no statement runs. */
  allMany<Params, Item, Row>(
    statement: ListStatement<Params, Item, Row>,
    params: Params,
    items: readonly Item[],
  ): Promise<Row[]>;
}

/** Reads and writes inside one transaction; sees its own writes. */
export interface WriteHandle extends ReadHandle {
  /** Runs a write; resolves to the number of changed rows. A violated constraint rejects with ConstraintError. */
  run<Params, Row>(statement: Statement<Params, Row>, params: Params): Promise<number>;
  /** Runs a write for every item; resolves to the total number of changed rows. Without items no statement runs. */
  runMany<Params, Item, Row>(
    statement: ListStatement<Params, Item, Row>,
    params: Params,
    items: readonly Item[],
  ): Promise<number>;
  /** Registers an effect that is called once the transaction is on disk, in order. Must not throw. */
  onCommit(effect: () => void): void;
}

/**
 * The only access to stored rows. Its own reads (`get`, `all`, `allMany`) are single statements outside any
 * transaction.
 *
 * Reads resolve once the commits that they may have seen are on disk, so that a power cut cannot undo data that was
 * sent. Under `runWithPendingReads` they resolve immediately, and the caller waits for the disk instead.
 *
 * `read` runs several statements on one snapshot. A body that does not use its handle for seconds is aborted, because
 * it holds a connection and old row versions.
 *
 * `transact` commits what its body wrote, or nothing when the body throws. It resolves only when the commit is on disk,
 * even for a body that wrote nothing, which may have read rows of an unfinished commit. A body may run more than once
 * (deadlock, serialisation failure, a lost shared transaction), so its only effects must be writes through its handle;
 * everything that should follow the commit goes into `onCommit`. A body awaits nothing but its handle: on SQLite all
 * writers share one connection, so a body that waits for anything else is aborted with a DatabaseError (code
 * `body_left_open`) instead of blocking them.
 *
 * A failed statement ends its transaction: all later calls on the handle, and the transaction itself, reject with the
 * same error, even when the body caught it. To continue after a lost race, catch the error outside and run a new
 * transaction. A handle rejects every call after its body has ended.
 *
 * Bound values are null, finite or infinite numbers, well-formed text without NUL, and bytes. Anything else is a
 * TypeError; so is undefined, so that a misspelt parameter never becomes NULL.
 */
export interface Database extends ReadHandle, AsyncDisposable {
  readonly engine: 'sqlite' | 'postgres';
  read<T>(body: (handle: ReadHandle) => Promise<T>): Promise<T>;
  transact<T>(body: (handle: WriteHandle) => Promise<T>, priority?: Priority): Promise<T>;
  /**
   * Brings the schema up to the last of `migrations`. Safe to call from several processes at once: each step runs once.
   *
   * @param beforeUpgrade called once before the first step, unless the database is empty or up to date. When it
   * rejects, nothing is changed.
   */
  migrate(migrations: readonly Migration[], beforeUpgrade?: () => Promise<void>): Promise<void>;
}

/**
 * The expected duration of a body.
 *
 * - `bulk`: thousands of statements, in a transaction of its own, during which everything but writes continues. On
 *   SQLite its handle sometimes resolves only at a later turn of the event loop. All other writes wait for it, so
 *   prepare as much as possible outside the body.
 * - `interactive`: short, and awaited at every keystroke. On SQLite it goes ahead of all others that wait, and shares
 *   its transaction only with bodies of this kind.
 * - `normal`: everything else.
 */
export type Priority = 'interactive' | 'normal' | 'bulk';

/**
 * One numbered step of the schema, counted from 1 without gaps; never edited once released.
 *
 * `ddl` is written once, in PostgreSQL's syntax, with these column types only: `uuid`, `bytea`, `bigint`, `text`,
 * `double precision`. SQLite gets TEXT, BLOB, INTEGER, TEXT, REAL and STRICT tables.
 */
export interface Migration {
  readonly number: number;
  readonly name: string;
  /** The release that has the step first; recorded with it, so that an older one can say which to use instead. */
  readonly version?: string;
  readonly ddl: string;
  /** Names that this step had in versions whose data can no longer be read, each with what to do about such data. */
  readonly unreadable?: Readonly<Record<string, string>>;
}

/** The database's schema is not one of these migrations; waiting does not help. The message says what to do. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';
}

/** A constraint refused a write: `unique` (also primary keys), `foreign` or `check` (also `not null`). */
export class ConstraintError extends Error {
  override readonly name = 'ConstraintError';
  readonly kind: 'unique' | 'foreign' | 'check';
  constructor(kind: 'unique' | 'foreign' | 'check', cause: unknown) {
    super(`a ${kind} constraint refused the write`, { cause });
    this.kind = kind;
  }
}

/** The database cannot answer now (`unavailable`, `overloaded`), or a caller broke a rule (`body_left_open`). */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError';
  readonly code: 'unavailable' | 'overloaded' | 'body_left_open';
  /** Whether stored data is damaged, so that waiting does not help. */
  readonly damaged: boolean;
  /** Whether the disk is full, so that only reads succeed. */
  readonly full: boolean;
  constructor(
    code: 'unavailable' | 'overloaded' | 'body_left_open',
    message: string,
    cause?: unknown,
    { damaged = false, full = false }: { readonly damaged?: boolean; readonly full?: boolean } = {},
  ) {
    super(message, { cause });
    this.code = code;
    this.damaged = damaged;
    this.full = full;
  }
}

/** Whether a call failed because the disk is full. */
export function isFull(error: unknown): boolean {
  return error instanceof DatabaseError && error.full;
}

export function handleIsOver(): DatabaseError {
  return new DatabaseError('body_left_open', 'this handle was used after its body was over');
}

/** Reads pages of `limit` rows, each after the last row of the one before, until one is not full. */
export async function* pagesOf<Params extends { readonly limit: number }, Row>(
  handle: ReadHandle,
  statement: Statement<Params, Row>,
  after: (last: Row | undefined) => Params,
): AsyncGenerator<Row[]> {
  for (let last: Row | undefined; ; ) {
    const params = after(last);
    const page = await handle.all(statement, params);
    if (page.length > 0) yield page;
    if (page.length < params.limit) return;
    last = page.at(-1);
  }
}

/** The rows of `pagesOf`, one by one. */
export async function* rowsOf<Params extends { readonly limit: number }, Row>(
  ...read: Parameters<typeof pagesOf<Params, Row>>
): AsyncGenerator<Row> {
  for await (const page of pagesOf(...read)) yield* page;
}

const DELETED_AT_ONCE = 500;

/** Deletes all rows that expired by `until`, one slice per transaction. Resolves to their number. */
export async function deleteUntil(db: Database, deletion: Deletion, until: number): Promise<number> {
  for (let deleted = 0; ; ) {
    const count = await db.transact((handle) => handle.run(deletion, { until, limit: DELETED_AT_ONCE }));
    deleted += count;
    if (count < DELETED_AT_ONCE) return deleted;
  }
}
