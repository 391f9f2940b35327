import type { ListStatement, Statement } from './statement.ts';

/**
 * Reads what is committed.
 *
 * Integers come back as numbers, bytes as Buffer, absent values as null, on every engine.
 */
export interface ReadHandle {
  /** The first row, or undefined when there is none. */
  get<Params, Row>(statement: Statement<Params, Row>, params: Params): Promise<Row | undefined>;
  /** Every row, in the statement's own order. */
  all<Params, Row>(statement: Statement<Params, Row>, params: Params): Promise<Row[]>;
  /** Every row for every item; the order between items is not defined. No items: no rows and no statement. */
  allMany<Params, Item, Row>(
    statement: ListStatement<Params, Item, Row>,
    params: Params,
    items: readonly Item[],
  ): Promise<Row[]>;
}

/** Reads and writes inside one transaction; sees its own writes. */
export interface WriteHandle extends ReadHandle {
  /** Runs a write; resolves to the number of rows it changed. A broken constraint rejects with ConstraintError. */
  run<Params, Row>(statement: Statement<Params, Row>, params: Params): Promise<number>;
  /** Runs a write for every item; resolves to the number of rows changed in all. No items: 0 and no statement. */
  runMany<Params, Item, Row>(
    statement: ListStatement<Params, Item, Row>,
    params: Params,
    items: readonly Item[],
  ): Promise<number>;
  /** Called once after the transaction is on disk, in the order registered; never when it is rolled back. Must not throw. */
  onCommit(effect: () => void): void;
}

/**
 * The only way to stored rows. Its own reads (`get`, `all`, `allMany`) are single statements outside any transaction.
 *
 * `read` gives several statements one snapshot; a body that leaves its handle alone for seconds is cut off, for it holds a
 * connection and old row versions. `transact` commits what its body wrote, or nothing when the body throws:
 * it resolves only when the commit is on disk, also for a body that wrote nothing but may have read what an unfinished
 * commit wrote. The body may be run more than once (deadlock, serialisation failure, a lost shared transaction), so it
 * must have no effect but through its handle; what should follow a commit goes to `onCommit`. A body awaits only its
 * handle: on SQLite all writers share one connection, and a body that waits for anything else is aborted with a
 * DatabaseError (code `body_left_open`) instead of blocking them all.
 *
 * A statement that fails ends its transaction: every later call on the handle rejects with the same error, and so does
 * the transaction, even when the body caught it. To go on after a lost race, catch outside and run a new transaction.
 * A handle outlives nothing: once its body is over, every call on it rejects.
 *
 * Bound values are null, finite or infinite numbers, well-formed text without NUL, and bytes; anything else (also
 * undefined, so that a misspelt parameter never becomes NULL) is a TypeError.
 */
export interface Database extends ReadHandle, AsyncDisposable {
  readonly engine: 'sqlite' | 'postgres';
  read<T>(body: (handle: ReadHandle) => Promise<T>): Promise<T>;
  transact<T>(body: (handle: WriteHandle) => Promise<T>, priority?: Priority): Promise<T>;
  /** Brings the schema up to the last of `migrations`; safe to call from several processes at once: each step runs once. */
  migrate(migrations: readonly Migration[]): Promise<void>;
}

/**
 * How long a body takes. A `bulk` one (thousands of statements) has a transaction to itself, and lets everything but
 * writes go on beside it: on SQLite its handle now and then resolves only at a later turn of the event loop. All other
 * writes wait for it, so prepare outside whatever can be. A `interactive` one is short, and somebody waits for it at every key:
 * on SQLite it goes ahead of all that wait, and shares its transaction with its like only.
 */
export type Priority = 'interactive' | 'normal' | 'bulk';

/**
 * One numbered step of the schema, from 1 without gaps; never edited once released.
 *
 * `ddl` is written once, in PostgreSQL's words, of these column types only: `uuid`, `bytea`, `bigint`, `text`,
 * `double precision`. SQLite gets TEXT, BLOB, INTEGER, TEXT, REAL and STRICT tables.
 */
export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly ddl: string;
  /** Names that this step had in versions whose data is not read any more, each with what to do about such data. */
  readonly unreadable?: Readonly<Record<string, string>>;
}

/** The schema found is not one that these migrations lead to; waiting does not help. The message says what to do. */
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

/** The database cannot do what was asked now (`unavailable`, `overloaded`: try again later) or a caller broke a rule (`body_left_open`). */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError';
  readonly code: 'unavailable' | 'overloaded' | 'body_left_open';
  /** That what is stored is damaged: waiting does not help. */
  readonly damaged: boolean;
  constructor(
    code: 'unavailable' | 'overloaded' | 'body_left_open',
    message: string,
    cause?: unknown,
    { damaged = false }: { readonly damaged?: boolean } = {},
  ) {
    super(message, { cause });
    this.code = code;
    this.damaged = damaged;
  }
}
