import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { NoteId } from '@notevault/protocol/ids.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import { FlushSchedule } from './flush-schedule.ts';

const vault = {} as OpenVault;
const LONG_AGO = Number.NEGATIVE_INFINITY;

/** Notes that are flushed by saying when, in milliseconds since the beginning; they stay under way until `finish`. */
function start(t: TestContext, { slow = false } = {}) {
  t.mock.timers.enable({ apis: ['setTimeout', 'setImmediate', 'Date'], now: 0 });
  const settled: [id: string, at: number][] = [];
  const under: (() => void)[] = [];
  const settle = (_vault: OpenVault, id: NoteId) => {
    settled.push([id, Date.now()]);
    return slow ? new Promise<void>((resolve) => under.push(resolve)) : Promise.resolve();
  };
  const due = new FlushSchedule(settle, () => Date.now());
  const pass = async (ms: number) => {
    for (let left = ms; left > 0; left--) {
      t.mock.timers.tick(1);
      await Promise.resolve();
    }
  };
  const edit = (id: string, settledAt = LONG_AGO) => due.edited(vault, id as NoteId, settledAt);
  const finish = async () => {
    for (const done of under.splice(0)) done();
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  };
  return { due, settled, edit, pass, finish };
}

test('[6.3] a note is flushed within a second of quiet, and within three when nobody stops', async (t) => {
  const { due, settled, edit, pass } = start(t);
  edit('quiet');
  for (let key = 0; key < 60; key++) {
    edit('busy');
    await pass(100);
  }
  assert.equal(due.size, 1);
  const of = (id: string) => settled.filter(([each]) => each === id).map(([, at]) => at);
  const [once = 0, ...more] = of('quiet');
  assert.ok(more.length === 0 && once <= 1_000);
  assert.ok(of('busy').length === 2 && (of('busy')[0] ?? 0) <= 3_000);
  await pass(1_000);
  assert.equal(of('busy').length, 3);
  assert.equal(due.size, 0);
});

test('[6.4] a note that was flushed a moment ago waits until a second is over', async (t) => {
  const { settled, edit, pass } = start(t);
  await pass(5_000);
  edit('a', 4_900);
  await pass(1_000);
  assert.deepEqual(settled, [['a', 5_900]]);
});

test('many notes due at once are begun one after the other, the last of them in time', async (t) => {
  for (const count of [20, 400]) {
    t.mock.timers.reset();
    const { settled, edit, pass } = start(t);
    for (let at = 0; at < count; at++) edit(`${at}`);
    await pass(1_000);
    assert.equal(settled.length, count);
    const moments = Map.groupBy(settled, ([, at]) => at);
    const most = Math.max(...[...moments.values()].map((each) => each.length));
    if (count === 20) assert.equal(most, 1);
  }
});

test('few flushes run at once; a note that another process flushes is left to it', async (t) => {
  const { due, settled, edit, pass, finish } = start(t, { slow: true });
  for (let at = 0; at < 20; at++) edit(`${at}`);
  await pass(1_000);
  assert.equal(settled.length, 8);
  due.cancel('8' as NoteId);
  await finish();
  await pass(100);
  assert.deepEqual([settled.length, due.size], [16, 3]);
  await finish();
  await pass(100);
  assert.deepEqual(
    settled.map(([id]) => Number(id)),
    Array.from({ length: 20 }, (_, at) => at).filter((at) => at !== 8),
  );
});

test('waiting notes can be flushed immediately', async (t) => {
  const { due, settled, edit } = start(t);
  edit('a');
  edit('b');
  await due.flushAll();
  assert.deepEqual([settled.map(([id]) => id), due.size], [['a', 'b'], 0]);
});
