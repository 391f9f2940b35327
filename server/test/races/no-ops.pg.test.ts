import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database } from '../../src/ports/database/database.ts';
import { onEachEngine } from '../kit/engines.ts';
import type { Answer } from '../kit/person.ts';
import { startServer } from '../kit/server.ts';

/** A database that counts its transactions. */
function counting(db: Database) {
  const counted = { transactions: 0 };
  const watched: Database = {
    engine: db.engine,
    get: (statement, params) => db.get(statement, params),
    all: (statement, params) => db.all(statement, params),
    allMany: (statement, params, items) => db.allMany(statement, params, items),
    read: (body) => db.read(body),
    transact(body, priority) {
      counted.transactions += 1;
      return db.transact(body, priority);
    },
    migrate: (migrations) => db.migrate(migrations),
    [Symbol.asyncDispose]: () => db[Symbol.asyncDispose](),
  };
  return { counted, db: watched };
}

onEachEngine('a write that finds nothing to do', (open) => {
  // Reads may see commits that are not on disk yet; the end of a transaction waits for all earlier ones.
  test('answers after a transaction, so that the state it reports is on disk', async () => {
    const { counted, db } = counting(await open());
    await using server = await startServer({ open: async () => db });
    const { alice } = server;
    await alice.post('/vaults', { name: 'Notes' });
    const client = { client_id: 'laptop', name: 'Laptop' };
    await alice.post('/vaults/register', client);
    await alice.post('/folders', { folder: 'Made' });
    await alice.post('/notes', { path: 'Derived/note.md', mtime: 1, content: 'text' });
    const noOps: [what: string, status: number, work: () => Promise<Answer>][] = [
      ['register again', 200, () => alice.post('/vaults/register', client)],
      ['make a folder again', 201, () => alice.post('/folders', { folder: 'Made' })],
      ['let a folder go that is not there', 204, () => alice.delete('/folders/Gone')],
      ['let a folder go that nobody made', 204, () => alice.delete('/folders/Derived')],
      ['delete a folder that is not there', 204, () => alice.delete('/folders/Gone?recursive=true')],
      ['delete a note that is not there', 200, () => alice.delete('/notes/gone.md')],
      ['write the same again', 200, () => alice.post('/notes', { path: 'Derived/note.md', mtime: 1, content: 'text' })],
    ];
    for (const [what, status, work] of noOps) {
      counted.transactions = 0;
      const answer = await work();
      assert.equal(answer.status, status, `${what}: ${JSON.stringify(answer.body)}`);
      assert.ok(counted.transactions > 0, what);
    }
    assert.equal((await alice.get('/notes/Derived%2Fnote.md')).status, 200);
  });
});
