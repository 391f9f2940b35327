import assert from 'node:assert/strict';
import { test } from 'node:test';
import { durationText } from './duration-text.ts';

test('durationText names the largest unit that is full', () => {
  assert.equal(durationText(20, 'en'), '0 minutes');
  assert.equal(durationText(3_599, 'en'), '59 minutes');
  assert.equal(durationText(3_600, 'en'), '1 hour');
  assert.equal(durationText(3 * 86_400 + 5, 'en'), '3 days');
  assert.equal(durationText(86_400, 'de'), '1 Tag');
});
