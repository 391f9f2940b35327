import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testClock } from '../../../test/kit/clock.ts';
import { onEachEngine } from '../../../test/kit/engines.ts';
import { IDLE } from '../../concurrency/idle.ts';
import { BackupLease, backupState } from './lease.ts';
import { lastDue, scheduledBackup } from './schedule.ts';

test('lastDue is today or yesterday at that time', () => {
  const at = (text: string) => lastDue(new Date(text), '02:00');
  assert.deepEqual(at('2026-11-22T02:00:00'), new Date('2026-11-22T02:00:00'));
  assert.deepEqual(at('2026-11-22T01:59:59'), new Date('2026-11-21T02:00:00'));
  assert.deepEqual(at('2026-11-22T23:00:00'), new Date('2026-11-22T02:00:00'));
  assert.deepEqual(at('2026-03-01T00:30:00'), new Date('2026-02-28T02:00:00'));
});

const never = new AbortController().signal;
const HOUR = 3_600_000;

onEachEngine('a scheduled backup', (open) => {
  test('is taken once a day by one of several servers, and again an hour after it failed', async () => {
    const db = await open();
    const clock = testClock();
    const taken: string[] = [];
    let failing = false;
    let undecided = 0;
    let othersDecided = Promise.withResolvers<void>();
    othersDecided.resolve();
    const server = (name: string) =>
      scheduledBackup({
        db,
        clock,
        at: '02:00',
        async run() {
          if (failing) throw new Error('the disk is full');
          await using lease = await BackupLease.acquire(db, clock);
          taken.push(name);
          // A backup takes longer than another server needs to find it running.
          await othersDecided.promise;
          await lease.succeeded(clock.now());
        },
      });
    const jobs = [server('first'), server('second')];
    const decide = () => {
      undecided -= 1;
      if (undecided === 1) othersDecided.resolve();
    };
    const runAll = () => {
      undecided = jobs.length;
      othersDecided = Promise.withResolvers<void>();
      return Promise.all(jobs.map((job) => job.run(never).finally(decide)));
    };
    await runAll();
    assert.equal(taken.length, 1, 'the first start makes up for the time before it');
    clock.advance({ ms: 2 * HOUR });
    await jobs[0]?.run(never);
    await jobs[1]?.run(never);
    const before = taken.length;
    clock.advance({ ms: 24 * HOUR });
    failing = true;
    // Both have failed before the disk has room again.
    const failed = await Promise.allSettled(jobs.map((job) => job.run(never)));
    assert.deepEqual(
      failed.map((one) => one.status),
      ['rejected', 'rejected'],
    );
    failing = false;
    assert.deepEqual(await runAll(), [IDLE, IDLE], 'a backup that waits does not work again');
    assert.equal(taken.length, before, 'not before an hour has passed');
    clock.advance({ ms: HOUR });
    await runAll();
    assert.equal(taken.length, before + 1);
  });

  test('is not taken when another server took one between the decision and the lease', async () => {
    const db = await open();
    const clock = testClock();
    const taken: string[] = [];
    const take = async (name: string, due: number) => {
      await using lease = await BackupLease.acquire(db, clock, due);
      taken.push(name);
      await lease.succeeded(clock.now());
    };
    const faster = scheduledBackup({ db, clock, at: '02:00', run: (_, due) => take('faster', due) });
    const slower = scheduledBackup({
      db,
      clock,
      at: '02:00',
      async run(signal, due) {
        await faster.run(signal);
        await take('slower', due);
      },
    });
    await slower.run(never);
    assert.deepEqual(taken, ['faster']);
    clock.advance({ ms: 24 * HOUR });
    await slower.run(never);
    assert.deepEqual(taken, ['faster', 'faster'], 'one each day');
    await using lease = await BackupLease.acquire(db, clock);
    assert.ok(lease, 'a backup by hand is taken at any time');
  });

  test('is not begun while another backup holds the lease', async () => {
    const db = await open();
    const clock = testClock();
    let begun = 0;
    const run = async () => {
      begun += 1;
    };
    const job = scheduledBackup({ db, clock, at: '02:00', run });
    {
      await using _lease = await BackupLease.acquire(db, clock);
      await job.run(never);
      assert.equal(begun, 0);
      await assert.rejects(BackupLease.acquire(db, clock), /Another backup of this data is running/);
    }
    await job.run(never);
    assert.equal(begun, 1);
  });

  for (const state of ['taken', 'killed', 'failed'] as const) {
    test(`a scheduled backup that was ${state} while the clock was 400 days ahead does not delay the next one`, async () => {
      const db = await open();
      const clock = testClock();
      let taken = 0;
      const run = async (_: AbortSignal, due: number) => {
        await using lease = await BackupLease.acquire(db, clock, due);
        taken += 1;
        await lease.succeeded(clock.now());
      };
      let fails = state === 'failed';
      const job = scheduledBackup({
        ...{ db, clock, at: '02:00' },
        run: (...given) => (fails ? Promise.reject(new Error('the disk is full')) : run(...given)),
      });
      clock.shiftWall({ days: 400 });
      if (state === 'killed') await BackupLease.acquire(db, clock);
      else await job.run(never).catch(() => undefined);
      clock.shiftWall({ days: -400 });
      fails = false;
      clock.advance({ minutes: 61 });
      const { running, takenAt } = await backupState(db, clock);
      assert.deepEqual([running, takenAt], [false, null]);
      taken = 0;
      await job.run(never);
      assert.equal(taken, 1);
      clock.advance({ minutes: 61 });
      await job.run(never);
      assert.equal(taken, 1, 'one a day');
    });
  }
});
