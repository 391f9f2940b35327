import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testClock } from '../../test/kit/clock.ts';
import { IdleTimer } from './idle-timer.ts';

test('IdleTimer calls its function once, some time after the last of several uses has ended', () => {
  const clock = testClock();
  let idle = 0;
  using timer = new IdleTimer(1000, clock.schedule, () => {
    idle += 1;
  });
  const [first, second] = [timer.use(), timer.use()];
  first[Symbol.dispose]();
  clock.advance({ ms: 5000 });
  assert.equal(idle, 0, 'one use goes on');
  second[Symbol.dispose]();
  clock.advance({ ms: 999 });
  assert.equal(idle, 0);
  const third = timer.use();
  clock.advance({ ms: 1 });
  assert.equal(idle, 0, 'it was used again in time');
  third[Symbol.dispose]();
  clock.advance({ ms: 1000 });
  assert.equal(idle, 1);
  clock.advance({ ms: 5000 });
  assert.equal(idle, 1);
});
