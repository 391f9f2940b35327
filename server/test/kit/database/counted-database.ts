import type { Database, ReadHandle, WriteHandle } from '../../../src/ports/database/database.ts';
import { listSizes } from '../../../src/ports/database/statement.ts';

/** Counts of statements sent to a database. */
export interface StatementCounts {
  /** Statements, each piece of a list being one; without BEGIN and COMMIT. */
  statements: number;
  /**
   * Round trips to a database elsewhere that are waited for: statements sent before the answer to an earlier one share
   * its round trip, and so does BEGIN; a COMMIT of writes is one. Meaningful on PostgreSQL only.
   */
  roundTrips: number;
  /** Transactions that may write, those that run several reads on one snapshot, and reads outside of both. */
  writes: number;
  snapshots: number;
  reads: number;
}

const NOTHING: StatementCounts = { statements: 0, roundTrips: 0, writes: 0, snapshots: 0, reads: 0 };
const CALLS: ReadonlySet<string | symbol> = new Set(['get', 'all', 'run', 'allMany', 'runMany']);

/** Counts what `db` is asked for, until `reset`. */
export function countedDatabase(db: Database): Database & { readonly counts: StatementCounts; reset(): void } {
  const counts = { ...NOTHING };
  const counting = <Handle extends ReadHandle | WriteHandle>(handle: Handle): Handle => {
    let underWay = 0;
    return new Proxy(handle, {
      get(_target, name) {
        const value: unknown = Reflect.get(handle, name, handle);
        if (typeof value !== 'function') return value;
        if (!CALLS.has(name)) return value.bind(handle);
        return (...sent: [statement: unknown, params: unknown, items?: readonly unknown[]]) => {
          const pieces = sent[2] === undefined ? 1 : listSizes(sent[2].length).length;
          counts.statements += pieces;
          if (pieces > 0 && underWay === 0) counts.roundTrips++;
          underWay++;
          return (value.apply(handle, sent) as Promise<unknown>).finally(() => underWay--);
        };
      },
    });
  };
  // Reads of one turn share a round trip too.
  const single = counting<ReadHandle>(db);
  const read = <T>(work: (handle: ReadHandle) => Promise<T>): Promise<T> => {
    const before = counts.statements;
    const result = work(single);
    if (counts.statements > before) counts.reads++;
    return result;
  };
  return {
    engine: db.engine,
    get: (statement, params) => read((handle) => handle.get(statement, params)),
    all: (statement, params) => read((handle) => handle.all(statement, params)),
    allMany: (statement, params, items) => read((handle) => handle.allMany(statement, params, items)),
    read(body) {
      counts.snapshots++;
      return db.read((handle) => body(counting(handle)));
    },
    transact(body, priority) {
      counts.writes++;
      counts.roundTrips++;
      return db.transact((handle) => body(counting(handle)), priority);
    },
    migrate: (migrations, beforeUpgrade) => db.migrate(migrations, beforeUpgrade),
    [Symbol.asyncDispose]: () => db[Symbol.asyncDispose](),
    counts,
    reset: () => void Object.assign(counts, NOTHING),
  };
}
