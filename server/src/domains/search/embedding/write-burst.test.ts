import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochMs } from '@notevault/protocol/values/ids.ts';
import { WriteBurst } from './write-burst.ts';

function burstAt(start: number) {
  let now = start;
  const burst = new WriteBurst({ now: () => now as EpochMs });
  return { burst, pass: (ms: number) => (now += ms) };
}

test('WriteBurst is on while 200 notes are written in a second, and off a second or two later', () => {
  const { burst, pass } = burstAt(1_000_000);
  assert.equal(burst.isOn(), false);
  burst.record(100);
  assert.equal(burst.isOn(), false);
  pass(500);
  burst.record(100);
  assert.equal(burst.isOn(), true);
  pass(1000);
  assert.equal(burst.isOn(), true);
  pass(1000);
  assert.equal(burst.isOn(), false);
});

test('WriteBurst never is on for notes that are written slowly', () => {
  const { burst, pass } = burstAt(1_000_000);
  for (let seconds = 0; seconds < 60; seconds++) {
    burst.record(90);
    assert.equal(burst.isOn(), false);
    pass(1000);
  }
});

test('WriteBurst is off after half a minute of one burst, and on for the next', () => {
  const { burst, pass } = burstAt(1_000_000);
  const onFor = (seconds: number) => {
    let on = 0;
    for (let second = 0; second < seconds; second++) {
      burst.record(1000);
      if (burst.isOn()) on += 1;
      pass(1000);
    }
    return on;
  };
  assert.equal(onFor(100), 30);
  pass(5000);
  assert.equal(burst.isOn(), false);
  assert.equal(onFor(10), 10);
});

test('WriteBurst is not on for ever when the clock is set back', () => {
  const { burst, pass } = burstAt(1_000_000);
  burst.record(1000);
  assert.equal(burst.isOn(), true);
  pass(-500_000);
  assert.equal(burst.isOn(), false);
});
