import type { Database, Priority, WriteHandle } from '../ports/database/database.ts';

export function aroundCalls(
  db: Database,
  around: <T>(call: 'get' | 'all' | 'read' | 'transact', work: () => Promise<T>) => Promise<T>,
): Database {
  return {
    engine: db.engine,
    get: (statement, params) => around('get', () => db.get(statement, params)),
    all: (statement, params) => around('all', () => db.all(statement, params)),
    allMany: (statement, params, items) => around('all', () => db.allMany(statement, params, items)),
    read: (body) => around('read', () => db.read(body)),
    transact: <T>(body: (handle: WriteHandle) => Promise<T>, priority?: Priority) =>
      around('transact', () => db.transact(body, priority)),
    migrate: (migrations, beforeUpgrade) => db.migrate(migrations, beforeUpgrade),
    [Symbol.asyncDispose]: () => db[Symbol.asyncDispose](),
  };
}
