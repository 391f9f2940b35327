import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addDays, addMonths, dayByKey, firstDayOf, monthOf } from './calendar.ts';

test('a month has whole weeks, which begin with the day that the language begins them with', () => {
  const monday = monthOf('2026-11-25', 1);
  assert.deepEqual([monday.year, monday.month, monday.weeks.length], [2026, 11, 6]);
  assert.deepEqual(
    [monday.weeks[0]?.[0], monday.weeks[0]?.[6], monday.weeks[5]?.[6]],
    ['2026-10-26', '2026-11-01', '2026-12-06'],
  );
  assert.deepEqual(
    monthOf('2026-02-14', 7).weeks.map((week) => week[0]),
    ['2026-02-01', '2026-02-08', '2026-02-15', '2026-02-22'],
  );
  assert.equal(firstDayOf('de'), 1);
  assert.equal(firstDayOf('ja'), 7);
});

test('a day moves over the ends of months and years, and stays within a shorter month', () => {
  assert.equal(addDays('2026-12-31', 1), '2027-01-01');
  assert.equal(addMonths('2026-01-31', 1), '2026-02-28');
  assert.equal(addMonths('2026-01-31', -2), '2025-11-30');
});

test('keys move in a calendar by days, weeks and months', () => {
  const keys = ['ArrowLeft', 'ArrowDown', 'Home', 'End', 'PageUp', 'x'];
  assert.deepEqual(
    keys.map((key) => dayByKey(key, '2026-11-25', 1)),
    ['2026-11-24', '2026-12-02', '2026-11-23', '2026-11-29', '2026-10-25', null],
  );
});
