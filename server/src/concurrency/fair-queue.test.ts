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
