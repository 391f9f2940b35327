import type { Database, Pace, WriteHandle } from './engines/database/database.ts';
import type { Metrics } from './metrics.ts';

const MS = 1000;

/** The same database, whose calls are counted and timed. */
export function meteredDatabase(db: Database, metrics: Metrics): Database {
  const seconds = metrics.histogram(
    'notevault_database_seconds',
    'Time of database calls, waiting for their turn included',
  );
  const failed = metrics.counter('notevault_database_failures_total', 'Database calls that failed');

  async function timed<T>(call: string, work: () => Promise<T>): Promise<T> {
    const began = performance.now();
    try {
      return await work();
    } catch (error) {
      failed({ call });
      throw error;
    } finally {
      seconds((performance.now() - began) / MS, { call });
    }
  }

  return {
    engine: db.engine,
    get: (statement, params) => timed('get', () => db.get(statement, params)),
    all: (statement, params) => timed('all', () => db.all(statement, params)),
    allIn: (statement, params, items) => timed('all', () => db.allIn(statement, params, items)),
    read: (body) => timed('read', () => db.read(body)),
    transact: <T>(body: (handle: WriteHandle) => Promise<T>, pace?: Pace) =>
      timed('transact', () => db.transact(body, pace)),
    migrate: (migrations) => db.migrate(migrations),
    [Symbol.asyncDispose]: () => db[Symbol.asyncDispose](),
  };
}
