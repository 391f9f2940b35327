import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { ConstraintError, type Database } from '../database.ts';
import { type Item, put } from './kit.ts';
import { contract as sql } from './statements.ts';

/** Returns a function that stores an item and reads it again. */
function roundTripOf(db: () => Database) {
  return async (item: Partial<Item>) => {
    await put(db(), { id: 'one', count: 0, ...item });
    return db().get(sql.item, { id: 'one' });
  };
}

export function numbersContract(db: () => Database): void {
  const roundTrip = roundTripOf(db);

  test('integers up to the largest exact ones are returned as numbers', async () => {
    for (const count of [0, -1, 2 ** 31, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]) {
      assert.equal((await roundTrip({ count }))?.count, count);
      await db().transact((handle) => handle.run(sql.clearItems, {}));
    }
  });

  test('floating-point numbers and ids are returned exactly', async () => {
    const mark = randomUUID();
    const row = await roundTrip({ size: 0.1 + 0.2, mark });
    assert.equal(row?.size, 0.1 + 0.2);
    assert.equal(row?.mark, mark);
    for (const size of [-0.5, 5e-324, 1.7976931348623157e308, Number.POSITIVE_INFINITY]) {
      await db().transact((handle) => handle.run(sql.clearItems, {}));
      assert.equal((await roundTrip({ size }))?.size, size);
    }
  });

  test('counts and sums are numbers', async () => {
    await put(db(), { id: 'one', count: 2 });
    await put(db(), { id: 'two', count: 3 });
    assert.deepEqual(await db().get(sql.total, {}), { rows: 2, total: 5 });
  });

  test('an integer beyond the exact numbers is an error, not a rounded value', async () => {
    for (const id of ['one', 'two']) await put(db(), { id, count: Number.MAX_SAFE_INTEGER });
    await assert.rejects(db().get(sql.total, {}), RangeError);
  });
}

export function valuesContract(db: () => Database): void {
  const roundTrip = roundTripOf(db);

  test('bytes are returned as Buffer, absent values as null, rows as plain objects', async () => {
    const row = await roundTrip({ bytes: Buffer.from([0, 255, 10, 92]) });
    assert.ok(Buffer.isBuffer(row?.bytes));
    assert.deepEqual(row, {
      id: 'one',
      count: 0,
      words: null,
      bytes: Buffer.from([0, 255, 10, 92]),
      size: null,
      mark: null,
    });
  });

  test('empty text and empty bytes are not null', async () => {
    const row = await roundTrip({ words: '', bytes: Buffer.alloc(0) });
    assert.equal(row?.words, '');
    assert.deepEqual(row?.bytes, Buffer.alloc(0));
  });

  test('any well-formed text is returned unchanged', async () => {
    const words = 'naïve "quoted" \'single\' \\ back\nslash 日本語 👩‍🚀 \u0001\u{10FFFF} $1 ?';
    assert.equal((await roundTrip({ words }))?.words, words);
  });

  test('twenty megabytes of bytes are returned unchanged', async () => {
    const bytes = randomBytes(20_000_000);
    assert.ok((await roundTrip({ bytes }))?.bytes?.equals(bytes));
  });

  test('text sorts by its bytes, whatever the locale', async () => {
    for (const id of ['b', 'Z', 'a', 'é', 'B', 'ab', 'a-b', '日']) await put(db(), { id, count: 0 });
    const ids = (await db().all(sql.items, {})).map((row) => row.id);
    assert.deepEqual(ids, ['B', 'Z', 'a', 'a-b', 'ab', 'b', 'é', '日']);
  });

  test('values that the engines would store differently are refused', async () => {
    for (const words of [undefined, Number.NaN, 'a\0b', true, {}, ['x'], 10n]) {
      const item = { id: 'one', count: 1, words: words as string };
      await assert.rejects(put(db(), item), TypeError);
      await assert.rejects(db().get(sql.item, { id: words as string }), TypeError);
    }
    assert.deepEqual(await db().all(sql.items, {}), []);
  });
}

export function listsContract(db: () => Database): void {
  const ids = Array.from({ length: 300 }, (_, index) => `item ${String(index).padStart(3, '0')}`);
  const fill = () =>
    db().transact((handle) =>
      handle.runMany(
        sql.putAll,
        {},
        ids.map((id) => ({ id, count: 1 })),
      ),
    );

  test('a list of any length is written and read completely', async () => {
    assert.equal(await fill(), 300);
    for (const length of [1, 2, 3, 127, 128, 129, 300]) {
      const rows = await db().allMany(sql.itemsIn, { least: 0 }, ids.slice(0, length));
      assert.deepEqual(rows.map((row) => row.id).sort(), ids.slice(0, length));
    }
    const changed = await db().transact((handle) => handle.runMany(sql.addIn, { by: 4 }, ids.slice(0, 200)));
    assert.equal(changed, 200);
    assert.equal((await db().allMany(sql.itemsIn, { least: 5 }, ids)).length, 200);
    const inside = await db().transact((handle) => handle.allMany(sql.itemsIn, { least: 5 }, ids));
    assert.equal(inside.length, 200);
  });

  test('an empty list runs no statement', async () => {
    assert.deepEqual(await db().allMany(sql.itemsIn, { least: 0 }, []), []);
    await db().transact(async (handle) => {
      assert.deepEqual(await handle.allMany(sql.itemsIn, { least: 0 }, []), []);
      assert.equal(await handle.runMany(sql.putAll, {}, []), 0);
    });
  });

  test('a list that breaks a constraint in its last part writes nothing', async () => {
    const twice = [...ids, ids[0] ?? ''].map((id) => ({ id, count: 1 }));
    await assert.rejects(
      db().transact((handle) => handle.runMany(sql.putAll, {}, twice)),
      ConstraintError,
    );
    assert.deepEqual(await db().all(sql.items, {}), []);
  });
}
