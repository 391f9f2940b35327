import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { suiteFolder } from '../../../../test/kit/programs/process.ts';
import { item } from '../contract/kit.ts';
import { CONTRACT_SCHEMA, contract as sql } from '../contract/statements.ts';
import type { Database } from '../database.ts';
import { openSqlite } from './sqlite.ts';

describe('a long body on SQLite', () => {
  let db: Database;
  before(async () => {
    db = await openSqlite({ file: folder.at('test.sqlite') });
    await db.migrate(CONTRACT_SCHEMA);
  });
  after(() => db[Symbol.asyncDispose]());
  const folder = suiteFolder();

  it('a long body on SQLite lets reads continue on the old state, and keeps writes waiting', async () => {
    const order: string[] = [];
    let reads = 0;
    const { promise: running, resolve: begun } = Promise.withResolvers<void>();
    const long = db.transact(async (handle) => {
      for (let index = 0; index < 4000; index++) {
        await handle.run(sql.put, item(`long ${index}`, 1));
        begun();
      }
      order.push('long');
    }, 'bulk');
    await running;
    const write = db.transact(async (handle) => {
      await handle.run(sql.put, item('short', 1));
      order.push('short');
    });
    let over = false;
    const done = long.then(() => {
      over = true;
    });
    while (!over) {
      const row = await db.get(sql.item, { id: 'long 0' });
      if (order.length === 0) {
        assert.equal(row, undefined);
        reads += 1;
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
    await Promise.all([done, write]);
    assert.deepEqual(order, ['long', 'short']);
    assert.ok(reads > 1, `${reads} reads while it ran`);
    assert.notEqual(await db.get(sql.item, { id: 'long 3999' }), undefined);
  });

  it('a long body on SQLite leaves nothing behind when it throws, and other transactions continue', async () => {
    const thrown = db.transact(async (handle) => {
      for (let index = 0; index < 3000; index++) await handle.run(sql.put, item(`thrown ${index}`, 1));
      throw new Error('no');
    }, 'bulk');
    const beside = db.transact((handle) => handle.run(sql.put, item('beside', 1)));
    await assert.rejects(thrown, /no/);
    await beside;
    assert.equal(await db.get(sql.item, { id: 'thrown 0' }), undefined);
    assert.notEqual(await db.get(sql.item, { id: 'beside' }), undefined);
  });
});
