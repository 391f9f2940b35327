import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SyncChange } from '@notevault/protocol/sync.ts';
import { type FeedPage, FeedRestarted, feedPage, followChanges } from '../src/change-feed.ts';

const change = (seq: number) => ({ seq }) as SyncChange;
const page = (seqs: number[], cursor: string, more: boolean): FeedPage => ({
  changes: seqs.map(change),
  unreadable: [],
  has_more: more,
  next_cursor: more ? cursor : null,
  resume_cursor: cursor,
});

test('followChanges yields pages, reports each as applied when the next one is requested, then waits', async () => {
  const asked: (string | null)[] = [];
  const applied: string[] = [];
  const pages = [page([1, 2], 'c2', true), page([3], 'c3', false), page([], 'c3', false), page([4], 'c4', false)];
  const end = new AbortController();
  let waits = 0;
  const feed = followChanges(
    {
      async changes(cursor) {
        asked.push(cursor);
        return pages.shift() ?? assert.fail();
      },
    },
    null,
    {
      signal: end.signal,
      wait: async () => {
        waits += 1;
        if (waits === 3) end.abort();
      },
      applied: (cursor) => void applied.push(cursor),
    },
  );
  const seen: number[] = [];
  for await (const changes of feed) {
    seen.push(...changes.map(({ seq }) => seq));
    assert.equal(applied.length, seen.length < 3 ? 0 : seen.length - 2, 'the page in hand is not applied yet');
  }
  assert.deepEqual(seen, [1, 2, 3, 4]);
  assert.deepEqual(asked, [null, 'c2', 'c3', 'c3']);
  assert.deepEqual(applied, ['c2', 'c3', 'c4']);
});

test('followChanges throws FeedRestarted for a cursor that is no longer valid', async () => {
  const feed = followChanges({ changes: async () => null }, 'old', {});
  await assert.rejects(feed.next(), FeedRestarted);
});

test('feedPage sets damaged rows apart, and keeps the cursor behind them', () => {
  const damaged = { seq: 2, type: 'note', id: 'b', unreadable: true } as const;
  const rows = { changes: [change(1), damaged, change(3)], has_more: false, next_cursor: null, resume_cursor: 'c3' };
  assert.deepEqual(feedPage(rows), { ...rows, changes: [change(1), change(3)], unreadable: [damaged] });
});
