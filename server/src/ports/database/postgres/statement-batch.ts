import { type Connection, Query, type QueryResult } from 'pg';
import type { Bindable } from '../statement.ts';
import { valueTypes } from './value-types.ts';

export type StatementResult = Pick<QueryResult, 'rows' | 'rowCount'>;

/** A statement to send; without a name it is parsed anew each time. */
interface Prepared {
  readonly name: string | undefined;
  readonly text: string;
}

/** The columns of a statement's rows, with the parsers of their values. */
interface Shape {
  readonly names: readonly string[];
  readonly parsers: readonly ((text: string) => unknown)[];
}

interface Sent extends PromiseWithResolvers<StatementResult>, Prepared {
  readonly values: readonly Bindable[];
  shape: Shape | null;
  readonly rows: Record<string, unknown>[];
  rowCount: number | null;
  failure: { readonly error: unknown } | undefined;
}

/** The named statements that a connection has prepared, each with the shape of its rows; null for one without rows. */
const prepared = new WeakMap<Connection, Map<string, Shape | null>>();

/** Another statement of the batch failed, so this one was not carried out. Its cause is the error of the other. */
export class SkippedStatement extends Error {
  override readonly name = 'SkippedStatement';
  constructor(cause: unknown) {
    super('a statement before this one failed', { cause });
  }
}

/**
 * Statements that are sent in one write and end with one Sync: each Sync costs the server an answer, and this process a
 * turn of its event loop. After a failed statement the server skips the rest.
 *
 * A named statement is parsed and described once per connection. Its columns cannot change meanwhile: PostgreSQL refuses a
 * prepared statement whose columns changed.
 */
export class StatementBatch extends Query {
  readonly #begin: Prepared | undefined;
  readonly #sent: Sent[] = [];
  #known = new Map<string, Shape | null>();
  #done = 0;
  #begun: boolean;

  /** @param begin the BEGIN of a transaction, before all other statements. */
  constructor(begin?: Prepared) {
    // The callback is called by `pg` when the server has answered the Sync, or with the first error.
    super('', [], (error: unknown) => this.#settle(error ?? undefined));
    this.#begin = begin;
    this.#begun = begin === undefined;
  }

  /** Resolves when the whole batch is answered. Rejects with its error, or with SkippedStatement after another's. */
  add(name: string | undefined, text: string, values: readonly Bindable[]): Promise<StatementResult> {
    const sent = { ...Promise.withResolvers<StatementResult>(), name, text, values };
    this.#sent.push({ ...sent, shape: null, rows: [], rowCount: null, failure: undefined });
    return sent.promise;
  }

  /** Called by `pg`. */
  override submit = (connection: Connection): void => {
    const known = prepared.get(connection) ?? new Map<string, Shape | null>();
    prepared.set(connection, known);
    this.#known = known;
    const parsed = new Set<string>();
    connection.stream.cork();
    try {
      if (this.#begin !== undefined) {
        const { name = '', text } = this.#begin;
        if (name === '') connection.parse({ name, text, types: [] }, false);
        connection.bind({ statement: name, values: [] }, false);
        connection.execute(null, false);
      }
      for (const { name = '', text, values } of this.#sent) {
        const isKnown = name !== '' && (known.has(name) || parsed.has(name));
        if (!isKnown) {
          // It may be prepared although its first execution failed; closing one that is not is no error.
          if (name !== '') connection.close({ type: 'S', name }, false);
          connection.parse({ name, text, types: [] }, false);
          parsed.add(name);
        }
        connection.bind({ statement: name, values: values.map(toWire) }, false);
        if (!known.has(name)) connection.describe({ type: 'P', name: '' }, false);
        connection.execute(null, false);
      }
      connection.sync();
    } finally {
      connection.stream.uncork();
    }
  };

  /** Called by `pg`, like the methods below. */
  handleRowDescription({ fields }: { readonly fields: readonly { name: string; dataTypeID: number }[] }): void {
    const current = this.#current();
    if (current === undefined) return;
    const names = fields.map(({ name }) => name);
    current.shape = { names, parsers: fields.map(({ dataTypeID }) => valueTypes.getTypeParser(dataTypeID)) };
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    const current = this.#current();
    if (current === undefined || current.failure !== undefined) return;
    const { names, parsers } = this.#shapeOf(current) ?? { names: [], parsers: [] };
    const row: Record<string, unknown> = {};
    try {
      for (let index = 0; index < names.length; index++) {
        const value = fields[index] ?? null;
        row[names[index] as string] = value === null ? null : parsers[index]?.(value);
      }
      current.rows.push(row);
    } catch (error) {
      current.failure = { error };
    }
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    if (!this.#begun) {
      this.#begun = true;
      return;
    }
    const current = this.#current();
    if (current === undefined) return;
    current.rowCount = changedRows(text);
    if (current.name !== undefined && !this.#known.has(current.name)) this.#known.set(current.name, current.shape);
    this.#done++;
  }

  #current(): Sent | undefined {
    return this.#sent[this.#done];
  }

  #shapeOf({ name, shape }: Sent): Shape | null {
    return shape ?? (name === undefined ? null : (this.#known.get(name) ?? null));
  }

  #settle(error: unknown): void {
    for (const [index, { failure, rows, rowCount, resolve, reject }] of this.#sent.entries()) {
      if (failure !== undefined) reject(failure.error);
      else if (index < this.#done) resolve({ rows, rowCount });
      else reject(index === this.#done ? error : new SkippedStatement(error));
    }
  }
}

function toWire(value: Bindable): string | Buffer | null {
  if (value === null || typeof value === 'string' || Buffer.isBuffer(value)) return value;
  return typeof value === 'number' ? String(value) : Buffer.from(value.buffer, value.byteOffset, value.byteLength);
}

/** Returns the number of rows from a tag such as `INSERT 0 1` or `UPDATE 3`; null if it names none. */
function changedRows(tag: string): number | null {
  const count = /(\d+)$/.exec(tag)?.[1];
  return count === undefined ? null : Number(count);
}
