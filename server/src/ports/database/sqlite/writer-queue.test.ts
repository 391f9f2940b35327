import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Priority } from '../database.ts';
import { WriterQueue } from './writer-queue.ts';

const job = (tenant: string, priority: Priority = 'normal') => ({ tenant, priority });

/** Takes all jobs out of the queue, charging each with `ms`; returns their tenants. */
function tenants(queue: WriterQueue<ReturnType<typeof job>>, ms: number): string[] {
  const order: string[] = [];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    order.push(next.tenant);
    queue.charge(next, ms);
  }
  return order;
}

test('WriterQueue alternates between tenants, however many transactions of one are waiting', () => {
  const queue = new WriterQueue<ReturnType<typeof job>>(1000);
  for (let at = 0; at < 500; at++) queue.push(job('alice', 'bulk'));
  for (let at = 0; at < 2; at++) queue.push(job('bob'));
  assert.deepEqual(tenants(queue, 200).slice(0, 4), ['alice', 'bob', 'alice', 'bob']);
});

test('WriterQueue prefers the tenant whose transactions took less time', () => {
  const queue = new WriterQueue<ReturnType<typeof job>>(1000);
  for (let at = 0; at < 10; at++) queue.push(job('alice'));
  const first = queue.shift();
  queue.push(job('bob'));
  queue.push(job('bob'));
  if (first !== undefined) queue.charge(first, 500);
  assert.deepEqual(tenants(queue, 1).slice(0, 3), ['bob', 'bob', 'alice']);
});

test('WriterQueue puts interactive transactions first', () => {
  const queue = new WriterQueue<ReturnType<typeof job>>(1000);
  queue.push(job('alice'));
  queue.push(job('bob', 'interactive'));
  assert.equal(queue.nextPriority, 'interactive');
  assert.deepEqual(tenants(queue, 1), ['bob', 'alice']);
});

test('WriterQueue bounds the waiting transactions of one tenant', () => {
  const queue = new WriterQueue<ReturnType<typeof job>>(2);
  assert.deepEqual([queue.push(job('alice')), queue.push(job('alice')), queue.push(job('alice'))], [true, true, false]);
  assert.equal(queue.push(job('bob')), true);
  assert.equal(queue.length, 3);
});
