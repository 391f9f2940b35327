import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createYield, SliceScheduler } from './yield.ts';

/** An event loop whose turns are taken by hand, and a clock that work advances. */
function handTurned(t: { mock: { method: typeof import('node:test').mock.method } }) {
  const turns: (() => void)[] = [];
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  return {
    scheduler: new SliceScheduler((run) => turns.push(run)),
    work: (ms: number) => {
      now += ms;
    },
    /** Runs one turn of the loop; false when nothing waits for one. */
    async turn(): Promise<boolean> {
      const due = turns.splice(0);
      for (const run of due) run();
      await new Promise((resolve) => setImmediate(resolve));
      return due.length > 0;
    },
  };
}

test('SliceScheduler makes work yield when the slice of time is used up, and not before', async (t) => {
  const loop = handTurned(t);
  const yieldIfDue = createYield('alice', loop.scheduler);
  await yieldIfDue();
  loop.work(4);
  await yieldIfDue();
  assert.equal(loop.scheduler.resumed, 0);
  loop.work(1);
  const yielding = yieldIfDue();
  assert.equal(await loop.turn(), true);
  await yielding;
  assert.equal(loop.scheduler.resumed, 1);
});

test('SliceScheduler gives all long work together one slice in each turn of the loop', async (t) => {
  const loop = handTurned(t);
  let done = 0;
  const work = async () => {
    const yieldIfDue = createYield('alice', loop.scheduler);
    for (let at = 0; at < 10; at++) {
      await yieldIfDue();
      loop.work(1);
      done += 1;
    }
  };
  const all = [work(), work(), work(), work()];
  // In the first turn all work reads the clock before any of it has run, so that turn is not checked.
  await loop.turn();
  for (let before = done; await loop.turn(); before = done) {
    assert.ok(done - before <= 5, `${done - before} ms in one turn`);
  }
  await Promise.all(all);
  assert.equal(done, 40);
});

test('SliceScheduler resumes the tenant whose work took least time first', async (t) => {
  const loop = handTurned(t);
  const order: string[] = [];
  const work = async (tenant: string, count: number) => {
    const yieldIfDue = createYield(tenant, loop.scheduler);
    for (let at = 0; at < count; at++) {
      await yieldIfDue();
      loop.work(5);
      order.push(tenant);
    }
  };
  const much = Array.from({ length: 20 }, () => work('alice', 5));
  await loop.turn();
  const little = work('bob', 3);
  let turns = 0;
  let bobDone = 0;
  void little.then(() => {
    bobDone = turns;
  });
  while (await loop.turn()) turns += 1;
  await Promise.all([...much, little]);
  assert.ok(bobDone <= 10, `bob was done after ${bobDone} turns of ${turns}: ${order.join(' ')}`);
});

test('SliceScheduler lets a request enter at once while there is time, and else in its tenant’s turn', async (t) => {
  const loop = handTurned(t);
  const entered: string[] = [];
  const enter = (tenant: string, ms: number) =>
    Promise.resolve(loop.scheduler.enter(tenant)).then(() => {
      loop.work(ms);
      entered.push(tenant);
    });
  await enter('alice', 6);
  const waiting = [enter('alice', 6), enter('alice', 6), enter('bob', 1)];
  assert.deepEqual(entered, ['alice']);
  for (let at = 0; at < 4; at++) await loop.turn();
  await Promise.all(waiting);
  assert.deepEqual(entered, ['alice', 'alice', 'bob', 'alice']);
});

test('SliceScheduler lets a request that is in its turn enter again at once, while there is time', async (t) => {
  const loop = handTurned(t);
  const entered: string[] = [];
  const enterTwice = async (name: string, ms: number) => {
    await loop.scheduler.enter('alice');
    loop.work(ms);
    await loop.scheduler.enter('alice');
    entered.push(name);
  };
  const used = enterTwice('first', 6);
  const waiting = ['second', 'third'].map((name) => enterTwice(name, 1));
  const slow = enterTwice('slow', 6);
  await loop.turn();
  assert.deepEqual(entered, ['first', 'second', 'third']);
  await loop.turn();
  await Promise.all([used, ...waiting, slow]);
  assert.deepEqual(entered, ['first', 'second', 'third', 'slow']);
});

test('SliceScheduler lets the request of a tenant who comes later enter before the many that wait', async (t) => {
  const loop = handTurned(t);
  const entered: string[] = [];
  const enter = (tenant: string) =>
    Promise.resolve(loop.scheduler.enter(tenant)).then(() => {
      loop.work(6);
      entered.push(tenant);
    });
  await enter('alice');
  const many = Array.from({ length: 50 }, () => enter('alice'));
  for (let at = 0; at < 5; at++) await loop.turn();
  const later = enter('bob');
  while (await loop.turn());
  await Promise.all([...many, later]);
  assert.equal(entered.length, 52);
  assert.ok(entered.indexOf('bob') <= 7, `bob entered as ${entered.indexOf('bob')}th`);
});

/** Lets requests enter after one has used up the slice; returns the order in which they enter. */
async function enteredFrom(t: Parameters<typeof handTurned>[0], requests: readonly (readonly [string, string])[]) {
  const loop = handTurned(t);
  loop.scheduler.isUsedUp();
  loop.work(6);
  const entered: string[] = [];
  const all = requests.map(async ([network, credential]) => {
    await loop.scheduler.enterFrom(network, credential);
    loop.work(1);
    entered.push(credential);
  });
  while (await loop.turn());
  await Promise.all(all);
  return entered;
}

test('SliceScheduler lets a network with many credentials enter no more often than one with one', async (t) => {
  const many = Array.from({ length: 200 }, (_, at) => ['network 192.0.2.1', `made up ${at}`] as const);
  const entered = await enteredFrom(t, [...many, ['network 192.0.2.2', 'bob'], ['network 192.0.2.2', 'bob']]);
  assert.equal(entered.length, 202);
  assert.ok(entered.lastIndexOf('bob') <= 4, `bob entered as ${entered.lastIndexOf('bob')}th`);
});

test('SliceScheduler lets each credential of a network enter by turns', async (t) => {
  const many = Array.from({ length: 200 }, () => ['network 192.0.2.1', 'alice'] as const);
  const entered = await enteredFrom(t, [...many, ['network 192.0.2.1', 'bob']]);
  assert.equal(entered.length, 201);
  assert.ok(entered.indexOf('bob') <= 2, `bob entered as ${entered.indexOf('bob')}th`);
});
