import assert from 'node:assert/strict';
import { test } from 'node:test';
import { partOfDay } from './greeting.ts';

test('the greeting is that of the part of the day, and of the evening until morning comes', () => {
  const at = (hour: number) => partOfDay(new Date(2027, 2, 14, hour));
  assert.deepEqual([0, 4, 5, 11, 12, 17, 18, 23].map(at), [
    ...['evening', 'evening', 'morning', 'morning'],
    ...['afternoon', 'afternoon', 'evening', 'evening'],
  ]);
});
