import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { testTasks } from '../../test/kit/test-tasks.ts';
import { TaskFailed, TaskLimitError, WorkerPool } from './worker-pool.ts';

function openPool(size = 1, idleMs?: number) {
  const workers: Worker[] = [];
  const start = () => {
    const worker = new Worker(new URL('../../test/kit/test-tasks.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 8 },
    });
    workers.push(worker);
    return worker;
  };
  const pool = new WorkerPool<typeof testTasks>({ start, size, ...(idleMs === undefined ? {} : { idleMs }) });
  return { pool, workers };
}

test('WorkerPool returns the output of a task and the processor time it took', async () => {
  const { pool } = openPool();
  await using _ = pool;
  assert.equal((await pool.run('alice', 'double', { value: 21 })).output, 42);
  const { cpuMs } = await pool.run('alice', 'burn', { ms: 40 });
  assert.ok(cpuMs >= 40, `${cpuMs} ms`);
  // The time of earlier tasks does not count; a busy host may slow one task down, but hardly all.
  const later: number[] = [];
  for (let task = 0; task < 5; task++) later.push((await pool.run('alice', 'double', { value: task })).cpuMs);
  assert.ok(Math.min(...later) < 40, `${later} ms`);
});

test('WorkerPool ends a task over its processor time, and runs those queued behind it', async () => {
  const { pool, workers } = openPool();
  await using _ = pool;
  const endless = pool.run('alice', 'spin', null, { cpuMs: 50 });
  const next = pool.run('alice', 'double', { value: 2 });
  await assert.rejects(endless, (error) => error instanceof TaskLimitError && error.limit === 'time');
  assert.equal((await next).output, 4);
  assert.equal(workers.length, 2);
});

test('WorkerPool does not count the processor time of earlier tasks against a task', async () => {
  const { pool, workers } = openPool();
  await using _ = pool;
  for (let round = 0; round < 5; round++) await pool.run('alice', 'burn', { ms: 60 }, { cpuMs: 200 });
  assert.equal(workers.length, 1);
});

test('WorkerPool ends a task over its memory; the process and the tasks behind it continue', async () => {
  const { pool } = openPool();
  await using _ = pool;
  const greedy = pool.run('alice', 'fill', null, { cpuMs: 60_000 });
  const next = pool.run('bob', 'double', { value: 3 });
  await assert.rejects(greedy, (error) => error instanceof TaskLimitError && error.limit === 'memory');
  assert.equal((await next).output, 6);
});

test("WorkerPool keeps the code of a task's error, while its message stays in the worker", async () => {
  const { pool, workers } = openPool();
  await using _ = pool;
  await assert.rejects(pool.run('alice', 'refuse', null), { code: 'note_too_large' });
  const failed = await pool.run('alice', 'fail', { text: 'a secret' }).catch((error: unknown) => error);
  assert.ok(failed instanceof TaskFailed);
  assert.doesNotMatch(failed.message, /secret/);
  assert.equal(workers.length, 1);
});

test('WorkerPool fails only the task of a thread that ends by itself', async () => {
  const { pool } = openPool();
  await using _ = pool;
  const ended = pool.run('alice', 'exit', null);
  const next = pool.run('alice', 'double', { value: 4 });
  await assert.rejects(ended, TaskFailed);
  assert.equal((await next).output, 8);
});

test('WorkerPool fails only the task whose input cannot be copied', async () => {
  const { pool, workers } = openPool();
  await using _ = pool;
  const input = { value: () => 1 } as unknown as { value: number };
  await assert.rejects(pool.run('alice', 'double', input), TaskFailed);
  assert.equal((await pool.run('alice', 'double', { value: 5 })).output, 10);
  assert.equal(workers.length, 1);
});

test('WorkerPool moves the buffers of an output to the caller', async () => {
  const { pool } = openPool();
  await using _ = pool;
  const { output } = await pool.run('alice', 'bytes', { length: 1000 });
  assert.deepEqual([output.length, output[999]], [1000, 7]);
});

test('WorkerPool refuses an account over its share of the queue, and no others', async () => {
  const { pool } = openPool();
  await using _ = pool;
  const results = await Promise.allSettled(Array.from({ length: 30 }, () => pool.run('alice', 'burn', { ms: 2 })));
  const refused = results.filter((result) => result.status === 'rejected').map(({ reason }) => reason);
  assert.equal(refused.length, 30 - 17, 'one runs, sixteen wait');
  assert.ok(refused.every((error) => error instanceof NotevaultError && error.code === 'unavailable'));
});

test("WorkerPool does not refuse a patient task, nor count it against its account's share", async () => {
  const { pool } = openPool();
  await using _ = pool;
  const many = (count: number, patient: boolean) =>
    Promise.allSettled(
      Array.from({ length: count }, () => pool.run('alice', 'burn', { ms: 1 }, { patient, bytes: 2 ** 30 })),
    );
  const [patient, others] = await Promise.all([many(60, true), many(3, false)]);
  assert.ok(patient.every(({ status }) => status === 'fulfilled'));
  assert.deepEqual(
    others.map(({ status }) => status),
    ['fulfilled', 'rejected', 'rejected'],
    'one fits its share, however heavy it is',
  );
});

test('WorkerPool runs the small task of one account before all tasks of a busy one are done', async () => {
  const { pool } = openPool();
  await using _ = pool;
  const order: string[] = [];
  const run = (account: string, ms: number) => pool.run(account, 'burn', { ms }).then(() => order.push(account));
  const much = Array.from({ length: 10 }, () => run('alice', 10));
  const little = run('bob', 1);
  await Promise.all([...much, little]);
  assert.ok(order.indexOf('bob') <= 1, order.join(' '));
});

test('WorkerPool starts threads when there is work, and ends them when there is none', async () => {
  const { pool, workers } = openPool(2, 1);
  await using _ = pool;
  assert.equal(pool.threads, 0);
  await Promise.all([pool.run('alice', 'burn', { ms: 20 }), pool.run('alice', 'burn', { ms: 20 })]);
  assert.equal(workers.length, 2);
  await Promise.all(workers.map((worker) => worker.threadId === -1 || once(worker, 'exit')));
  assert.equal(pool.threads, 0);
  assert.equal((await pool.run('alice', 'double', { value: 6 })).output, 12);
});

test('WorkerPool, when closed, refuses running and waiting tasks', async () => {
  const { pool } = openPool();
  const running = pool.run('alice', 'spin', null);
  const waiting = pool.run('alice', 'double', { value: 1 });
  const outcomes = Promise.allSettled([running, waiting]);
  await pool[Symbol.asyncDispose]();
  for (const outcome of await outcomes)
    assert.equal(outcome.status === 'rejected' && outcome.reason.code, 'unavailable');
  await assert.rejects(pool.run('alice', 'double', { value: 1 }), { code: 'unavailable' });
});
