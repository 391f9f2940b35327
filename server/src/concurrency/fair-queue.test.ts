import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FairQueue } from './fair-queue.ts';

const wide = { items: 100, weight: 100, itemsPerTenant: 100, weightPerTenant: 100 };

function emptied(queue: FairQueue<string>, cost = 1): string[] {
  const order: string[] = [];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    order.push(next.item);
    queue.charge(next.tenant, cost);
  }
  return order;
}

test('FairQueue alternates between tenants, and serves each in order of arrival', () => {
  const queue = new FairQueue<string>(wide);
  for (const item of ['a1', 'a2', 'a3', 'a4']) queue.push('alice', item, 1);
  queue.push('bob', 'b1', 1);
  queue.push('carol', 'c1', 1);
  assert.deepEqual(emptied(queue), ['a1', 'b1', 'c1', 'a2', 'a3', 'a4']);
});

test('FairQueue serves a new tenant next, which gains nothing by having been idle', () => {
  const queue = new FairQueue<string>(wide);
  for (let at = 0; at < 10; at++) queue.push('alice', `a${at}`, 1);
  for (let at = 0; at < 5; at++) queue.charge(queue.shift()?.tenant ?? '', 10);
  for (let at = 0; at < 3; at++) queue.push('bob', `b${at}`, 1);
  const order = emptied(queue, 10);
  assert.equal(order.indexOf('b0') <= 1, true, order.join(' '));
  assert.notDeepEqual(order.slice(0, 3), ['b0', 'b1', 'b2'], 'they take turns from here on');
});

test('FairQueue keeps the turn of a tenant whose item cannot go yet, while others go', () => {
  const queue = new FairQueue<string>(wide);
  queue.push('alice', 'a1', 1);
  queue.push('bob', 'b1', 1);
  assert.equal(queue.shift((tenant) => tenant !== 'alice')?.item, 'b1');
  assert.equal(
    queue.peek((_, item) => item !== 'a1'),
    undefined,
  );
  assert.equal(queue.shift()?.item, 'a1');
});

test('FairQueue frees the share of an item that is removed before its turn', () => {
  const queue = new FairQueue<string>({ ...wide, itemsPerTenant: 2 });
  assert.deepEqual([queue.push('alice', 'a1', 1), queue.push('alice', 'a2', 1)], [true, true]);
  assert.equal(queue.push('alice', 'a3', 1), false);
  assert.equal(queue.remove('alice', 'a1'), true);
  assert.equal(queue.remove('alice', 'a1'), false);
  assert.equal(queue.push('alice', 'a3', 1), true);
  assert.deepEqual(emptied(queue), ['a2', 'a3']);
});

test('FairQueue takes few steps per turn, however many tenants wait, and forgets those that are served', () => {
  let steps = 0;
  const queue = new FairQueue<number>({}, (one, other) => {
    steps += 1;
    return one.spent < other.spent || (one.spent === other.spent && one.arrival < other.arrival);
  });
  const count = 20_000;
  for (let at = 0; at < count; at++) queue.push(`${at}`, at, 1);
  const order: number[] = [];
  let most = 0;
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    order.push(next.item);
    queue.charge(next.tenant, 0);
    most = Math.max(most, queue.tenants + order.length);
  }
  assert.deepEqual(
    order,
    Array.from({ length: count }, (_, at) => at),
  );
  assert.ok(steps < 6 * count * Math.log2(count), `${steps} steps`);
  assert.deepEqual([most, queue.tenants], [count, 0]);
});

test('FairQueue visits only tenants whose item cannot go yet before the one that can', () => {
  const queue = new FairQueue<number>();
  for (let at = 0; at < 1000; at++) queue.push(`${at}`, at, 1);
  let asked = 0;
  const may = (_: string, item: number) => {
    asked += 1;
    return item >= 3;
  };
  assert.equal(queue.shift(may)?.item, 3);
  assert.ok(asked <= 12, `${asked} tenants`);
});

/** Serves the next item, at the given cost. */
function serve(queue: FairQueue<string>, cost: number): string | undefined {
  const next = queue.shift();
  queue.charge(next?.tenant ?? '', cost);
  return next?.item;
}

test('FairQueue remembers what a tenant without items has cost until the others have cost as much', () => {
  const queue = new FairQueue<string>();
  for (let at = 0; at < 9; at++) queue.push('bob', `b${at}`, 1);
  queue.push('alice', 'a0', 1);
  assert.deepEqual([serve(queue, 1), serve(queue, 3.5)], ['b0', 'a0']);
  queue.push('alice', 'a1', 1);
  const order = Array.from({ length: 6 }, () => serve(queue, 1));
  assert.deepEqual(order, ['b1', 'b2', 'b3', 'a1', 'b4', 'b5']);
  assert.equal(queue.tenants, 1, 'alice is forgotten');
});

test('FairQueue counts the cost of an item that ends after others were served', () => {
  const queue = new FairQueue<string>();
  for (let at = 0; at < 9; at++) queue.push('bob', `b${at}`, 1);
  queue.push('alice', 'a0', 1);
  serve(queue, 1);
  assert.equal(queue.shift()?.item, 'a0');
  assert.deepEqual([serve(queue, 1), serve(queue, 1)], ['b1', 'b2']);
  queue.charge('alice', 4.5);
  queue.push('alice', 'a1', 1);
  assert.deepEqual([serve(queue, 1), serve(queue, 1), serve(queue, 1)], ['b3', 'b4', 'a1']);
});
