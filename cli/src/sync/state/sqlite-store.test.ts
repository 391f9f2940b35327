import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { it } from 'node:test';
import type { StateChange } from '@notevault/sync/engine/ports.ts';
import fc from 'fast-check';
import { SimStore } from '../../../../packages/sync/test/simulation/sim-store.ts';
import { anyCharacter } from '../../../../server/test/kit/content/any-character.ts';
import { Folder } from '../../../../server/test/kit/programs/process.ts';
import { NewerState, SqliteStore } from './sqlite-store.ts';

const name = fc.constantFrom('a', 'b', 'ü', "it's");
const text = fc.oneof(name, fc.string({ unit: anyCharacter, maxLength: 5 }));
const number = fc.oneof(
  fc.constantFrom(1_700_000_000_123.25, 0.1),
  fc.double({ noNaN: true, noDefaultInfinity: true, min: 0 }),
);
const version = fc.option(fc.nat());
const change: fc.Arbitrary<StateChange> = fc.oneof(
  fc.record({
    type: fc.constant('synced' as const),
    file: fc.record({ id: name, path: text, hash: name, version, fileId: fc.option(text), pushed: fc.option(name) }),
  }),
  fc.record({ type: fc.constant('unsynced' as const), id: name }),
  fc.record({ type: fc.constant('folder' as const), path: name, isSynced: fc.boolean() }),
  fc.record({
    type: fc.constant('remote' as const),
    file: fc.record({ id: name, path: text, hash: name, version, mtime: number }),
  }),
  fc.record({ type: fc.constant('remoteGone' as const), id: name }),
  fc.record({
    type: fc.constant('remoteFolders' as const),
    paths: fc.array(text, { maxLength: 3 }),
    seq: fc.option(fc.nat()),
  }),
  fc.record({ type: fc.constant('cursor' as const), cursor: fc.option(text) }),
  fc.record({
    type: fc.constant('hash' as const),
    file: fc.record({ path: name, size: fc.nat(), mtimeMs: number, ctimeMs: number, fileId: fc.option(text) }),
    hash: name,
  }),
  fc.record({ type: fc.constant('hashGone' as const), path: name }),
  fc.record({
    type: fc.constant('refused' as const),
    refusal: fc.record({ key: name, path: text, reason: text, until: number }),
  }),
  fc.record({ type: fc.constant('retried' as const), key: name }),
  fc.record({
    type: fc.constant('intent' as const),
    key: name,
    intent: fc.oneof(
      fc.record({
        ...{ type: fc.constant('create' as const), id: fc.option(name), path: text, hash: name },
        ...{ fileId: fc.option(text), at: number },
      }),
      fc.record({
        ...{ type: fc.constant('push' as const), id: name, hash: name, sent: name, version: fc.nat() },
        ...{ mtime: number, fileId: fc.option(text) },
      }),
    ),
  }),
  fc.record({ type: fc.constant('settled' as const), key: name }),
  fc.record({
    type: fc.constant('deletions' as const),
    deletions: fc.array(fc.record({ side: fc.constantFrom('local', 'remote'), at: fc.nat() }), { maxLength: 3 }),
  }),
);

it('SqliteStore loads after a restart what it committed, to the last digit, like the store in memory', async () => {
  using folder = new Folder();
  let files = 0;
  const sorted = (rows: readonly unknown[]) =>
    rows.map((row) => JSON.stringify(row, Object.keys(row as object).sort())).sort();
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(change, { maxLength: 8 }), { maxLength: 4 }), async (commits) => {
      const file = folder.at(`${files++}.sqlite`);
      const expected = new SimStore();
      {
        using store = SqliteStore.open(file);
        for (const changes of commits) {
          await store.commit(changes);
          await expected.commit(changes);
        }
      }
      using reopened = SqliteStore.open(file);
      const [loaded, model] = [await reopened.load(), await expected.load()];
      for (const part of ['synced', 'remote', 'hashes', 'refused', 'intents'] as const)
        assert.deepEqual(sorted(loaded[part]), sorted(model[part]));
      assert.deepEqual([...loaded.folders].sort(), [...model.folders].sort());
      assert.deepEqual(
        [loaded.remoteFolders, loaded.remoteFoldersSeq, loaded.cursor],
        [model.remoteFolders, model.remoteFoldersSeq, model.cursor],
      );
      assert.deepEqual(sorted(loaded.deletions), sorted(model.deletions));
    }),
    { numRuns: 40 },
  );
});

it('SqliteStore keeps a text while a synced file or intent refers to it, in a file only the owner reads', async () => {
  using folder = new Folder();
  const file = folder.at('state.sqlite');
  const synced = { id: '1', path: 'a.md', hash: 'h', version: 1, fileId: null, pushed: 'p' };
  const push = { type: 'push', id: '1', hash: 'l', sent: 's', version: 1, mtime: 1, fileId: null } as const;
  {
    using store = SqliteStore.open(file);
    await store.commit([
      { type: 'baseText', hash: 'h', text: '\ufeffwith a mark\r\n' },
      ...['p', 'l', 's', 'unused'].map((hash) => ({ type: 'baseText', hash, text: 'x' }) as const),
      { type: 'intent', key: 'content 1', intent: push },
      { type: 'synced', file: synced },
    ]);
    assert.equal(await store.baseText('unused'), 'x');
  }
  using store = SqliteStore.open(file);
  assert.equal(await store.baseText('h'), '\ufeffwith a mark\r\n');
  for (const hash of ['p', 'l', 's']) assert.equal(await store.baseText(hash), 'x');
  assert.equal(await store.baseText('unused'), null);
  assert.equal(statSync(file).mode & 0o777, 0o600);
});

it('SqliteStore takes over a state of version 1, where what was merged had another base', async () => {
  using folder = new Folder();
  const file = folder.at('state.sqlite');
  const before = { id: '1', path: 'a.md', hash: 'base', version: 1, fileId: null, pushed: 'sent' };
  {
    using store = SqliteStore.open(file);
    await store.commit([{ type: 'synced', file: before }]);
  }
  const db = new DatabaseSync(file);
  db.exec('drop table intents; pragma user_version = 1');
  db.close();
  using store = SqliteStore.open(file);
  const { synced, intents } = await store.load();
  assert.deepEqual([synced, intents], [[{ ...before, pushed: null }], []]);
});

it('SqliteStore refuses the state of a newer version', () => {
  using folder = new Folder();
  const file = folder.at('state.sqlite');
  const db = new DatabaseSync(file);
  db.exec('pragma user_version = 99');
  db.close();
  assert.throws(() => SqliteStore.open(file), NewerState);
});
