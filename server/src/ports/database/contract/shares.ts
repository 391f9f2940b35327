import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runForTenant } from '../../../concurrency/tenant.ts';
import type { Database } from '../database.ts';
import { contract as sql } from './statements.ts';

/** More than the number of connections of any engine. */
const MANY = 30;

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** Starts reads of a tenant that run until they are told to end. */
function holdReads(db: Database, tenant: string, count: number) {
  let over = false;
  let begun = 0;
  const hold = () =>
    db.read(async (handle) => {
      begun += 1;
      while (!over) {
        await handle.all(sql.items, {});
        await nextTurn();
      }
    });
  const reads = Array.from({ length: count }, () => runForTenant(tenant, hold));
  return {
    begun: () => begun,
    async end() {
      over = true;
      await Promise.all(reads);
    },
  };
}

export function shareContract(db: () => Database): void {
  test('the slow work of one tenant leaves connections for others', { timeout: 20_000 }, async () => {
    const slow = holdReads(db(), 'alice', MANY);
    try {
      const read = () => db().read((handle) => handle.all(sql.items, {}));
      for (const tenant of ['bob', 'carol', 'bob']) assert.deepEqual(await runForTenant(tenant, read), []);
      assert.deepEqual(await runForTenant('bob', () => db().all(sql.items, {})), []);
      assert.ok(slow.begun() > 0 && slow.begun() < MANY);
    } finally {
      await slow.end();
    }
    assert.equal(slow.begun(), MANY, 'those that waited had their turn');
  });

  test('a call that waits for a connection is refused when its caller hangs up, and never runs', {
    timeout: 20_000,
  }, async () => {
    const slow = holdReads(db(), 'alice', MANY);
    const hangUp = new AbortController();
    let ran = 0;
    const read = () => db().read(async () => ran++);
    try {
      const waiting = [1, 2, 3].map(() => runForTenant('alice', read, () => hangUp.signal));
      const refused = Promise.all(
        waiting.map((each) => assert.rejects(each, { name: 'DatabaseError', code: 'unavailable' })),
      );
      for (let turn = 0; turn < 3; turn++) await nextTurn();
      hangUp.abort();
      await refused;
    } finally {
      await slow.end();
    }
    assert.equal(ran, 0);
    await runForTenant('alice', read, () => hangUp.signal);
    assert.equal(ran, 1, 'what goes on after its caller has hung up is not refused for that');
  });
}
