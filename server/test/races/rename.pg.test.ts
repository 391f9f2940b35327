import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findBodies } from '../../src/domains/content/notes/notes.store.ts';
import type { Database, ReadHandle } from '../../src/ports/database/database.ts';
import { onEachEngine } from '../kit/engines.ts';
import { startServer } from '../kit/server.ts';

/** A database that runs some work once, just before it reads bodies of notes. */
function interrupted(db: Database, work: () => Promise<unknown>): Database {
  let done = false;
  const reads = (handle: ReadHandle): ReadHandle => ({
    get: (statement, params) => handle.get(statement, params),
    all: (statement, params) => handle.all(statement, params),
    async allMany(statement, params, items) {
      if ((statement as unknown) === findBodies && !done) {
        done = true;
        await work();
      }
      return handle.allMany(statement, params, items);
    },
  });
  return {
    ...reads(db),
    engine: db.engine,
    read: (body) => db.read((handle) => body(reads(handle))),
    transact: (body, priority) => db.transact(body, priority),
    migrate: (migrations) => db.migrate(migrations),
    [Symbol.asyncDispose]: () => db[Symbol.asyncDispose](),
  };
}

onEachEngine('a rename and an edit at once', (open) => {
  test('a rename keeps an edit by another process between two of its reads, and reports no damage', async () => {
    await using server = await startServer({ open });
    const { alice } = server;
    await alice.post('/vaults', { name: 'Notes' });
    const write = (path: string, content: string) => alice.post('/notes', { path, mtime: 1, content });
    await write('old.md', 'no heading\n');
    await write('source.md', '[[old]]\n');
    const edits = async () => {
      assert.equal((await write('old.md', 'no heading, edited\n')).status, 200);
      assert.equal((await write('source.md', 'above\n[[old]]\n')).status, 200);
    };
    const db = interrupted(server.db, edits);
    const { clock, masterKey } = server;
    await using twin = await startServer({ open: async () => db, clock, masterKey });
    const elsewhere = twin.bearer((await alice.signed()).accessToken);
    const renamed = await elsewhere.post('/notes/rename', { old_path: 'old.md', new_path: 'new.md' });
    assert.equal(renamed.status, 200, JSON.stringify(renamed.body));
    assert.equal(renamed.body.note.content, 'no heading, edited\n');
    assert.equal((await alice.get('/notes/source.md')).body.content, 'above\n[[new]]\n');
  });
});
