import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EditorBrowser } from '../browser.ts';

export function storeTests(browser: () => EditorBrowser): void {
  test('the store of documents keeps each lineage apart, in IndexedDB', async () => {
    await using opened = await browser().open();
    const found = await opened.page.evaluate(async () => {
      const store = window.harness.deviceStore();
      const bytes = (...values: number[]) => new Uint8Array(values);
      await store.append('a', '1.0', bytes(1), null);
      await store.append('a', '1.0', bytes(2), 'tab');
      await store.append('b', '1.0', bytes(3), 'tab');
      const first = await store.load('a');
      await store.compact('a', '1.0', (all) => bytes(...all.flatMap((one) => [...one])));
      await store.markSent('a', '1.0', ['other tab']);
      const unsent = await store.unsentNotes();
      await store.markSent('a', '1.0', ['tab']);
      await store.append('a', '2.0', bytes(9), null);
      const other = window.harness.deviceStore();
      const second = await other.load('a');
      await store.remove('a', '2.0');
      const third = await store.load('a');
      await store.remove('a');
      return {
        first: first?.updates.map((one) => [...one]),
        unsentBy: first?.unsentBy,
        unsent,
        second: [second?.lineage, second?.updates.map((one) => [...one])],
        third: [third?.lineage, third?.updates.map((one) => [...one]), third?.unsentBy],
        gone: await store.load('a'),
        kept: (await store.load('b'))?.lineage,
      };
    });
    assert.deepEqual(found, {
      first: [[1], [2]],
      unsentBy: ['tab'],
      unsent: ['a', 'b'],
      second: ['2.0', [[9]]],
      third: ['1.0', [[1, 2]], []],
      gone: null,
      kept: '1.0',
    });
  });
}
