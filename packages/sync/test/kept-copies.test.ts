import assert from 'node:assert/strict';
import { test } from 'node:test';
import { copiesByFile, expiredCopies, KEPT_DAYS, KEPT_PER_FILE } from '../src/rules/kept-copies.ts';

const HOUR_MS = 60 * 60 * 1000;
const NOW = 1000 * 24 * HOUR_MS;

test('of the copies of a file the newest 20 are kept, for 30 days, and all of the last minutes', () => {
  const hourly = Array.from({ length: KEPT_PER_FILE + 5 }, (_, hours) => ({
    path: 'a.md',
    since: NOW - hours * HOUR_MS,
  }));
  assert.deepEqual(expiredCopies(hourly.toReversed(), NOW), hourly.slice(KEPT_PER_FILE));
  const recent = Array.from({ length: 100 }, (_, ms) => ({ path: 'a.md', since: NOW - ms }));
  assert.deepEqual(expiredCopies(recent, NOW), []);
  const old = { path: 'b.md', since: NOW - KEPT_DAYS * 24 * HOUR_MS - 1 };
  assert.deepEqual(expiredCopies([old, ...hourly.slice(0, KEPT_PER_FILE)], NOW), [old]);
});

test('copies are grouped by file, the newest first', () => {
  const copies = [1, 4, 2, 3].map((since) => ({ path: since === 4 ? 'b.md' : 'a.md', since }));
  assert.deepEqual(
    [...copiesByFile(copies)].map(([path, of]) => [path, of.map(({ since }) => since)]),
    [
      ['b.md', [4]],
      ['a.md', [3, 2, 1]],
    ],
  );
});
