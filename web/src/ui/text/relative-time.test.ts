import assert from 'node:assert/strict';
import { test } from 'node:test';
import { relativeTime } from './relative-time.ts';

test('relativeTime names near moments by their distance and far ones by their date', () => {
  const now = new Date('2026-11-22T12:00:00Z');
  const ago = (seconds: number) => relativeTime(new Date(now.getTime() - seconds * 1000), now, 'en');
  assert.equal(ago(10), 'now');
  assert.equal(ago(5 * 60 + 20), '5 min. ago');
  assert.equal(ago(3 * 3600), '3 hr. ago');
  assert.equal(ago(24 * 3600), 'yesterday');
  assert.equal(relativeTime(new Date('2026-03-04T12:00:00Z'), now, 'en'), 'Mar 4');
  assert.equal(relativeTime(new Date('2024-03-04T12:00:00Z'), now, 'en'), 'Mar 4, 2024');
  assert.equal(relativeTime(new Date(now.getTime() - 3600_000), now, 'de'), 'vor 1 Std.');
});
