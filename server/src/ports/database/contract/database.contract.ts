import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { ConstraintError, type Database } from '../database.ts';
import { handleContract, onCommitContract, readContract } from './bodies.ts';
import { item, type Open, type OpenedDatabase, put } from './kit.ts';
import { limitContract, migrationContract } from './life.ts';
import { shareContract } from './shares.ts';
import { CONTRACT_SCHEMA, contract as sql } from './statements.ts';
import { listsContract, numbersContract, valuesContract } from './values.ts';

/** The contract suite of the port; an adapter's test calls it. */
export function databaseContract(name: string, open: Open): void {
  describe(`${name} keeps the database contract`, () => {
    let opened: OpenedDatabase;
    const db = (): Database => opened.db;
    before(async () => {
      opened = await open({ idleMs: 300 });
      await opened.db.migrate(CONTRACT_SCHEMA);
    });
    after(() => opened.close());
    beforeEach(() =>
      db().transact(async (handle) => {
        await handle.run(sql.clearParts, {});
        await handle.run(sql.clearItems, {});
      }),
    );
    describe('numbers', () => numbersContract(db));
    describe('values', () => valuesContract(db));
    describe('lists', () => listsContract(db));
    describe('transactions', () => transactionContract(db));
    describe('constraints', () => constraintContract(db));
    describe('effects after a commit', () => onCommitContract(db));
    describe('handles', () => handleContract(db));
    describe('snapshots', () => readContract(db));
    describe('races', () => raceContract(db));
    describe('connections', () => shareContract(db));
  });
  describe(`${name} migrates`, () => migrationContract(open));
  describe(`${name} under limits`, () => limitContract(open));
}

function transactionContract(db: () => Database): void {
  test('a body sees its own writes, and others see them only after the commit', async () => {
    let outside: unknown = 'not read';
    await db().transact(async (handle) => {
      assert.equal(await handle.run(sql.put, item('one', 1)), 1);
      assert.equal((await handle.get(sql.item, { id: 'one' }))?.count, 1);
      outside = await db().get(sql.item, { id: 'one' });
    });
    assert.equal(outside, undefined);
    assert.equal((await db().get(sql.item, { id: 'one' }))?.count, 1);
  });

  test('run resolves to the number of changed rows', async () => {
    await db().transact(async (handle) => {
      await handle.run(sql.put, item('one', 1));
      await handle.run(sql.put, item('two', 1));
      assert.equal(await handle.run(sql.putUnlessThere, item('one', 5)), 0);
      assert.equal(await handle.run(sql.addAll, { by: 1 }), 2);
      assert.equal(await handle.run(sql.add, { id: 'nobody', by: 1 }), 0);
    });
  });

  test('a write that returns its rows gives them to get', async () => {
    await put(db(), { id: 'one', count: 1 });
    const row = await db().transact((handle) => handle.get(sql.addReturning, { id: 'one', by: 2 }));
    assert.deepEqual(row, { count: 3 });
    const none = await db().transact((handle) => handle.get(sql.addReturning, { id: 'nobody', by: 2 }));
    assert.equal(none, undefined);
  });

  test('a body that throws writes nothing and rejects with its error', async () => {
    const reason = new Error('changed my mind');
    const rejected = db().transact(async (handle) => {
      await handle.run(sql.put, item('one', 1));
      throw reason;
    });
    await assert.rejects(rejected, (error) => error === reason);
    assert.equal(await db().get(sql.item, { id: 'one' }), undefined);
  });

  test('a body that throws before its first await behaves the same', async () => {
    const rejected = db().transact(() => {
      throw new RangeError('at once');
    });
    await assert.rejects(rejected, RangeError);
  });

  test('bodies that throw do not affect those that run with them', async () => {
    const results = await Promise.allSettled(
      Array.from({ length: 60 }, (_, index) =>
        db().transact(async (handle) => {
          await handle.run(sql.put, item(`item ${index}`, 1));
          if (index % 3 === 0) throw new Error('this one not');
          if (index % 3 === 1) await handle.run(sql.add, { id: `item ${index}`, by: 1 });
        }),
      ),
    );
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 40);
    assert.deepEqual(await db().get(sql.total, {}), { rows: 40, total: 60 });
  });

  test('a failed statement ends its transaction even when the body catches the error', async () => {
    await put(db(), { id: 'taken', count: 1 });
    const errors: unknown[] = [];
    const rejected = db().transact(async (handle) => {
      await handle.run(sql.put, item('one', 1));
      await handle.run(sql.put, item('taken', 1)).catch((error) => errors.push(error));
      await handle.get(sql.item, { id: 'one' }).catch((error) => errors.push(error));
      return 'all is well';
    });
    await assert.rejects(rejected, (error) => error instanceof ConstraintError && error === errors[0]);
    assert.equal(errors[1], errors[0]);
    assert.equal(await db().get(sql.item, { id: 'one' }), undefined);
  });

  test('of several calls at once, those after a failed one reject with its error', async () => {
    const settled: PromiseSettledResult<unknown>[] = [];
    const rejected = db().transact(async (handle) => {
      const calls = ['one', 'one', 'two'].map((id) => handle.run(sql.put, item(id, 1)));
      settled.push(...(await Promise.allSettled(calls)));
    });
    await assert.rejects(rejected, { name: 'ConstraintError', kind: 'unique' });
    assert.deepEqual(
      settled.map((each) => (each.status === 'rejected' ? each.reason.name : each.value)),
      [1, 'ConstraintError', 'ConstraintError'],
    );
    assert.deepEqual(await db().all(sql.items, {}), []);
  });

  test('after a failure the next transaction starts clean', async () => {
    await assert.rejects(db().transact((handle) => handle.run(sql.put, { ...item('one', 1), size: -1e9 })));
    await put(db(), { id: 'one', count: 1 });
    assert.equal((await db().get(sql.item, { id: 'one' }))?.count, 1);
  });
}

function constraintContract(db: () => Database): void {
  const refused = (kind: ConstraintError['kind'], write: Promise<unknown>) =>
    assert.rejects(write, (error) => error instanceof ConstraintError && error.kind === kind);

  test('a second row with the same primary key or unique column is a unique violation', async () => {
    await put(db(), { id: 'one', count: 1, words: 'same' });
    await refused('unique', put(db(), { id: 'one', count: 1 }));
    await refused('unique', put(db(), { id: 'two', count: 1, words: 'same' }));
  });

  test('a row that references a missing one, and deleting a referenced row, are foreign violations', async () => {
    await put(db(), { id: 'one', count: 1 });
    await db().transact((handle) => handle.run(sql.putPart, { id: 'part', item_id: 'one', later_id: null }));
    const orphan = { id: 'orphan', item_id: 'nobody', later_id: null };
    await refused(
      'foreign',
      db().transact((handle) => handle.run(sql.putPart, orphan)),
    );
    await refused(
      'foreign',
      db().transact((handle) => handle.run(sql.clearItems, {})),
    );
  });

  test('a foreign key that is checked at the commit fails only its own transaction', async () => {
    await put(db(), { id: 'one', count: 1 });
    const write = (id: string, later_id: string) =>
      db().transact((handle) => handle.run(sql.putPart, { id, item_id: 'one', later_id }));
    const [good, bad, alsoGood] = await Promise.allSettled([
      write('a', 'one'),
      write('b', 'nobody'),
      write('c', 'one'),
    ]);
    assert.equal(good?.status, 'fulfilled');
    assert.equal(alsoGood?.status, 'fulfilled');
    await refused('foreign', bad?.status === 'rejected' ? Promise.reject(bad.reason) : Promise.resolve());
    assert.deepEqual(await db().all(sql.parts, {}), [{ id: 'a' }, { id: 'c' }]);
  });

  test('a value outside its check, and a missing one, are check violations', async () => {
    await refused('check', put(db(), { id: 'one', count: 1, size: -1e9 }));
    await refused('check', put(db(), { id: 'one', count: null as unknown as number }));
  });
}

function raceContract(db: () => Database): void {
  test('hundreds of concurrent increments lose nothing', async () => {
    await put(db(), { id: 'one', count: 0 });
    const increments = Array.from({ length: 400 }, () =>
      db().transact((handle) => handle.get(sql.addReturning, { id: 'one', by: 1 })),
    );
    const seen = (await Promise.all(increments)).map((row) => row?.count);
    assert.equal(new Set(seen).size, 400);
    assert.equal((await db().get(sql.item, { id: 'one' }))?.count, 400);
  });

  test('of many concurrent inserts of one name, one succeeds and the others get a unique violation', async () => {
    const takers = Array.from({ length: 50 }, (_, index) => put(db(), { id: 'name', count: index }));
    const results = await Promise.allSettled(takers);
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
    for (const result of results) {
      if (result.status === 'rejected') assert.equal((result.reason as ConstraintError).kind, 'unique');
    }
  });

  test('bodies that lock rows in opposite order all commit, each counted once', async () => {
    await put(db(), { id: 'one', count: 0 });
    await put(db(), { id: 'two', count: 0 });
    let effects = 0;
    const crossing = Array.from({ length: 4 }, (_, index) =>
      db().transact(async (handle) => {
        handle.onCommit(() => effects++);
        const [first, second] = index % 2 === 0 ? ['one', 'two'] : ['two', 'one'];
        await handle.run(sql.add, { id: first ?? '', by: 1 });
        await handle.run(sql.add, { id: second ?? '', by: 1 });
      }),
    );
    await Promise.all(crossing);
    assert.equal(effects, 4);
    assert.deepEqual(await db().get(sql.total, {}), { rows: 2, total: 8 });
  });
}
