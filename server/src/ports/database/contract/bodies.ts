import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database, DatabaseError, WriteHandle } from '../database.ts';
import { item, put } from './kit.ts';
import { contract as sql } from './statements.ts';

export function onCommitContract(db: () => Database): void {
  test('commit effects run once, in order, after the commit and before the caller continues', async () => {
    const happened: string[] = [];
    let seen: Promise<unknown> | undefined;
    await db().transact(async (handle) => {
      handle.onCommit(() => happened.push('first'));
      await handle.run(sql.put, item('one', 1));
      handle.onCommit(() => happened.push('second'));
      handle.onCommit(() => {
        seen = db().get(sql.item, { id: 'one' });
      });
      happened.push('body');
    });
    happened.push('answered');
    assert.deepEqual(happened, ['body', 'first', 'second', 'answered']);
    assert.equal(((await seen) as { count: number }).count, 1);
  });

  test('no effect runs after a transaction that is rolled back', async () => {
    let ran = 0;
    const ends: ((handle: WriteHandle) => Promise<unknown>)[] = [
      () => Promise.reject(new Error('no')),
      (handle) => handle.run(sql.put, { ...item('two', 1), size: -1e9 }),
      (handle) => handle.run(sql.putPart, { id: 'part', item_id: 'one', later_id: 'nobody' }),
      () => new Promise(() => {}),
    ];
    for (const end of ends) {
      const rejected = db().transact(async (handle) => {
        handle.onCommit(() => ran++);
        await handle.run(sql.put, item('one', 1));
        await end(handle);
      });
      await assert.rejects(rejected);
    }
    assert.equal(ran, 0);
    assert.deepEqual(await db().all(sql.items, {}), []);
  });
}

export function handleContract(db: () => Database): void {
  test('a handle rejects calls once its body is over', async () => {
    const { promise, resolve } = Promise.withResolvers<WriteHandle>();
    await db().transact(async (handle) => resolve(handle));
    const handle = await promise;
    const dead = { name: 'DatabaseError', code: 'body_left_open' };
    await assert.rejects(handle.get(sql.item, { id: 'one' }), dead);
    await assert.rejects(handle.all(sql.items, {}), dead);
    await assert.rejects(handle.allMany(sql.itemsIn, { least: 0 }, ['one']), dead);
    await assert.rejects(handle.run(sql.put, item('one', 1)), dead);
    await assert.rejects(handle.runMany(sql.putAll, {}, [item('one', 1)]), dead);
    assert.throws(() => handle.onCommit(() => {}), dead);
    assert.deepEqual(await db().all(sql.items, {}), []);
  });

  test('a body that waits for something other than its handle is aborted alone', async () => {
    const { promise: never, resolve: goOn } = Promise.withResolvers<void>();
    const late: unknown[] = [];
    const open = db().transact(async (handle) => {
      await handle.run(sql.put, item('open', 1));
      await never;
      await handle.run(sql.put, item('late', 1)).catch((error) => late.push(error));
    });
    const others = ['a', 'b', 'c'].map((id) => put(db(), { id, count: 1 }));
    await assert.rejects(open, { name: 'DatabaseError', code: 'body_left_open' });
    await Promise.all(others);
    goOn();
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal((late[0] as DatabaseError).code, 'body_left_open');
    assert.deepEqual(
      (await db().all(sql.items, {})).map(({ id }) => id),
      ['a', 'b', 'c'],
    );
  });
}

export function readContract(db: () => Database): void {
  test('the statements of a read see one snapshot', async () => {
    await put(db(), { id: 'one', count: 1 });
    await db().read(async (handle) => {
      assert.equal((await handle.get(sql.item, { id: 'one' }))?.count, 1);
      await db().transact((writer) => writer.run(sql.add, { id: 'one', by: 1 }));
      assert.equal((await db().get(sql.item, { id: 'one' }))?.count, 2);
      assert.equal((await handle.all(sql.items, {}))[0]?.count, 1);
      assert.equal((await handle.allMany(sql.itemsIn, { least: 0 }, ['one']))[0]?.count, 1);
    });
    await db().read(async (handle) => assert.equal((await handle.get(sql.item, { id: 'one' }))?.count, 2));
  });

  test('a read resolves to what its body returns and rejects with what it throws', async () => {
    assert.equal(await db().read(async () => 7), 7);
    await assert.rejects(
      db().read(async () => {
        throw new RangeError('no');
      }),
      RangeError,
    );
  });

  test('neither a read nor a single statement outside transactions can write', async () => {
    const writing = sql.addReturning as unknown as typeof sql.item;
    await put(db(), { id: 'one', count: 1 });
    await assert.rejects(db().read((handle) => handle.get(writing, { id: 'one', by: 1 } as { id: string })));
    await assert.rejects(db().get(writing, { id: 'one', by: 1 } as { id: string }));
    assert.equal((await db().get(sql.item, { id: 'one' }))?.count, 1);
  });

  test("a read's handle rejects calls afterwards, and a slow body is aborted", async () => {
    const handle = await db().read(async (handle) => ({ handle }));
    await assert.rejects(handle.handle.get(sql.item, { id: 'one' }), { code: 'body_left_open' });
    await assert.rejects(
      db().read(() => new Promise(() => {})),
      { code: 'body_left_open' },
    );
  });

  test('many reads at once are all served', async () => {
    await put(db(), { id: 'one', count: 1 });
    const reads = Array.from({ length: 200 }, () =>
      db().read(async (handle) => {
        await handle.get(sql.item, { id: 'one' });
        return (await handle.get(sql.item, { id: 'one' }))?.count;
      }),
    );
    assert.deepEqual(new Set(await Promise.all(reads)), new Set([1]));
  });
}
