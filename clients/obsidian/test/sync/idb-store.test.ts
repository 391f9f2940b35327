import assert from 'node:assert/strict';
import { it } from 'node:test';
import { IDBFactory } from 'fake-indexeddb';
import { IdbStore } from '../../src/sync/idb-store.ts';
import { ManualClock } from '../stand-in/clock.ts';
import { installWindow } from '../stand-in/window.ts';

it('the device’s store returns each of 2,500 files, and the texts that they or intents refer to', async () => {
  using _ = installWindow(new ManualClock());
  const factory = new IDBFactory();
  const store = await IdbStore.open(factory, 'folder');
  const files = Array.from({ length: 2500 }, (_file, at) => ({
    ...{ id: `id ${at}`, path: `${at}.md`, hash: `hash ${at}`, version: 1, fileId: null, pushed: null },
  }));
  await store.commit([
    ...files.map((file) => ({ type: 'synced', file }) as const),
    ...['hash 2400', 'hash of nothing'].map((hash) => ({ type: 'baseText', hash, text: hash }) as const),
    { type: 'cursor', cursor: 'here' },
  ]);
  const { synced, cursor, remoteFolders } = await store.load();
  assert.deepEqual(new Set(synced), new Set(files));
  assert.deepEqual([cursor, remoteFolders], ['here', []]);
  assert.equal(await store.baseText('hash 2400'), 'hash 2400');
  assert.equal(await store.baseText('hash of nothing'), null);
  store.close();
});
