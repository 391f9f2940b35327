import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import type { Compiled } from '../statement.ts';
import { type Bindable, valuesOf } from '../statement.ts';
import { isBusy } from './errors.ts';

/** SQLite's default. */
export const PAGE_BYTES = 4096;
/** Setting for the bytes of the file that a connection maps into memory. */
export const MMAP_BYTES = 'mmap_size = 268435456';

interface Prepared {
  readonly statement: StatementSync;
  readonly columns: readonly string[];
}

/**
 * One connection with its prepared statements. Every call runs synchronously and throws SQLite's own errors.
 *
 * Nothing else in this process may open and close the database file or its `-shm`: when a process closes any descriptor
 * of a file, POSIX drops all locks that the process holds on it. The `-wal` file carries no locks.
 */
export class Connection {
  readonly #db: DatabaseSync;
  #prepared = new WeakMap<Compiled, Prepared>();

  constructor(file: string, options: { readOnly?: boolean; pragmas: readonly string[] }) {
    this.#db = new DatabaseSync(file, { readOnly: options.readOnly ?? false });
    try {
      for (const pragma of options.pragmas) this.#db.exec(`pragma ${pragma}`);
    } catch (error) {
      this.#db.close();
      throw error;
    }
  }

  /** Becomes false when SQLite itself rolls a transaction back, which it does on some errors. */
  get inTransaction(): boolean {
    return this.#db.isTransaction;
  }

  get(compiled: Compiled, params: unknown): object | undefined {
    const values = valuesOf(compiled, params, []);
    const prepared = this.#prepare(compiled);
    const row = prepared.statement.get(...values) as Bindable[] | undefined;
    return row === undefined ? undefined : named(row, prepared.columns);
  }

  all(compiled: Compiled, params: unknown, items: readonly unknown[]): object[] {
    const values = valuesOf(compiled, params, items);
    const prepared = this.#prepare(compiled);
    const rows = prepared.statement.all(...values) as unknown as Bindable[][];
    return rows.map((row) => named(row, prepared.columns));
  }

  run(compiled: Compiled, params: unknown, items: readonly unknown[]): number {
    const values = valuesOf(compiled, params, items);
    return Number(this.#prepare(compiled).statement.run(...values).changes);
  }

  exec(sql: string): void {
    this.#db.exec(sql);
  }

  /** Prepares a statement of the adapter itself that returns at most one number. */
  prepare(sql: string): () => number {
    const statement = this.#db.prepare(sql);
    statement.setReturnArrays(true);
    return () => (statement.get() as unknown as [number] | undefined)?.[0] ?? 0;
  }

  /**
   * Unmaps the file's pages; later reads map them again. Each connection maps pages separately, so a page counts
   * several times as resident memory of the process for as long as it stays mapped.
   */
  unmap(): void {
    if (this.inTransaction) return;
    this.#db.exec('pragma mmap_size = 0');
    this.#db.exec(`pragma ${MMAP_BYTES}`);
  }

  /** Drops the prepared statements, which keep the columns of the schema under which they were prepared. */
  forgetPrepared(): void {
    this.#prepared = new WeakMap();
  }

  close(): void {
    this.#db.close();
  }

  #prepare(compiled: Compiled): Prepared {
    let prepared = this.#prepared.get(compiled);
    if (prepared === undefined) {
      const statement = this.#db.prepare(compiled.sql);
      // Because building the objects here is faster than converting SQLite's prototype-less ones.
      statement.setReturnArrays(true);
      prepared = { statement, columns: statement.columns().map((column) => column.name) };
      this.#prepared.set(compiled, prepared);
    }
    return prepared;
  }
}

function named(row: readonly Bindable[], columns: readonly string[]): object {
  const result: Record<string, unknown> = {};
  for (let index = 0; index < columns.length; index++) {
    const value = row[index];
    const name = columns[index] ?? '';
    result[name] = value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : value;
  }
  return result;
}

/** Retries `work` while another process holds the lock it needs. SQLite's own handler would block the event loop. */
export async function whenFree<T>(work: () => T, patienceMs: number): Promise<T> {
  const giveUpAt = performance.now() + patienceMs;
  for (let pause = 1; ; pause = Math.min(pause * 2, 25)) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || performance.now() > giveUpAt) throw error;
    }
    await delay(pause * (0.5 + Math.random()));
  }
}
