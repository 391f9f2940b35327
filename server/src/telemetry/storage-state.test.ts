import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine } from '../../test/kit/engines.ts';
import { runOnReserve } from '../concurrency/tenant.ts';
import { type Database, DatabaseError } from '../ports/database/database.ts';
import { statementsOver } from '../ports/database/statement.ts';
import { StorageState } from './storage-state.ts';

const { statement, table } = statementsOver<{
  analytics_erasures: { user_id: string; analytics_id: string; requested_at: number };
}>();
const insert = table('analytics_erasures').insert('user_id', 'analytics_id', 'requested_at');
const count = statement((db, _: Record<never, never>) =>
  db.selectFrom('analytics_erasures').select((eb) => eb.fn.countAll<number>().as('count')),
);
const row = { user_id: '01890000-0000-7000-8000-000000000001', analytics_id: 'x', requested_at: 1 };

/** A database on a disk that can be filled. */
function fillable(real: Database) {
  const disk = { isFull: true };
  const full = () => new DatabaseError('unavailable', 'full', undefined, { full: true });
  const db: Database = {
    ...real,
    engine: real.engine,
    get: (...sent) => real.get(...sent),
    transact: (...sent) => (disk.isFull ? Promise.reject(full()) : real.transact(...sent)),
  };
  return { disk, db };
}

onEachEngine('a full disk in StorageState', (open) => {
  test('a full disk without a reserve is over only after a transaction that changed rows', async () => {
    const { disk, db } = fillable(await open());
    let found = 0;
    const onFull = () => (found += 1);
    const state = new StorageState({ elapsed: () => 0, onDamage: () => undefined, onFull });
    const watched = state.watchDatabase(db);
    const write = () => watched.transact((handle) => handle.run(insert, row));
    await assert.rejects(write(), { full: true });
    await assert.rejects(write(), { full: true });
    assert.deepEqual([state.isFull, found], [true, 1]);
    disk.isFull = false;
    await watched.transact((handle) => handle.get(count, {}));
    assert.equal(state.isFull, true);
    assert.equal(await write(), 1);
    assert.equal(state.isFull, false);
  });

  test('a full disk with a reserve serves only privileged writes until the reserve can be allocated again', async () => {
    const { disk, db } = fillable(await open());
    let now = 0;
    let looks = 0;
    let hasRoom = false;
    const reserve = {
      isFull: false,
      take: async () => {
        looks += 1;
        return hasRoom;
      },
      release: async () => {
        disk.isFull = false;
      },
    };
    const state = new StorageState({ elapsed: () => now, onDamage: () => undefined, reserve });
    const watched = state.watchDatabase(db);
    const write = (analytics_id: string) => watched.transact((handle) => handle.run(insert, { ...row, analytics_id }));
    assert.equal(await runOnReserve(() => write('a')), 1, 'the room was given back, and the write repeated');
    assert.equal(state.isFull, true);
    for (let nth = 0; nth < 3; nth += 1) await assert.rejects(write('b'), { full: true });
    assert.equal(looks, 1, 'the disk is looked at once a second');
    assert.equal(await runOnReserve(() => write('b')), 1);
    hasRoom = true;
    now += 1000;
    assert.equal(await write('c'), 1);
    assert.equal(state.isFull, false);
    assert.equal((await watched.get(count, {}))?.count, 3);
  });
});
