import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { until } from '../../../../test/kit/until.ts';
import { PendingReads } from '../../../concurrency/pending-reads.ts';
import { runWithPendingReads } from '../../../concurrency/tenant.ts';
import { CONTRACT_SCHEMA, contract as sql } from '../contract/statements.ts';
import type { Database, Priority, WriteHandle } from '../database.ts';
import type { Statement } from '../statement.ts';
import { openSqlite, type SqliteOptions } from './sqlite.ts';

/** A disk whose syncs end when the test says so. */
class HeldDisk {
  readonly #held: PromiseWithResolvers<void>[] = [];
  syncs = 0;
  readonly sync = (): Promise<void> => {
    this.syncs++;
    const held = Promise.withResolvers<void>();
    this.#held.push(held);
    return held.promise;
  };

  async finish(error?: Error): Promise<void> {
    while (this.#held.length === 0) await turn();
    const held = this.#held.shift();
    if (error === undefined) held?.resolve();
    else held?.reject(error);
    await turn();
  }
}

const opened: { db: Database; folder: string }[] = [];

async function open(options: Partial<SqliteOptions> = {}): Promise<{ db: Database; file: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'notevault-test-'));
  const file = join(folder, 'test.sqlite');
  const db = await openSqlite({ file, ...options });
  opened.push({ db, folder });
  await db.migrate(CONTRACT_SCHEMA);
  return { db, file };
}

afterEach(async () => {
  for (const { db, folder } of opened.splice(0)) {
    await db[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  }
});

const raw = (text: string): Statement<object, Record<string, unknown>> => {
  const compiled = { sql: text, isSelect: false, bind: () => [] };
  return { compiled: () => compiled };
};
const item = (id: string) => ({ id, count: 1, words: null, bytes: null, size: null, mark: null });
const put = (handle: WriteHandle, id: string) => handle.run(sql.put, item(id));
/** The rows that are committed, on disk or not. */
const ids = async (db: Database) =>
  (await runWithPendingReads(new PendingReads(), () => db.all(sql.items, {}))).map((row) => row.id);

/** Reports the state of a promise without awaiting it. */
function watched(promise: Promise<unknown>): { state: string } {
  const seen = { state: 'waiting' };
  promise.then(
    () => {
      seen.state = 'resolved';
    },
    (error) => {
      seen.state = error.code ?? error.message;
    },
  );
  return seen;
}

describe('durability on sqlite', () => {
  test('an interactive body is on disk before those that waited longer are committed', async () => {
    const disk = new HeldDisk();
    const { db } = await open({ sync: disk.sync });
    const order: string[] = [];
    const write = (id: string, priority: Priority) =>
      watched(
        db.transact(async (handle) => {
          order.push(id);
          await put(handle, id);
        }, priority),
      );
    const [edited, moved, typed] = [write('edited', 'normal'), write('moved', 'bulk'), write('typed', 'interactive')];
    while ((await ids(db)).length < 3) await turn();
    assert.deepEqual(order, ['typed', 'edited', 'moved']);
    await disk.finish();
    assert.deepEqual([typed.state, edited.state, moved.state], ['resolved', 'waiting', 'waiting']);
    await disk.finish();
    assert.deepEqual([edited.state, moved.state], ['resolved', 'resolved']);
  });

  test('a statement outside transactions sees nothing of one that is not committed', async () => {
    const { db } = await open();
    for (const priority of ['normal', 'bulk'] as const) {
      const before = await ids(db);
      let seen: string[] = [];
      await db.transact(async (handle) => {
        await put(handle, priority);
        seen = await ids(db);
      }, priority);
      assert.deepEqual(seen, before);
      assert.deepEqual(await ids(db), [...before, priority].sort());
    }
  });

  test('no transaction is answered before the end of the sync that began after its commit', async () => {
    const disk = new HeldDisk();
    const { db } = await open({ sync: disk.sync });
    const happened: string[] = [];
    const first = watched(
      db.transact(async (handle) => {
        handle.onCommit(() => happened.push('first'));
        await put(handle, 'first');
      }),
    );
    while (disk.syncs === 0) await turn();
    assert.equal(first.state, 'waiting');
    // Committed during the first sync, which may have begun too early to cover it.
    const second = watched(
      db.transact(async (handle) => {
        handle.onCommit(() => happened.push('second'));
        await put(handle, 'second');
      }),
    );
    while ((await ids(db)).length < 2) await turn();
    assert.deepEqual(happened, []);
    await disk.finish();
    assert.equal(first.state, 'resolved');
    assert.equal(second.state, 'waiting');
    assert.deepEqual(happened, ['first']);
    await disk.finish();
    assert.equal(second.state, 'resolved');
    assert.deepEqual(happened, ['first', 'second']);
    assert.equal(disk.syncs, 2);
  });

  test('a read resolves once the commit that it saw is on disk', async () => {
    const disk = new HeldDisk();
    const { db } = await open({ sync: disk.sync });
    const writing = db.transact((handle) => put(handle, 'new'));
    while (disk.syncs === 0) await turn();
    const reads = [
      watched(db.get(sql.item, { id: 'new' })),
      watched(db.all(sql.items, {})),
      watched(db.read((handle) => handle.all(sql.items, {}))),
    ];
    for (let turns = 0; turns < 10; turns++) await turn();
    assert.deepEqual(
      reads.map(({ state }) => state),
      ['waiting', 'waiting', 'waiting'],
    );
    await disk.finish();
    await writing;
    await until(() => reads.every(({ state }) => state === 'resolved'));
    assert.equal(disk.syncs, 1);
  });

  test('reads of one request resolve at once, and the request waits for the disk a single time', async () => {
    const disk = new HeldDisk();
    const { db } = await open({ sync: disk.sync });
    const reads = new PendingReads();
    const writing = db.transact((handle) => put(handle, 'new'));
    while (disk.syncs === 0) await turn();
    await runWithPendingReads(reads, async () => {
      assert.equal((await db.all(sql.items, {})).length, 1);
      assert.equal((await db.read((handle) => handle.all(sql.items, {}))).length, 1);
    });
    const answer = watched(reads.onDisk() ?? Promise.resolve());
    await turn();
    assert.equal(answer.state, 'waiting');
    const late = watched(runWithPendingReads(reads, () => db.all(sql.items, {})));
    await turn();
    assert.equal(late.state, 'waiting', 'a read after the answer left it to nobody to wait');
    await disk.finish();
    await writing;
    await until(() => answer.state === 'resolved' && late.state === 'resolved');
  });

  test('a request does not wait again for the commit of its own transaction', async () => {
    const disk = new HeldDisk();
    const { db } = await open({ sync: disk.sync });
    const reads = new PendingReads();
    const mine = runWithPendingReads(reads, async () => {
      await db.all(sql.items, {});
      await db.transact((handle) => put(handle, 'mine'));
    });
    await disk.finish();
    await mine;
    // Committed before the answer, and not seen by the request.
    const { syncs } = disk;
    const other = db.transact((handle) => put(handle, 'other'));
    while (disk.syncs === syncs) await turn();
    assert.equal(reads.onDisk(), undefined);
    await disk.finish();
    await other;
  });

  test('a read waits until the commit of another process is on disk', async () => {
    const disk = new HeldDisk();
    const { db, file } = await open({ sync: disk.sync });
    const first = db.all(sql.items, {});
    await disk.finish();
    await first;
    const { syncs } = disk;
    using other = new DatabaseSync(file);
    other.exec("pragma synchronous = off; insert into items (id, count) values ('theirs', 1)");
    const read = watched(db.all(sql.items, {}));
    while (disk.syncs === syncs) await turn();
    assert.equal(read.state, 'waiting');
    await disk.finish();
    await until(() => read.state === 'resolved');
  });

  test('transactions that commit during a sync share the next one', async () => {
    const disk = new HeldDisk();
    const { db } = await open({ sync: disk.sync });
    const writes = [db.transact((handle) => put(handle, 'first'))];
    while (disk.syncs === 0) await turn();
    for (let count = 1; count < 50; count++) {
      writes.push(db.transact((handle) => put(handle, `item ${count}`)));
      if (count % 10 === 0) await turn();
    }
    while ((await ids(db)).length < 50) await turn();
    await disk.finish();
    await disk.finish();
    await Promise.all(writes);
    assert.equal(disk.syncs, 2);
  });

  test('a body that wrote nothing waits only for the commits that it may have read', async () => {
    const disk = new HeldDisk();
    const { db } = await open({ sync: disk.sync });
    const write = watched(db.transact((handle) => put(handle, 'one')));
    while (disk.syncs === 0) await turn();
    const read = watched(db.transact((handle) => handle.get(sql.item, { id: 'one' })));
    const threw = watched(db.transact((handle) => put(handle, 'one')));
    for (let turns = 0; turns < 20; turns++) await turn();
    assert.deepEqual([write.state, read.state, threw.state], ['waiting', 'waiting', 'waiting']);
    await disk.finish();
    assert.deepEqual([write.state, read.state], ['resolved', 'resolved']);
    await db.transact((handle) => handle.get(sql.item, { id: 'one' }));
    assert.equal(disk.syncs, 1);
  });

  test('rows committed by another connection are synced before a body that read them is answered', async () => {
    const disk = new HeldDisk();
    const { db, file } = await open({ sync: disk.sync });
    const other = new DatabaseSync(file);
    other.exec("insert into items (id, count) values ('theirs', 1)");
    const read = watched(db.transact((handle) => handle.get(sql.item, { id: 'theirs' })));
    await disk.finish();
    assert.equal(read.state, 'resolved');
    assert.equal(disk.syncs, 1);
    other.close();
  });

  test('a failed sync fails its transactions and ends the database', async () => {
    const disk = new HeldDisk();
    const { db } = await open({ sync: disk.sync });
    let followed = false;
    const write = db.transact(async (handle) => {
      handle.onCommit(() => {
        followed = true;
      });
      await put(handle, 'one');
    });
    const states = [watched(write)];
    while (disk.syncs === 0) await turn();
    states.push(watched(db.transact((handle) => put(handle, 'two'))));
    while ((await ids(db)).length < 2) await turn();
    await disk.finish(new Error('EIO'));
    const unavailable = { name: 'DatabaseError', code: 'unavailable' };
    assert.deepEqual(
      states.map(({ state }) => state),
      ['unavailable', 'unavailable'],
    );
    assert.equal(followed, false);
    await assert.rejects(
      db.transact((handle) => put(handle, 'three')),
      unavailable,
    );
    await assert.rejects(db.get(sql.item, { id: 'one' }), unavailable);
    await assert.rejects(
      db.read((handle) => handle.all(sql.items, {})),
      unavailable,
    );
    assert.equal(disk.syncs, 1, 'a failed sync must not be tried again');
  });
});

describe('shared transactions on sqlite', () => {
  test('effects of transactions run in the order of their commits', async () => {
    const { db } = await open();
    const happened: number[] = [];
    await db.transact((handle) => put(handle, 'one'));
    await Promise.all(
      Array.from({ length: 40 }, () =>
        db.transact(async (handle) => {
          const row = await handle.get(sql.addReturning, { id: 'one', by: 1 });
          handle.onCommit(() => happened.push(row?.count ?? 0));
        }),
      ),
    );
    const inOrder = Array.from({ length: 40 }, (_, index) => index + 2);
    assert.deepEqual(happened, inOrder);
  });

  test('bodies that fail leave nothing behind, anywhere in a shared transaction, and run once', async (t) => {
    const { db } = await open();
    // However slow the machine is, all are in time for one transaction.
    t.mock.method(performance, 'now', () => 0);
    const runs: string[] = [];
    const write = (id: string, fails: boolean) =>
      db.transact(async (handle) => {
        runs.push(id);
        await put(handle, id);
        if (fails) throw new Error(id);
      });
    const names = ['a fails', 'b fails', 'c', 'd fails', 'e', 'f fails'];
    const results = await Promise.allSettled(names.map((name) => write(name, name.endsWith('fails'))));
    assert.deepEqual(
      results.map((result) => (result.status === 'rejected' ? result.reason.message : 'done')),
      ['a fails', 'b fails', 'done', 'd fails', 'done', 'f fails'],
    );
    assert.deepEqual(runs, names);
    assert.deepEqual(await ids(db), ['c', 'e']);
    await assert.rejects(write('alone fails', true), { message: 'alone fails' });
    assert.deepEqual(await ids(db), ['c', 'e']);
  });

  test('when the commit fails, each body runs again alone, and only the guilty one is refused', async (t) => {
    const { db } = await open();
    // However slow the machine is, all three are in time for one transaction.
    t.mock.method(performance, 'now', () => 0);
    await db.transact((handle) => put(handle, 'one'));
    const runs = new Map<string, number>();
    let effects = 0;
    const write = (id: string, later_id: string) =>
      db.transact(async (handle) => {
        runs.set(id, (runs.get(id) ?? 0) + 1);
        handle.onCommit(() => effects++);
        await handle.run(sql.putPart, { id, item_id: 'one', later_id });
      });
    const results = await Promise.allSettled([write('a', 'one'), write('b', 'nobody'), write('c', 'one')]);
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    assert.deepEqual(Object.fromEntries(runs), { a: 2, b: 2, c: 2 });
    assert.equal(effects, 2);
  });

  test('when SQLite rolls everything back in the middle of a body, the others run again', async () => {
    const { db } = await open();
    await db.transact(async (handle) => {
      const body = "when new.id = 'bad' begin select raise(rollback, 'all is lost'); end";
      await handle.run(raw(`create trigger lose before insert on items ${body}`), {});
    });
    let lateCall: Promise<unknown> = Promise.resolve();
    const results = await Promise.allSettled([
      db.transact((handle) => put(handle, 'a')),
      db.transact(async (handle) => {
        await put(handle, 'bad').catch(() => {});
        // The transaction is over: if this call were accepted, it would be committed at once.
        lateCall = put(handle, 'stray');
        await lateCall;
      }),
      db.transact((handle) => put(handle, 'c')),
    ]);
    await assert.rejects(lateCall);
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    assert.deepEqual(await ids(db), ['a', 'c']);
  });

  test('a body that threw because of what a lost transaction held runs again', async () => {
    const { db } = await open();
    await db.transact((handle) => put(handle, 'one'));
    const results = await Promise.allSettled([
      db.transact(async (handle) => {
        await put(handle, 'name');
        await handle.run(sql.putPart, { id: 'part', item_id: 'one', later_id: 'nobody' });
      }),
      db.transact((handle) => put(handle, 'name')),
    ]);
    assert.deepEqual(
      results.map(({ status }) => status),
      ['rejected', 'fulfilled'],
    );
  });

  test('a full disk refuses what does not fit and serves the rest', async () => {
    const { db } = await open();
    await db.transact(async (handle) => {
      await handle.get(raw('pragma max_page_count = 60'), {});
    });
    const big = { ...item('big'), bytes: Buffer.alloc(1_000_000, 1) };
    const results = await Promise.allSettled([
      db.transact((handle) => put(handle, 'a')),
      db.transact((handle) => handle.run(sql.put, big)),
      db.transact((handle) => put(handle, 'c')),
    ]);
    assert.deepEqual(
      results.map((result) => (result.status === 'rejected' ? result.reason.code : 'kept')),
      ['kept', 'unavailable', 'kept'],
    );
    assert.deepEqual(await ids(db), ['a', 'c']);
  });

  test('a transaction opened inside another is refused instead of waiting for itself', async () => {
    const { db } = await open();
    const outer = db.transact(async (handle) => {
      await put(handle, 'outer');
      await db.transact((inner) => put(inner, 'inner'));
    });
    await assert.rejects(outer, { code: 'body_left_open' });
    while ((await ids(db)).length === 0) await turn();
    assert.deepEqual(await ids(db), ['inner']);
  });

  test('a body and its effects run in the asynchronous context of their caller', async () => {
    const { db } = await open();
    const store = new AsyncLocalStorage<string>();
    const seen: unknown[] = [];
    await Promise.all(
      ['alice', 'bob'].map((name) =>
        store.run(name, () =>
          db.transact(async (handle) => {
            await put(handle, name);
            handle.onCommit(() => seen.push([name, store.getStore()]));
          }),
        ),
      ),
    );
    assert.deepEqual(seen, [
      ['alice', 'alice'],
      ['bob', 'bob'],
    ]);
  });
});

describe('sqlite beside other processes', () => {
  test('a write waits while another process holds the lock, without blocking the event loop', async (t) => {
    const draws = t.mock.method(Math, 'random');
    const { db, file } = await open();
    const other = new DatabaseSync(file);
    other.exec('begin immediate');
    const write = watched(db.transact((handle) => put(handle, 'one')));
    // Each failed attempt draws the length of its pause.
    await until(() => draws.mock.callCount() >= 3);
    assert.equal(write.state, 'waiting');
    other.exec('commit');
    other.close();
    await until(() => write.state !== 'waiting');
    assert.equal(write.state, 'resolved');
  });

  test('a write that waits too long for the lock is overloaded, and the next write is served', async () => {
    const { db, file } = await open({ busyMs: 50 });
    const other = new DatabaseSync(file);
    other.exec('begin immediate');
    await assert.rejects(
      db.transact((handle) => put(handle, 'one')),
      { code: 'overloaded' },
    );
    other.exec('rollback');
    other.close();
    await db.transact((handle) => put(handle, 'two'));
  });
});
