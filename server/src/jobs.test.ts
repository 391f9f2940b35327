import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testClock } from '../test/kit/clock.ts';
import { IDLE } from './concurrency/idle.ts';
import { JobRunner } from './jobs.ts';
import { DatabaseError } from './ports/database/database.ts';
import { createLogger } from './telemetry/telemetry.ts';

interface Line {
  readonly level: string;
  readonly msg: string;
  readonly job: string;
  readonly failures?: number;
  readonly reason?: string;
  readonly err?: { readonly type: string; readonly stack: string };
}

type Outcome = Error | typeof IDLE | null;

/** A job that fails with the given errors, run by a real JobRunner; returns what was logged. */
function failing() {
  const lines: Line[] = [];
  const log = createLogger('info', { write: (text) => lines.push(JSON.parse(text)) });
  const clock = testClock();
  const outcomes: Outcome[] = [];
  let wake = () => {};
  let done = Promise.withResolvers<void>();
  const run = async () => {
    if (outcomes.length === 0) {
      done.resolve();
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    const outcome = outcomes.shift();
    if (outcome instanceof Error) throw outcome;
    return outcome;
  };
  const background = new JobRunner(log, clock, [{ name: 'edits', everyMs: 0, run }]);
  background.start();
  return {
    lines,
    clock,
    /** Runs the job with each of these outcomes, in order. */
    async runs(...next: Outcome[]) {
      await done.promise;
      done = Promise.withResolvers();
      outcomes.push(...next);
      wake();
      await done.promise;
    },
    async [Symbol.asyncDispose]() {
      const stopped = background[Symbol.asyncDispose]();
      wake();
      await stopped;
    },
  };
}

const away = () => new DatabaseError('unavailable', 'it is away');

test('JobRunner logs one stack for a job that fails for hours, then a line a minute with the count', async () => {
  await using job = failing();
  await job.runs(...Array.from({ length: 59 }, away));
  assert.equal(job.lines.length, 1);
  assert.deepEqual([job.lines[0]?.msg, job.lines[0]?.job], ['background job failed', 'edits']);
  assert.match(job.lines[0]?.err?.stack ?? '', /^at /);

  for (const minute of [1, 2]) {
    job.clock.advance({ seconds: 60 });
    await job.runs(away(), away(), away());
    const { msg, failures, reason, err } = job.lines[minute] ?? {};
    assert.deepEqual(
      [msg, failures, reason, err],
      ['background job still fails', minute === 1 ? 59 : 3, 'DatabaseError unavailable', undefined],
    );
    assert.equal(job.lines.length, minute + 1);
  }
});

test('JobRunner logs another stack for a job that fails differently, or again after a success', async () => {
  await using job = failing();
  await job.runs(away(), new TypeError('another'), away(), null, null, away());
  assert.deepEqual(
    job.lines.map(({ level, msg, err }) => [level, msg, err?.type]),
    [
      ['error', 'background job failed', 'DatabaseError'],
      ['error', 'background job failed', 'TypeError'],
      ['info', 'background job works again', undefined],
      ['error', 'background job failed', 'DatabaseError'],
    ],
  );
});

test('JobRunner logs that a job works again only once it did its work', async () => {
  await using job = failing();
  await job.runs(away(), IDLE, IDLE);
  const messages = () => job.lines.map(({ msg }) => msg);
  assert.deepEqual(messages(), ['background job failed']);
  await job.runs(null);
  assert.deepEqual(messages(), ['background job failed', 'background job works again']);
});
