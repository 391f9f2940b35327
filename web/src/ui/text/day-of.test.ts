import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dayName } from './day-of.ts';

test('dayName says today, yesterday, the day of the week, then the date', () => {
  const now = new Date(2026, 10, 24, 0, 30);
  assert.equal(dayName(new Date(2026, 10, 24, 0, 10), now, 'en'), 'Today');
  assert.equal(dayName(new Date(2026, 10, 23, 23, 50), now, 'en'), 'Yesterday');
  assert.equal(dayName(new Date(2026, 10, 23), now, 'de'), 'Gestern');
  assert.equal(dayName(new Date(2026, 10, 20), now, 'en'), 'Friday');
  assert.equal(dayName(new Date(2026, 10, 17), now, 'en'), 'November 17');
  assert.equal(dayName(new Date(2025, 10, 23), now, 'ja'), '2025年11月23日');
});
