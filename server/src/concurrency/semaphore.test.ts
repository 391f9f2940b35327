import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FairSemaphore, type Permit } from './semaphore.ts';

const limits = { units: 2, unitsPerTenant: 2, waiting: 20, waitingPerTenant: 10 };

/** Lets all pending promises run. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

function recorder(semaphore: FairSemaphore) {
  const order: string[] = [];
  const permits: Permit[] = [];
  const ask = (tenant: string, units?: number) =>
    semaphore.acquire(tenant, units).then((permit) => {
      order.push(tenant);
      permits.push(permit);
    });
  return { order, permits, ask };
}

test('FairSemaphore serves waiting tenants in turns, however many requests one of them has', async () => {
  const semaphore = new FairSemaphore({ ...limits, units: 1, unitsPerTenant: 1 });
  const { order, permits, ask } = recorder(semaphore);
  for (let at = 0; at < 5; at++) void ask('alice');
  void ask('bob');
  void ask('carol');
  for (let at = 0; at < 7; at++) {
    await settled();
    permits[at]?.[Symbol.dispose]();
  }
  assert.deepEqual(order, ['alice', 'alice', 'bob', 'carol', 'alice', 'alice', 'alice']);
  assert.equal(semaphore.used, 0);
});

test('FairSemaphore limits a tenant to its share, without blocking others', async () => {
  const { order, permits, ask } = recorder(new FairSemaphore({ ...limits, units: 3 }));
  for (let at = 0; at < 4; at++) void ask('alice');
  void ask('bob');
  await settled();
  assert.deepEqual(order, ['alice', 'alice', 'bob']);
  permits[0]?.[Symbol.dispose]();
  await settled();
  assert.deepEqual(order, ['alice', 'alice', 'bob', 'alice']);
});

test('FairSemaphore refuses a tenant over its share of the queue, and no others', async () => {
  const semaphore = new FairSemaphore({ ...limits, waitingPerTenant: 3 });
  const done: string[] = [];
  const use = (tenant: string) => semaphore.run(tenant, async () => void done.push(tenant));
  const all = Array.from({ length: 5 }, () => use('alice'));
  await assert.rejects(use('alice'), { code: 'unavailable' });
  await Promise.all([...all, use('bob')]);
  assert.equal(done.length, 6);
  assert.deepEqual([semaphore.used, semaphore.waiting], [0, 0]);
});

test('FairSemaphore removes an aborted request, but keeps a permit that was granted before', async () => {
  const semaphore = new FairSemaphore({ ...limits, units: 1 });
  const first = await semaphore.acquire('alice');
  const gone = new AbortController();
  const aborted = semaphore.acquire('alice', 1, gone.signal);
  const next = semaphore.acquire('bob');
  gone.abort(new Error('gone'));
  await assert.rejects(aborted, /gone/);
  first[Symbol.dispose]();
  first[Symbol.dispose]();
  const permit = await next;
  assert.equal(semaphore.used, 1, 'disposing twice gives back once');
  permit[Symbol.dispose]();
  await assert.rejects(semaphore.acquire('bob', 1, gone.signal), /gone/);
  assert.equal(semaphore.used, 0);
});

test('FairSemaphore admits what fits when a permit shrinks', async () => {
  const { order, permits, ask } = recorder(new FairSemaphore({ ...limits, units: 10, unitsPerTenant: 10 }));
  void ask('alice', 8);
  void ask('bob', 8);
  void ask('carol', 1);
  await settled();
  assert.deepEqual(order, ['alice'], 'carol does not pass bob by, who would else never come in');
  permits[0]?.resize(1);
  await settled();
  assert.deepEqual(order, ['alice', 'bob', 'carol']);
});

test('FairSemaphore gives nothing to a permit that was released', async () => {
  const semaphore = new FairSemaphore({ ...limits, units: 10, unitsPerTenant: 10 });
  const permit = await semaphore.acquire('alice', 8);
  permit[Symbol.dispose]();
  permit.resize(9);
  assert.equal(semaphore.used, 0);
});

test('FairSemaphore admits a request for more units than exist alone', async () => {
  const semaphore = new FairSemaphore(limits);
  const small = await semaphore.acquire('alice');
  const large = semaphore.acquire('bob', 100);
  small[Symbol.dispose]();
  assert.equal(semaphore.used, 0 + 100);
  (await large)[Symbol.dispose]();
  assert.equal(semaphore.used, 0);
});
