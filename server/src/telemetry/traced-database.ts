import type { Job } from '../jobs.ts';
import type { Database, Priority, WriteHandle } from '../ports/database/database.ts';
import { inSpan, type Tracing } from '../ports/tracing/tracing.ts';

/**
 * Wraps a database, and makes a span for each call inside another span. Calls outside any (edits of sockets) get none.
 */
export function tracedDatabase(db: Database, tracing: Tracing): Database {
  const system = db.engine === 'postgres' ? 'postgresql' : 'sqlite';

  function traced<T>(call: string, work: () => Promise<T>): Promise<T> {
    if (!tracing.isInside) return work();
    const labels = { 'db.system.name': system, 'db.operation.name': call };
    return inSpan(tracing, `database ${call}`, { kind: 'client', labels }, work);
  }

  return {
    engine: db.engine,
    get: (statement, params) => traced('get', () => db.get(statement, params)),
    all: (statement, params) => traced('all', () => db.all(statement, params)),
    allMany: (statement, params, items) => traced('all', () => db.allMany(statement, params, items)),
    read: (body) => traced('read', () => db.read(body)),
    transact: <T>(body: (handle: WriteHandle) => Promise<T>, priority?: Priority) =>
      traced('transact', () => db.transact(body, priority)),
    migrate: (migrations, beforeUpgrade) => db.migrate(migrations, beforeUpgrade),
    [Symbol.asyncDispose]: () => db[Symbol.asyncDispose](),
  };
}

/** Wraps jobs, each run of which becomes a span. */
export function tracedJobs(jobs: readonly Job[], tracing: Tracing): Job[] {
  return jobs.map(({ name, everyMs, run }) => ({
    name,
    everyMs,
    run: (signal) => inSpan(tracing, `job ${name}`, { kind: 'internal' }, () => run(signal)),
  }));
}
