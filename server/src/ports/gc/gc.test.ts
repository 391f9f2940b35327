import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { until } from '../../../test/kit/until.ts';
import { collectAfterWork, collectWhenIdle, countStreamed, freeBuffer } from './gc.ts';

const MIB = 1024 * 1024;
const PIECE_BYTES = 64 * 1024;

/** Memory of this process in MiB, without mapped files. */
function ownMemory(): number {
  return Number(/^RssAnon:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1024;
}

it('countStreamed keeps a stream at a few MB, however long it is', {
  skip: process.platform !== 'linux',
}, async () => {
  const idle = ownMemory();
  let peak = 0;
  for (let passed = 0; passed < 256 * MIB; passed += PIECE_BYTES) {
    Buffer.alloc(PIECE_BYTES, 1);
    countStreamed(PIECE_BYTES);
    if (passed % (4 * MIB) === 0) {
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
  const garbage = new WeakRef({ text: 'nobody needs it' });
  for (let piece = 0; piece < 20; piece++) {
    worked();
    await nextTurn();
  }
  assert.ok(garbage.deref() !== undefined, 'collected in the midst of work');
  await until(() => garbage.deref() === undefined, 'a collection');
});

it('collectAfterWork collects garbage right after long work, and not after short work', async () => {
  const worked = collectAfterWork(100);
  const garbage = new WeakRef({ text: 'nobody needs it' });
  worked(99);
  await nextTurn();
  assert.ok(garbage.deref() !== undefined, 'collected after short work');
  await nextTurn();
  worked(100);
  assert.equal(garbage.deref(), undefined);
});
