import type { Job } from '../jobs.ts';
import { type Database, DatabaseError } from '../ports/database/database.ts';
import { inSpan, type Tracing } from '../ports/tracing/tracing.ts';
import { aroundCalls } from './around-calls.ts';
import type { Metrics } from './metrics.ts';

const MS = 1000;
/** Each has a series from the start: the first failure of a new one would not look like an increase. */
const CALLS = ['get', 'all', 'read', 'transact'].map((call) => ({ call }));

export function meteredDatabase(db: Database, metrics: Metrics): Database {
  const seconds = metrics.histogram(
    'notevault_database_seconds',
    'Time of database calls, including the time in the queue',
    ['call'],
  );
  const failed = metrics.counter('notevault_database_failures_total', 'Database calls that failed', ['call'], CALLS);

  return aroundCalls(db, async (call, work) => {
    const startedAt = performance.now();
    try {
      return await work();
    } catch (error) {
      // Others are refusals of the caller, such as a conflict, which ended the transaction.
      if (error instanceof DatabaseError) failed({ call });
      throw error;
    } finally {
      seconds((performance.now() - startedAt) / MS, { call });
    }
  });
}

/** Makes a span for each call inside another span. Calls outside any (edits of sockets) get none. */
export function tracedDatabase(db: Database, tracing: Tracing): Database {
  const system = db.engine === 'postgres' ? 'postgresql' : 'sqlite';

  return aroundCalls(db, (call, work) => {
    if (!tracing.isInside) return work();
    const labels = { 'db.system.name': system, 'db.operation.name': call };
    return inSpan(tracing, `database ${call}`, { kind: 'client', labels }, work);
  });
}

/** Each run becomes a span. */
export function tracedJobs(jobs: readonly Job[], tracing: Tracing): Job[] {
  return jobs.map(({ name, everyMs, run }) => ({
    name,
    everyMs,
    run: (signal) => inSpan(tracing, `job ${name}`, { kind: 'internal' }, () => run(signal)),
  }));
}
