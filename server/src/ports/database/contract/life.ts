import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type DatabaseError, type Migration, SchemaError } from '../database.ts';
import { type Open, type OpenedDatabase, put } from './kit.ts';
import { CONTRACT_SCHEMA, contract as sql } from './statements.ts';

export function migrationContract(open: Open): void {
  const step = (number: number, ddl: string, name = `step ${number}`): Migration => ({ number, name, ddl });
  const empty = async (body: (opened: OpenedDatabase) => Promise<void>) => {
    const opened = await open();
    try {
      await body(opened);
    } finally {
      await opened.close();
    }
  };
  const first = step(1, 'create table a (id uuid primary key, "text" text, size double precision not null)');
  const second = step(2, "insert into a (id, text, size) values ('5f4dcc3b-0000-4000-8000-000000000000', 'x; y', 1.5)");

  test('each migration runs once, also when migrate is called again', () =>
    empty(async ({ db }) => {
      await db.migrate([first]);
      await db.migrate([first, second]);
      await db.migrate([first, second]);
      assert.deepEqual(await db.all(sql.migrated, {}), [{ text: 'x; y', size: 1.5 }]);
    }));

  test('a migration that fails leaves nothing of itself and keeps those before it', () =>
    empty(async ({ db }) => {
      await assert.rejects(
        db.migrate([first, step(2, 'create table b (id uuid primary key); create table a (x text)')]),
      );
      await db.migrate([first, step(2, 'create table b (id uuid primary key)')]);
    }));

  test('a newer database, one with other migrations, and a list with gaps are refused', () =>
    empty(async ({ db }) => {
      await db.migrate([first, second]);
      await assert.rejects(db.migrate([first]), (error) => error instanceof SchemaError && /newer/.test(error.message));
      await assert.rejects(db.migrate([first, step(2, 'select 1', 'another')]), SchemaError);
      await assert.rejects(db.migrate([first, step(3, 'select 1')]), SchemaError);
    }));

  test('beforeUpgrade is called once before a step of a database with steps, and its failure changes nothing', () =>
    empty(async ({ db }) => {
      let called = 0;
      const count = async () => {
        called += 1;
      };
      await db.migrate([first], count);
      await db.migrate([first], count);
      assert.equal(called, 0, 'an empty database and one that is up to date need no copy');
      const fail = () => Promise.reject(new Error('the disk is full'));
      await assert.rejects(db.migrate([first, second], fail), /disk is full/);
      await db.migrate([first], count);
      await db.migrate([first, second, step(3, 'create table c (id uuid primary key)')], count);
      assert.equal(called, 1);
    }));

  test('processes that start at the same time migrate once', () =>
    empty(async ({ db, where }) => {
      const child = fileURLToPath(new URL('./migrate.ts', import.meta.url));
      await Promise.all(Array.from({ length: 3 }, () => promisify(execFile)(process.execPath, [child, where])));
      await db.migrate(CONTRACT_SCHEMA);
      await put(db, { id: 'one', count: 1 });
    }));
}

export function limitContract(open: Open): void {
  test('transactions beyond the limit are refused as overloaded, the others are served', async () => {
    const opened = await open({ maxWaiting: 10 });
    try {
      await opened.db.migrate(CONTRACT_SCHEMA);
      const results = await Promise.allSettled(
        Array.from({ length: 100 }, (_, index) => put(opened.db, { id: `item ${index}`, count: 1 })),
      );
      const refused = results.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
      assert.ok(refused.length >= 80 && refused.length < 100, `${refused.length} refused`);
      for (const { reason } of refused) assert.equal((reason as DatabaseError).code, 'overloaded');
      assert.equal((await opened.db.get(sql.total, {}))?.rows, 100 - refused.length);
    } finally {
      await opened.close();
    }
  });

  test('closing waits for accepted calls and refuses later ones', async () => {
    const opened = await open({ maxWaiting: 200 });
    await opened.db.migrate(CONTRACT_SCHEMA);
    const writes = Array.from({ length: 50 }, (_, index) => put(opened.db, { id: `item ${index}`, count: 1 }));
    const reads = Array.from({ length: 20 }, () => opened.db.read((handle) => handle.all(sql.items, {})));
    const closing = opened.close();
    const unavailable = { name: 'DatabaseError', code: 'unavailable' };
    await assert.rejects(put(opened.db, { id: 'late', count: 1 }), unavailable);
    await assert.rejects(opened.db.get(sql.item, { id: 'late' }), unavailable);
    await assert.rejects(
      opened.db.read(async () => 1),
      unavailable,
    );
    await Promise.all([...writes, ...reads, closing]);
  });
}
