import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { constants, PerformanceObserver } from 'node:perf_hooks';
import { it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { getHeapStatistics } from 'node:v8';
import { MB } from '@notevault/protocol/values/byte-units.ts';
import { until } from '../../../test/kit/until.ts';
import { collectAfterWork, collectWhenIdle, collectWhileIdle, countStreamed, freeBuffer } from './gc.ts';

const PIECE_BYTES = 64 * 1024;
const LOOK_MS = 50;
const PATIENCE_MS = 20_000;

/** Memory of this process in MiB, without mapped files. */
function ownMemory(): number {
  return Number(/^RssAnon:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1024;
}

/** Garbage of the old generation, which V8 does not collect as it goes. */
function oldGarbage(): WeakRef<object> {
  const object = { text: 'nobody needs it' };
  // Two collections of the young generation move it.
  countStreamed(8 * MB);
  countStreamed(8 * MB);
  return new WeakRef(object);
}

it('countStreamed keeps a stream at a few MB, however long it is', {
  skip: process.platform !== 'linux',
}, async () => {
  const idle = ownMemory();
  let peak = 0;
  for (let passed = 0; passed < 256 * MB; passed += PIECE_BYTES) {
    Buffer.alloc(PIECE_BYTES, 1);
    countStreamed(PIECE_BYTES);
    if (passed % (4 * MB) === 0) {
      await nextTurn();
      peak = Math.max(peak, ownMemory() - idle);
    }
  }
  assert.ok(peak < 40, `${peak} MiB above idle`);
});

it('freeBuffer frees a buffer, unless it shares its memory', () => {
  const own = Buffer.alloc(PIECE_BYTES, 1);
  freeBuffer(own);
  assert.equal(own.length, 0);
  const shared = Buffer.alloc(PIECE_BYTES, 1).subarray(5);
  freeBuffer(shared);
  assert.equal(shared.length, PIECE_BYTES - 5);
  const pooled = Buffer.from('short');
  freeBuffer(pooled);
  assert.equal(pooled.toString(), 'short');
});

it('collectWhenIdle collects garbage after an idle time, and not before', async () => {
  const worked = collectWhenIdle(500);
  const garbage = oldGarbage();
  for (let piece = 0; piece < 20; piece++) {
    worked();
    await nextTurn();
  }
  assert.ok(garbage.deref() !== undefined, 'collected in the midst of work');
  await until(() => garbage.deref() === undefined, 'a collection');
});

it('collectAfterWork collects garbage at once when much is in use, and else when idle', async () => {
  const { used_heap_size: heap, external_memory: external } = getHeapStatistics();
  const worked = collectAfterWork(heap + external + 16 * MB, 500);
  const garbage = oldGarbage();
  worked();
  await nextTurn();
  assert.ok(garbage.deref() !== undefined, 'collected although little is in use');
  await until(() => garbage.deref() === undefined, 'a collection');
  const next = oldGarbage();
  await nextTurn();
  const large = Buffer.alloc(32 * MB);
  worked();
  assert.equal(next.deref(), undefined);
  assert.equal(large.length, 32 * MB);
});

it('collectWhileIdle collects garbage of an idle thread that grew, and not of a busy one', async () => {
  const collected = Promise.withResolvers<void>();
  let collections = 0;
  const observer = new PerformanceObserver((list) => {
    for (const { detail } of list.getEntries() as unknown as { detail: { kind: number; flags: number } }[]) {
      const { NODE_PERFORMANCE_GC_MAJOR: major, NODE_PERFORMANCE_GC_FLAGS_ALL_AVAILABLE_GARBAGE: all } = constants;
      if (detail.kind === major && (detail.flags & all) !== 0) collections += 1;
    }
    if (collections > 0) collected.resolve();
  });
  observer.observe({ entryTypes: ['gc'] });
  using _collecting = collectWhileIdle(LOOK_MS);
  const grown = Buffer.alloc(16 * MB, 1);
  for (let turn = 0; turn < 4; turn++) {
    // Blocks the event loop.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_MS);
    await nextTurn();
  }
  assert.equal(collections, 0, 'collected in the midst of work');
  // Waits without polling, which would be work.
  const giveUp = setTimeout(() => collected.reject(new Error('no collection')), PATIENCE_MS);
  await collected.promise.finally(() => clearTimeout(giveUp));
  observer.disconnect();
  freeBuffer(grown);
});
