import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Client } from 'pg';
import { TcpLine } from '../../../../test/kit/clients/tcp-line.ts';
import { type FreshDatabase, freshPostgres, whyNoPostgres } from '../../../../test/kit/database/postgres.ts';
import { until } from '../../../../test/kit/until.ts';
import { CONTRACT_SCHEMA, contract as sql } from '../contract/statements.ts';
import type { Database, WriteHandle } from '../database.ts';
import type { Statement } from '../statement.ts';
import { openPostgres, type PostgresOptions } from './postgres.ts';

const raw = (text: string): Statement<object, Record<string, unknown>> => {
  const compiled = { sql: text, isSelect: false, bind: () => [] };
  return { compiled: () => compiled };
};
const put = (handle: WriteHandle, id: string) =>
  handle.run(sql.put, { id, count: 1, words: null, bytes: null, size: null, mark: null });
const ids = async (db: Database) => (await db.all(sql.items, {})).map((row) => row.id);
const unavailable = { name: 'DatabaseError', code: 'unavailable' };

describe('postgres as a server', { skip: whyNoPostgres() ?? false }, () => {
  let fresh: FreshDatabase;
  let other: Client;
  before(async () => {
    fresh = await freshPostgres();
    await using db = await openPostgres({ url: fresh.url });
    await db.migrate(CONTRACT_SCHEMA);
    other = new Client({ connectionString: fresh.url });
    await other.connect();
  });
  after(async () => {
    await other.end();
    await fresh[Symbol.asyncDispose]();
  });

  const open = async (options: Partial<PostgresOptions> = {}) => {
    await other.query('truncate items cascade');
    return openPostgres({ url: fresh.url, poolSize: 1, ...options });
  };

  test('calls made together, and BEGIN with them, cost one round trip', async () => {
    await using line = new TcpLine(fresh.url);
    await using db = await open({ url: await line.open() });
    const write = (suffix: string) =>
      db.transact((handle) => Promise.all(['a', 'b', 'c'].map((id) => put(handle, id + suffix))));
    await write('1');
    line.flights = 0;
    await write('2');
    assert.equal(line.flights, 2, 'one for BEGIN and the writes, one for COMMIT');
    line.flights = 0;
    const rows = await db.read((handle) => Promise.all(['a1', 'b1', 'c2'].map((id) => handle.get(sql.item, { id }))));
    assert.deepEqual(
      rows.map((row) => row?.id),
      ['a1', 'b1', 'c2'],
    );
    await db.get(sql.item, { id: 'a1' });
    assert.ok(line.flights <= 3, `${line.flights} round trips for a read, its end and a look-up`);
  });

  test('when BEGIN fails, the statement sent with it does not run', async () => {
    await using db = await open();
    await db.get(raw('deallocate all'), {});
    await assert.rejects(
      db.transact((handle) => put(handle, 'stray')),
      unavailable,
    );
    assert.deepEqual((await other.query('select id from items')).rows, []);
    await db.transact((handle) => put(handle, 'next'));
    assert.deepEqual(await ids(db), ['next']);
  });

  test('a statement that failed when a connection prepared it runs on that connection later', async () => {
    await using db = await open();
    const two = raw("insert into items (id, count) select 'two', 1 / (2 - count(*)) from items returning count");
    const insertTwo = () => db.transact((handle) => Promise.all([handle.all(two, {}), handle.all(sql.items, {})]));
    await db.transact(async (handle) => void (await Promise.all([put(handle, 'one'), put(handle, 'three')])));
    await assert.rejects(insertTwo(), { message: 'division by zero' });
    await db.transact((handle) => handle.run(raw("delete from items where id = 'three'"), {}));
    assert.deepEqual((await insertTwo())[0], [{ count: 1 }]);
    await db.transact((handle) => handle.run(raw("delete from items where id <> 'one'"), {}));
    assert.deepEqual(
      (await insertTwo())[1].map(({ id }) => id),
      ['one', 'two'],
    );
  });

  test('a value that cannot be read fails its own statement and the transaction', async () => {
    await using db = await open();
    const beyond = raw('select 9007199254740993::bigint as value');
    const answers: unknown[] = [];
    await assert.rejects(
      db.transact(async (handle) => {
        answers.push(...(await Promise.allSettled([put(handle, 'one'), handle.get(beyond, {})])));
      }),
      RangeError,
    );
    assert.deepEqual(
      answers.map((answer) => (answer as PromiseSettledResult<unknown>).status),
      ['fulfilled', 'rejected'],
    );
    assert.deepEqual(await ids(db), []);
  });

  test('reads of one turn are sent together, and one that fails does not fail the others', async () => {
    await using line = new TcpLine(fresh.url);
    await using db = await open({ url: await line.open() });
    await db.transact((handle) => put(handle, 'one'));
    const failing = raw('select 1 / (count(*) - 1) from items');
    const readAll = () =>
      Promise.allSettled([ids(db), db.all(failing, {}), ids(db), db.get(sql.item, { id: 'one' }), db.all(failing, {})]);
    const statusesOf = (answers: Awaited<ReturnType<typeof readAll>>) => answers.map(({ status }) => status);
    const expected = ['fulfilled', 'rejected', 'fulfilled', 'fulfilled', 'rejected'];
    assert.deepEqual(statusesOf(await readAll()), expected);
    const again = await readAll();
    assert.deepEqual(statusesOf(again), expected);
    assert.deepEqual(again[2], { status: 'fulfilled', value: ['one'] });
    line.flights = 0;
    await Promise.all([ids(db), ids(db), db.get(sql.item, { id: 'one' })]);
    assert.equal(line.flights, 1);
  });

  test('a COMMIT whose answer is lost is an error, and the body does not run again', async () => {
    await using line = new TcpLine(fresh.url);
    await using db = await open({ url: await line.open() });
    let runs = 0;
    let effects = 0;
    line.cutAt = 'commit';
    const write = db.transact(async (handle) => {
      runs++;
      handle.onCommit(() => effects++);
      await put(handle, 'one');
    });
    await assert.rejects(write, { ...unavailable, message: /not known/ });
    assert.deepEqual([runs, effects], [1, 0]);
    line.cutAt = undefined;
    await db.transact((handle) => put(handle, 'two'));
    assert.ok((await ids(db)).includes('two'));
  });

  test('a connection lost in a body, or while idle in the pool, is unavailable and then replaced', async () => {
    await using db = await open();
    const write = db.transact(async (handle) => {
      await put(handle, 'one');
      await other.query(`select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'notevault' and datname = current_database()`);
      await put(handle, 'two');
    });
    await assert.rejects(write, unavailable);
    await db.transact((handle) => put(handle, 'three'));
    await other.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'notevault' and datname = current_database()`);
    // Calls made before the pool has noticed are refused as unavailable.
    const again = async () => {
      const found = await ids(db).catch((error: unknown) =>
        (error as { code?: unknown }).code === 'unavailable' ? null : Promise.reject(error),
      );
      if (found !== null) assert.deepEqual(found, ['three']);
      return found !== null;
    };
    await until(again, 'an answer over another connection');
  });

  test('a deadlock runs the body again, with fresh effects', async () => {
    await using db = await open({ poolSize: 4 });
    await db.transact((handle) => Promise.all([put(handle, 'one'), put(handle, 'two')]));
    const met = Promise.withResolvers<void>();
    let waiting = 0;
    let runs = 0;
    let effects = 0;
    const cross = (first: string, second: string) =>
      db.transact(async (handle) => {
        runs++;
        handle.onCommit(() => effects++);
        await handle.run(sql.add, { id: first, by: 1 });
        if (++waiting === 2) met.resolve();
        await met.promise;
        await handle.run(sql.add, { id: second, by: 1 });
      });
    await Promise.all([cross('one', 'two'), cross('two', 'one')]);
    // The restarted body may lock its first row before the other one continues, so that both meet the deadlock a second
    // time.
    assert.ok(runs >= 3, `${runs} runs`);
    assert.equal(effects, 2);
    assert.deepEqual(await db.get(sql.total, {}), { rows: 2, total: 6 });
  });

  test('a statement that takes too long is overloaded, and its transaction writes nothing', async () => {
    await using db = await open({ statementTimeoutMs: 100 });
    const slow = db.transact(async (handle) => {
      await put(handle, 'one');
      await handle.get(raw("select pg_sleep(5)::text as slept, 'x' as x"), {});
    });
    await assert.rejects(slow, { name: 'DatabaseError', code: 'overloaded' });
    assert.deepEqual(await ids(db), []);
  });

  test('a body aborted while it holds a lock releases it', async () => {
    await using db = await open({ poolSize: 2, idleMs: 100 });
    await db.transact((handle) => put(handle, 'one'));
    const dawdler = db.transact(async (handle) => {
      await handle.run(sql.add, { id: 'one', by: 1 });
      await new Promise(() => {});
    });
    const next = db.transact((handle) => handle.get(sql.addReturning, { id: 'one', by: 10 }));
    await assert.rejects(dawdler, { code: 'body_left_open' });
    assert.deepEqual(await next, { count: 11 });
  });

  test('a table that another process changed is read with its new columns', async () => {
    await using db = await open();
    await db.transact((handle) => put(handle, 'one'));
    assert.ok(await db.get(sql.item, { id: 'one' }));
    await other.query('alter table items add column extra text');
    assert.equal(((await db.get(sql.item, { id: 'one' })) as { extra?: unknown }).extra, null);
    await other.query('alter table items drop column extra');
    const row = await db.transact((handle) => handle.get(sql.item, { id: 'one' }));
    assert.ok(row !== undefined && !('extra' in row));
  });

  test('a caller that waits too long for a connection is overloaded', async () => {
    await using db = await open({ waitMs: 50 });
    const refused = Promise.withResolvers<void>();
    const holder = db.transact(async (handle) => {
      await put(handle, 'one');
      await refused.promise;
    });
    await assert.rejects(db.get(sql.item, { id: 'one' }), { code: 'overloaded' });
    refused.resolve();
    await holder;
  });

  test('an unreachable server is unavailable at once', async () => {
    await assert.rejects(openPostgres({ url: 'postgres://nobody@127.0.0.1:1/none' }), unavailable);
  });
});
