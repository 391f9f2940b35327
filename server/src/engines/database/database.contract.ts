import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { after, before, beforeEach, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { CONTRACT_SCHEMA, contract as sql } from './contract.statements.ts';
import {
  ConstraintError,
  type Database,
  type DatabaseError,
  type Migration,
  SchemaError,
  type WriteHandle,
} from './database.ts';

export interface OpenedDatabase {
  readonly db: Database;
  /** The file or URL, for another process to open it by. */
  readonly where: string;
  /** Closes and removes it. */
  close(): Promise<void>;
}

/** What a test of a limit asks for; PostgreSQL also gets a pool of one connection then. */
export interface ContractLimits {
  readonly maxWaiting?: number;
  readonly idleMs?: number;
}

type Open = (limits?: ContractLimits) => Promise<OpenedDatabase>;

/** The port's sentences as tests, for an adapter's own test file. */
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
    describe('values', () => valuesContract(db));
    describe('lists', () => listsContract(db));
    describe('transactions', () => transactionContract(db));
    describe('constraints', () => constraintContract(db));
    describe('what follows a commit', () => onCommitContract(db));
    describe('handles', () => handleContract(db));
    describe('snapshots', () => readContract(db));
    describe('races', () => raceContract(db));
  });
  describe(`${name} migrates`, () => migrationContract(open));
  describe(`${name} under limits`, () => limitContract(open));
}

function valuesContract(db: () => Database): void {
  const roundTrip = async (item: Partial<Parameters<typeof put>[1]>) => {
    await put(db(), { id: 'one', count: 0, ...item });
    return db().get(sql.item, { id: 'one' });
  };

  test('integers, also the largest exact ones, come back as numbers', async () => {
    for (const count of [0, -1, 2 ** 31, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]) {
      assert.equal((await roundTrip({ count }))?.count, count);
      await db().transact((handle) => handle.run(sql.clearItems, {}));
    }
  });

  test('bytes come back as Buffer, absent values as null, rows as plain objects', async () => {
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

  test('any well-formed text comes back unchanged', async () => {
    const words = 'naïve "quoted" \'single\' \\ back\nslash 日本語 👩‍🚀 \u0001\u{10FFFF} $1 ?';
    assert.equal((await roundTrip({ words }))?.words, words);
  });

  test('floating-point numbers and ids come back exactly', async () => {
    const mark = randomUUID();
    const row = await roundTrip({ size: 0.1 + 0.2, mark });
    assert.equal(row?.size, 0.1 + 0.2);
    assert.equal(row?.mark, mark);
    for (const size of [-0.5, 5e-324, 1.7976931348623157e308, Number.POSITIVE_INFINITY]) {
      await db().transact((handle) => handle.run(sql.clearItems, {}));
      assert.equal((await roundTrip({ size }))?.size, size);
    }
  });

  test('twenty megabytes of bytes come back unchanged', async () => {
    const bytes = randomBytes(20_000_000);
    assert.ok((await roundTrip({ bytes }))?.bytes?.equals(bytes));
  });

  test('text sorts by its bytes whatever the locale', async () => {
    for (const id of ['b', 'Z', 'a', 'é', 'B', 'ab', 'a-b', '日']) await put(db(), { id, count: 0 });
    const ids = (await db().all(sql.items, {})).map((row) => row.id);
    assert.deepEqual(ids, ['B', 'Z', 'a', 'a-b', 'ab', 'b', 'é', '日']);
  });

  test('counts and sums are numbers', async () => {
    await put(db(), { id: 'one', count: 2 });
    await put(db(), { id: 'two', count: 3 });
    assert.deepEqual(await db().get(sql.total, {}), { rows: 2, total: 5 });
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

function listsContract(db: () => Database): void {
  const ids = Array.from({ length: 300 }, (_, index) => `item ${String(index).padStart(3, '0')}`);
  const fill = () =>
    db().transact((handle) =>
      handle.runIn(
        sql.putAll,
        {},
        ids.map((id) => ({ id, count: 1 })),
      ),
    );

  test('a list of any length is written and read whole', async () => {
    assert.equal(await fill(), 300);
    for (const length of [1, 2, 3, 127, 128, 129, 300]) {
      const rows = await db().allIn(sql.itemsIn, { least: 0 }, ids.slice(0, length));
      assert.deepEqual(rows.map((row) => row.id).sort(), ids.slice(0, length));
    }
    const changed = await db().transact((handle) => handle.runIn(sql.addIn, { by: 4 }, ids.slice(0, 200)));
    assert.equal(changed, 200);
    assert.equal((await db().allIn(sql.itemsIn, { least: 5 }, ids)).length, 200);
    const inside = await db().transact((handle) => handle.allIn(sql.itemsIn, { least: 5 }, ids));
    assert.equal(inside.length, 200);
  });

  test('an empty list runs no statement', async () => {
    assert.deepEqual(await db().allIn(sql.itemsIn, { least: 0 }, []), []);
    await db().transact(async (handle) => {
      assert.deepEqual(await handle.allIn(sql.itemsIn, { least: 0 }, []), []);
      assert.equal(await handle.runIn(sql.putAll, {}, []), 0);
    });
  });

  test('a list that breaks a constraint in its last part leaves nothing of its first', async () => {
    const twice = [...ids, ids[0] ?? ''].map((id) => ({ id, count: 1 }));
    await assert.rejects(
      db().transact((handle) => handle.runIn(sql.putAll, {}, twice)),
      ConstraintError,
    );
    assert.deepEqual(await db().all(sql.items, {}), []);
  });
}

function transactionContract(db: () => Database): void {
  test('a body sees its own writes, others only when it has committed', async () => {
    let outside: unknown = 'not read';
    await db().transact(async (handle) => {
      assert.equal(await handle.run(sql.put, item('one', 1)), 1);
      assert.equal((await handle.get(sql.item, { id: 'one' }))?.count, 1);
      outside = await db().get(sql.item, { id: 'one' });
    });
    assert.equal(outside, undefined);
    assert.equal((await db().get(sql.item, { id: 'one' }))?.count, 1);
  });

  test('run tells how many rows it changed', async () => {
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

  test('a body that throws leaves nothing and rejects with what it threw', async () => {
    const reason = new Error('changed my mind');
    const rejected = db().transact(async (handle) => {
      await handle.run(sql.put, item('one', 1));
      throw reason;
    });
    await assert.rejects(rejected, (error) => error === reason);
    assert.equal(await db().get(sql.item, { id: 'one' }), undefined);
  });

  test('a body that throws before its first await is no different', async () => {
    const rejected = db().transact(() => {
      throw new RangeError('at once');
    });
    await assert.rejects(rejected, RangeError);
  });

  test('bodies that throw harm none of those that run with them', async () => {
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

  test('a statement that failed ends its transaction even when the body caught the error', async () => {
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

  test('of several calls at once, those behind the one that failed reject with its error', async () => {
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

  test('a second row with a primary key or a unique column is unique', async () => {
    await put(db(), { id: 'one', count: 1, words: 'same' });
    await refused('unique', put(db(), { id: 'one', count: 1 }));
    await refused('unique', put(db(), { id: 'two', count: 1, words: 'same' }));
  });

  test('a row that names a missing one, and the removal of a named one, are foreign', async () => {
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

  test('a reference checked at the commit fails its own transaction alone', async () => {
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

  test('a value outside its check, and a missing one, are check', async () => {
    await refused('check', put(db(), { id: 'one', count: 1, size: -1e9 }));
    await refused('check', put(db(), { id: 'one', count: null as unknown as number }));
  });
}

function onCommitContract(db: () => Database): void {
  test('effects run once, in order, after the commit and before the caller goes on', async () => {
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

  test('nothing follows a transaction that is rolled back', async () => {
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

function handleContract(db: () => Database): void {
  test('a handle is dead once its body is over', async () => {
    const { promise, resolve } = Promise.withResolvers<WriteHandle>();
    await db().transact(async (handle) => resolve(handle));
    const handle = await promise;
    const dead = { name: 'DatabaseError', code: 'body_left_open' };
    await assert.rejects(handle.get(sql.item, { id: 'one' }), dead);
    await assert.rejects(handle.all(sql.items, {}), dead);
    await assert.rejects(handle.allIn(sql.itemsIn, { least: 0 }, ['one']), dead);
    await assert.rejects(handle.run(sql.put, item('one', 1)), dead);
    await assert.rejects(handle.runIn(sql.putAll, {}, [item('one', 1)]), dead);
    assert.throws(() => handle.onCommit(() => {}), dead);
    assert.deepEqual(await db().all(sql.items, {}), []);
  });

  test('a body that waits for something else is aborted alone, and its handle with it', async () => {
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

function readContract(db: () => Database): void {
  test('the statements of a read see one state', async () => {
    await put(db(), { id: 'one', count: 1 });
    await db().read(async (handle) => {
      assert.equal((await handle.get(sql.item, { id: 'one' }))?.count, 1);
      await db().transact((writer) => writer.run(sql.add, { id: 'one', by: 1 }));
      assert.equal((await db().get(sql.item, { id: 'one' }))?.count, 2);
      assert.equal((await handle.all(sql.items, {}))[0]?.count, 1);
      assert.equal((await handle.allIn(sql.itemsIn, { least: 0 }, ['one']))[0]?.count, 1);
    });
    await db().read(async (handle) => assert.equal((await handle.get(sql.item, { id: 'one' }))?.count, 2));
  });

  test('a read gives what its body returns and rejects with what it throws', async () => {
    assert.equal(await db().read(async () => 7), 7);
    await assert.rejects(
      db().read(async () => {
        throw new RangeError('no');
      }),
      RangeError,
    );
  });

  test('neither a read nor a look-up can write', async () => {
    const writing = sql.addReturning as unknown as typeof sql.item;
    await put(db(), { id: 'one', count: 1 });
    await assert.rejects(db().read((handle) => handle.get(writing, { id: 'one', by: 1 } as { id: string })));
    assert.equal((await db().get(sql.item, { id: 'one' }))?.count, 1);
  });

  test('its handle is dead afterwards, and a body that dawdles is cut off', async () => {
    const handle = await db().read(async (handle) => ({ handle }));
    await assert.rejects(handle.handle.get(sql.item, { id: 'one' }), { code: 'body_left_open' });
    await assert.rejects(
      db().read(() => new Promise(() => {})),
      { code: 'body_left_open' },
    );
  });

  test('many reads at once all get their turn', async () => {
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

function raceContract(db: () => Database): void {
  test('hundreds of increments at once lose nothing', async () => {
    await put(db(), { id: 'one', count: 0 });
    const increments = Array.from({ length: 400 }, () =>
      db().transact((handle) => handle.get(sql.addReturning, { id: 'one', by: 1 })),
    );
    const seen = (await Promise.all(increments)).map((row) => row?.count);
    assert.equal(new Set(seen).size, 400);
    assert.equal((await db().get(sql.item, { id: 'one' }))?.count, 400);
  });

  test('of many who take one name, one wins and the others are told', async () => {
    const takers = Array.from({ length: 50 }, (_, index) => put(db(), { id: 'name', count: index }));
    const results = await Promise.allSettled(takers);
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
    for (const result of results) {
      if (result.status === 'rejected') assert.equal((result.reason as ConstraintError).kind, 'unique');
    }
  });

  test('bodies that take rows in opposite order all commit, each counted once', async () => {
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

function migrationContract(open: Open): void {
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

  test('each step runs once, also when called again', () =>
    empty(async ({ db }) => {
      await db.migrate([first]);
      await db.migrate([first, second]);
      await db.migrate([first, second]);
      assert.deepEqual(await db.all(sql.migrated, {}), [{ text: 'x; y', size: 1.5 }]);
    }));

  test('a step that fails leaves nothing of itself and keeps those before it', () =>
    empty(async ({ db }) => {
      await assert.rejects(
        db.migrate([first, step(2, 'create table b (id uuid primary key); create table a (x text)')]),
      );
      await db.migrate([first, step(2, 'create table b (id uuid primary key)')]);
    }));

  test('a database newer than the code, one of other steps, and a list with gaps are refused', () =>
    empty(async ({ db }) => {
      await db.migrate([first, second]);
      await assert.rejects(db.migrate([first]), (error) => error instanceof SchemaError && /newer/.test(error.message));
      await assert.rejects(db.migrate([first, step(2, 'select 1', 'another')]), SchemaError);
      await assert.rejects(db.migrate([first, step(3, 'select 1')]), SchemaError);
    }));

  test('processes that start at the same time migrate once', () =>
    empty(async ({ db, where }) => {
      const child = fileURLToPath(new URL('./contract.migrate.ts', import.meta.url));
      await Promise.all(Array.from({ length: 3 }, () => promisify(execFile)(process.execPath, [child, where])));
      await db.migrate(CONTRACT_SCHEMA);
      await put(db, { id: 'one', count: 1 });
    }));
}

function limitContract(open: Open): void {
  test('transactions beyond the limit are refused as overloaded, the others served', async () => {
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

  test('closing waits for what was accepted and refuses what comes after', async () => {
    const opened = await open({ maxWaiting: 100 });
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

interface Item {
  id: string;
  count: number;
  words?: string | null;
  bytes?: Buffer | null;
  size?: number | null;
  mark?: string | null;
}

const item = (id: string, count: number) => ({ id, count, words: null, bytes: null, size: null, mark: null });

async function put(db: Database, values: Item): Promise<void> {
  await db.transact((handle) => handle.run(sql.put, { ...item(values.id, values.count), ...values }));
}
