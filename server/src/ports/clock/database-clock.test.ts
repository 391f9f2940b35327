import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testClock } from '../../../test/kit/clock.ts';
import { DatabaseClock } from './database-clock.ts';

const HOUR = 3_600_000;

test('the clock of a database is the machine’s until the database was asked, then the database’s', () => {
  const machine = testClock();
  const clock = new DatabaseClock(machine);
  assert.equal(clock.now(), machine.now());
  const databaseNow = machine.now() + 2 * HOUR;
  clock.adjust(databaseNow, 10);
  assert.equal(clock.now(), databaseNow + 5);
  machine.advance({ seconds: 1 });
  assert.equal(clock.now(), databaseNow + 1005);
  assert.ok(clock.uuid() > machine.uuid(), 'ids have the time of the database');
});

test('the clock of a database does not follow differences that a round trip explains', () => {
  const machine = testClock();
  const clock = new DatabaseClock(machine);
  clock.adjust(5000, 0);
  clock.adjust(4960, 100);
  assert.equal(clock.now(), 5000);
  clock.adjust(9000, 100);
  assert.equal(clock.now(), 9050);
});

test('the clock of a database does not jump with the machine’s', () => {
  const machine = testClock();
  const clock = new DatabaseClock(machine);
  clock.adjust(5000, 0);
  machine.shiftWall({ days: 400 });
  assert.equal(clock.now(), 5000);
});
