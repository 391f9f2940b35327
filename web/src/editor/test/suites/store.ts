import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EditorBrowser } from '../browser.ts';

export function storeTests(browser: () => EditorBrowser): void {
  test('the store of documents keeps each lineage apart, in IndexedDB', async () => {
    await using opened = await browser().open();
    const found = await opened.page.evaluate(async () => {
      const store = window.harness.deviceStore('alice');
      const bytes = (...values: number[]) => new Uint8Array(values);
      const note = (id: string) => ({ id, vaultId: 'vault', path: `${id}.md` });
      await store.append(note('a'), '1.0', bytes(1), null);
      await store.append(note('a'), '1.0', bytes(2), { writer: 'tab', upTo: 1 });
      await store.append(note('b'), '1.0', bytes(3), { writer: 'tab', upTo: 1 });
      const first = await store.load('a');
      await store.compact('a', '1.0', (all) => bytes(...all.flatMap((one) => [...one])));
      await store.markSent('a', '1.0', [{ writer: 'other tab', upTo: 9 }]);
      const unsent = await store.unsentNotes();
      await store.append(note('a'), '2.0', bytes(9), null);
      const other = window.harness.deviceStore('alice');
      const unsentFirst = await other.load('a');
      await store.markSent('a', '1.0', [{ writer: 'tab', upTo: 1 }]);
      await store.append(note('a'), '2.0', bytes(8), null);
      const second = await other.load('a');
      await store.remove('a', '2.0');
      const third = await store.load('a');
      await store.remove('a');
      return {
        first: first?.updates.map((one) => [...one]),
        unsentEdits: first?.unsent,
        unsent,
        unsentFirst: unsentFirst?.lineage,
        second: [second?.lineage, second?.updates.map((one) => [...one])],
        third: [third?.lineage, third?.updates.map((one) => [...one]), third?.unsent],
        gone: await store.load('a'),
        kept: (await store.load('b'))?.lineage,
      };
    });
    assert.deepEqual(found, {
      first: [[1], [2]],
      unsentEdits: [{ writer: 'tab', upTo: 1 }],
      unsent: ['a', 'b'].map((id) => ({
        ...{ id, vaultId: 'vault', path: `${id}.md` },
        unsent: [{ writer: 'tab', upTo: 1 }],
      })),
      unsentFirst: '1.0',
      second: ['2.0', [[9], [8]]],
      third: ['1.0', [[1, 2]], []],
      gone: null,
      kept: '1.0',
    });
  });

  test('an edit that was made after another tab read the copy stays unsent when that tab marks what it sent', async () => {
    await using opened = await browser().open();
    const found = await opened.page.evaluate(async () => {
      const store = window.harness.deviceStore('alice');
      const note = { id: 'a', vaultId: 'vault', path: 'a.md' };
      await store.append(note, '1.0', new Uint8Array([1]), { writer: 'tab', upTo: 1 });
      const read = await store.load('a');
      await store.append(note, '1.0', new Uint8Array([2]), { writer: 'tab', upTo: 2 });
      await store.markSent('a', '1.0', read?.unsent ?? []);
      const unsent = (await store.unsentNotes()).length;
      await store.markSent('a', '1.0', [{ writer: 'tab', upTo: 2 }]);
      return [unsent, (await store.unsentNotes()).length];
    });
    assert.deepEqual(found, [1, 0]);
  });

  test('accounts do not see each other’s copies, and clearing one account leaves unsent edits of another', async () => {
    await using opened = await browser().open();
    const found = await opened.page.evaluate(async () => {
      const [alice, bob] = [window.harness.deviceStore('alice'), window.harness.deviceStore('bob')];
      const bytes = new Uint8Array([1]);
      const note = (id: string) => ({ id, vaultId: 'vault', path: `${id}.md` });
      await alice.append(note('unsent'), '1.0', bytes, { writer: 'tab', upTo: 1 });
      await alice.append(note('sent'), '1.0', bytes, null);
      await bob.append(note('own'), '1.0', bytes, { writer: 'tab', upTo: 1 });
      const seen = [await bob.load('unsent'), await bob.find('sent'), (await bob.unsentNotes()).map(({ id }) => id)];
      const isEmpty = await bob.clear();
      const left = (await alice.unsentNotes()).map(({ id }) => id);
      const ended = [await alice.find('sent'), await bob.find('own'), await alice.clear()];
      return { seen, isEmpty, left, ended };
    });
    assert.deepEqual(found, {
      seen: [null, null, ['own']],
      isEmpty: false,
      left: ['unsent'],
      ended: [null, null, true],
    });
  });

  test('a store takes nothing more once its account signed out, and one that is opened later does', async () => {
    await using opened = await browser().open();
    const found = await opened.page.evaluate(async () => {
      const [left, later] = [window.harness.deviceStore('alice'), window.harness.deviceStore('alice')];
      const note = { id: 'a', vaultId: 'vault', path: 'a.md' };
      left.end();
      await left.append(note, '1.0', new Uint8Array([1]), { writer: 'tab', upTo: 1 });
      const before = await later.find('a');
      await later.append(note, '1.0', new Uint8Array([1]), { writer: 'tab', upTo: 1 });
      return [before, (await later.find('a'))?.hasUnsent];
    });
    assert.deepEqual(found, [null, true]);
  });

  test('a copy that was set aside is listed and not opened, and comes back beside what was written since', async () => {
    await using opened = await browser().open();
    const found = await opened.page.evaluate(async () => {
      const store = window.harness.deviceStore('alice');
      const note = { id: 'a', vaultId: 'vault', path: 'a.md' };
      await store.append(note, '1.0', new Uint8Array([1]), { writer: 'tab', upTo: 1 });
      await store.append(note, '2.0', new Uint8Array([2]), null);
      const stashed = await store.stash('a');
      const [listed, opens] = [await store.unsentNotes(), await store.load('a')];
      const kept = await store.load(stashed[0]?.id ?? '');
      await store.append(note, '1.0', new Uint8Array([3]), null);
      for (const note of stashed) await store.unstash(note);
      const back = await store.load('a');
      return {
        isListed: JSON.stringify(listed.map(({ unsent: _, ...note }) => note)) === JSON.stringify(stashed),
        of: stashed.map(({ asideOf }) => asideOf),
        opens,
        kept: kept?.updates.map((one) => [...one]),
        back: [back?.updates.map((one) => [...one]), back?.unsent],
        left: await store.unsentNotes(),
      };
    });
    assert.deepEqual(found, {
      isListed: true,
      of: ['a'],
      opens: null,
      kept: [[1]],
      back: [[[3], [1]], [{ writer: 'tab', upTo: 1 }]],
      left: [{ id: 'a', vaultId: 'vault', path: 'a.md', unsent: [{ writer: 'tab', upTo: 1 }] }],
    });
  });

  test('a session ended by the server leaves unsent edits, for their account and thirty days only', async () => {
    await using opened = await browser().open();
    const found = await opened.page.evaluate(async () => {
      const day = 86_400_000;
      let now = 0;
      const [alice, bob] = ['alice', 'bob'].map((name) => window.harness.deviceStore(name, () => now));
      if (alice === undefined || bob === undefined) throw new Error('no stores');
      const bytes = new Uint8Array([1]);
      const note = (id: string, vaultId = 'vault') => ({ id, vaultId, path: `${id}.md` });
      const all = () =>
        Promise.all(['sent', 'unsent', 'left', 'removed'].map(async (id) => (await alice.find(id)) !== null));
      await alice.append(note('sent'), '1.0', bytes, null);
      await alice.append(note('unsent'), '1.0', bytes, { writer: 'tab', upTo: 1 });
      await alice.lock();
      const locked = await all();
      now = 29 * day;
      await bob.tidy(new Set(['vault']));
      const early = [await all(), await bob.hasOthers()];
      await alice.tidy(new Set(['vault']));
      now = 60 * day;
      await bob.tidy(new Set(['vault']));
      const unlocked = await all();
      await alice.lock();
      now = 91 * day;
      await bob.tidy(new Set(['vault']));
      const late = [await all(), await bob.hasOthers()];
      await alice.append(note('left'), '1.0', bytes, null);
      await alice.append(note('removed', 'no more'), '1.0', bytes, null);
      await alice.tidy(new Set(['vault']));
      return { locked, early, unlocked, late, removed: await all() };
    });
    assert.deepEqual(found, {
      locked: [false, true, false, false],
      early: [[false, true, false, false], true],
      unlocked: [false, true, false, false],
      late: [[false, false, false, false], false],
      removed: [false, false, true, false],
    });
  });

  test('beyond the bound the copies go that were not used for longest, and never unsent edits', async () => {
    await using opened = await browser().open();
    const left = await opened.page.evaluate(async () => {
      let now = 0;
      const store = window.harness.deviceStore('alice', () => now++);
      const note = (id: string) => ({ id, vaultId: 'vault', path: `${id}.md` });
      const large = new Uint8Array(100 * 1024 * 1024);
      await store.append(note('unsent'), '1.0', new Uint8Array(1), { writer: 'tab', upTo: 1 });
      for (const id of ['first', 'second', 'third']) await store.append(note(id), '1.0', large, null);
      await store.load('first');
      await store.tidy(new Set(['vault']));
      const ids = ['unsent', 'first', 'second', 'third'];
      const kept = await Promise.all(ids.map(async (id) => ((await store.find(id)) === null ? [] : [id])));
      return kept.flat();
    });
    assert.deepEqual(left, ['unsent', 'first', 'third']);
  });

  test('copies of releases without account or vault are found, and count as unsent until they are sent', async () => {
    await using opened = await browser().open();
    const found = await opened.page.evaluate(async () => {
      const store = window.harness.deviceStore('alice');
      await store.unsentNotes();
      const database = await new Promise<IDBDatabase>((resolve) => {
        const request = indexedDB.open('notevault-notes');
        request.onsuccess = () => resolve(request.result);
      });
      await new Promise<void>((resolve) => {
        const transaction = database.transaction('copies', 'readwrite');
        const row = { noteId: 'old', lineage: '1.0', unsentBy: ['tab'], writtenAt: 1 };
        transaction.objectStore('copies').put(row);
        transaction.oncomplete = () => resolve();
      });
      const before = [await store.find('old'), (await store.load('old'))?.unsent];
      await store.markSent('old', '1.0', (await store.load('old'))?.unsent ?? []);
      return [...before, await store.unsentNotes()];
    });
    const unsent = [{ writer: 'tab', upTo: 0 }];
    assert.deepEqual(found, [{ id: 'old', vaultId: null, path: null, hasUnsent: true }, unsent, []]);
  });
}
