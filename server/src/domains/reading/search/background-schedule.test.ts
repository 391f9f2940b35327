import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BackgroundSchedule, Backoff } from './background-schedule.ts';

function clockAt(start: number) {
  let now = start;
  return { elapsed: () => now, pass: (ms: number) => (now += ms) };
}

test('BackgroundSchedule begins at the start, each minute, and once writes have rested', () => {
  const clock = clockAt(1_000_000);
  const schedule = new BackgroundSchedule(clock, 1000);
  assert.deepEqual([schedule.begin(), schedule.begin()], [true, false]);
  clock.pass(60_000);
  assert.deepEqual([schedule.begin(), schedule.begin()], [true, false]);
  schedule.recordChange();
  clock.pass(900);
  schedule.recordChange();
  clock.pass(900);
  assert.equal(schedule.begin(), false);
  clock.pass(100);
  assert.deepEqual([schedule.begin(), schedule.begin()], [true, false]);
});

test('BackgroundSchedule waits ten seconds for writes that go on', () => {
  const clock = clockAt(1_000_000);
  const schedule = new BackgroundSchedule(clock, 1000);
  assert.ok(schedule.begin());
  const begun: number[] = [];
  for (let ms = 0; ms < 30_000; ms += 500) {
    schedule.recordChange();
    if (schedule.begin()) begun.push(ms);
    clock.pass(500);
  }
  assert.deepEqual(begun, [10_000, 20_500]);
});

test('BackgroundSchedule begins at once where nobody waits for writes to rest, and again when told to', () => {
  const clock = clockAt(1_000_000);
  const schedule = new BackgroundSchedule(clock, 1000);
  assert.deepEqual([schedule.begin(true), schedule.begin(true)], [true, false]);
  schedule.recordChange();
  assert.deepEqual([schedule.begin(), schedule.begin(true)], [false, true]);
  schedule.again(5000);
  assert.equal(schedule.begin(), false);
  clock.pass(5000);
  assert.equal(schedule.begin(), true);
});

test('Backoff doubles the pause after each failure up to a maximum, or waits as long as the failure asks', () => {
  const clock = clockAt(1_000_000);
  const backoff = new Backoff<string>(clock, 1000, 5000);
  const pauseOf = (leastMs?: number) => {
    backoff.failed('a', leastMs);
    let ms = 0;
    for (; backoff.isPaused('a'); ms += 500) clock.pass(500);
    return ms;
  };
  assert.deepEqual([pauseOf(), pauseOf(), pauseOf(), pauseOf(), pauseOf(9000)], [1000, 2000, 4000, 5000, 9000]);
  backoff.succeeded('a');
  assert.equal(pauseOf(), 1000);
  backoff.failed('a');
  assert.equal(backoff.isPaused('b'), false);
});
