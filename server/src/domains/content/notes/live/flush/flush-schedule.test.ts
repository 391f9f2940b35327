import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NoteId } from '@notevault/protocol/values/ids.ts';
import { testClock } from '../../../../../../test/kit/clock.ts';
import { turns } from '../../../../../../test/kit/until.ts';
import type { OpenVault } from '../../../vaults/vaults.ts';
import { FlushSchedule } from './flush-schedule.ts';

const vault = {} as OpenVault;
const LONG_AGO = Number.NEGATIVE_INFINITY;

/** A schedule whose flushes report when they begin, in milliseconds since the start; slow ones last until `finish`. */
function start({ slow = false } = {}) {
  const clock = testClock(0);
  const flushed: [id: string, at: number][] = [];
  const running: (() => void)[] = [];
  const flush = (_vault: OpenVault, id: NoteId) => {
    flushed.push([id, clock.elapsed()]);
    return slow ? new Promise<void>((resolve) => running.push(resolve)) : Promise.resolve();
  };
  const schedule = new FlushSchedule(flush, clock);
  const pass = async (ms: number) => {
    for (let left = ms; left > 0; left--) {
      clock.advance({ ms: 1 });
      // Some turns of the event loop pass in each millisecond.
      await turns(3);
    }
  };
  const edit = (id: string, flushedAt = LONG_AGO) => schedule.edited(vault, id as NoteId, flushedAt);
  const finish = async () => {
    for (const done of running.splice(0)) done();
    await turns(1);
  };
  return { schedule, flushed, edit, pass, finish };
}

test('[6.3] a note is flushed within a second after its last edit, and within three when edits go on', async () => {
  const { schedule, flushed, edit, pass } = start();
  edit('quiet');
  for (let key = 0; key < 60; key++) {
    edit('busy');
    await pass(100);
  }
  assert.equal(schedule.size, 1);
  const of = (id: string) => flushed.filter(([each]) => each === id).map(([, at]) => at);
  const [once = 0, ...more] = of('quiet');
  assert.ok(more.length === 0 && once <= 1_000);
  assert.ok(of('busy').length === 2 && (of('busy')[0] ?? 0) <= 3_000);
  await pass(1_000);
  assert.equal(of('busy').length, 3);
  assert.equal(schedule.size, 0);
});

test('[6.4] a note that was just flushed is not flushed again within a second', async () => {
  const { flushed, edit, pass } = start();
  await pass(5_000);
  edit('a', 4_900);
  await pass(1_000);
  assert.deepEqual(flushed, [['a', 5_900]]);
});

test('many notes due at once are flushed one after the other, the last within a quarter of a second', async () => {
  for (const count of [20, 400]) {
    const { flushed, edit, pass } = start();
    for (let at = 0; at < count; at++) edit(`${at}`);
    await pass(1_000);
    assert.equal(flushed.length, count);
    const moments = Map.groupBy(flushed, ([, at]) => at);
    const most = Math.max(...[...moments.values()].map((each) => each.length));
    if (count === 20) assert.equal(most, 1);
  }
});

test('few flushes run at once; a note that another process flushes is left to it', async () => {
  const { schedule, flushed, edit, pass, finish } = start({ slow: true });
  for (let at = 0; at < 20; at++) edit(`${at}`);
  await pass(1_000);
  assert.equal(flushed.length, 8);
  schedule.cancel('8' as NoteId);
  await finish();
  await pass(100);
  assert.deepEqual([flushed.length, schedule.size], [16, 3]);
  await finish();
  await pass(100);
  assert.deepEqual(
    flushed.map(([id]) => Number(id)),
    Array.from({ length: 20 }, (_, at) => at).filter((at) => at !== 8),
  );
});

test('waiting notes can be flushed immediately', async () => {
  const { schedule, flushed, edit } = start();
  edit('a');
  edit('b');
  await schedule.flushAll();
  assert.deepEqual([flushed.map(([id]) => id), schedule.size], [['a', 'b'], 0]);
});
