import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brake } from '../src/plan/brake.ts';
import type { Operation } from '../src/plan/operations.ts';
import type { Trees } from '../src/plan/trees.ts';

const names = (count: number) => Array.from({ length: count }, (_, index) => `${index}.md`);
const treesOf = (count: number): Trees => ({
  local: { files: names(count).map((path) => ({ path, hash: path, fileId: null })), folders: [] },
  remote: { files: names(count).map((path) => ({ id: path, path, hash: path, version: 1, mtime: 1 })), folders: [] },
  synced: { files: [], folders: [] },
});
const deletions = (type: 'deleteLocal' | 'deleteRemote', count: number): Operation[] =>
  names(count).map((path) => ({ type, id: path, path, hash: path }));

test('a plan with more than 20 deletions on either side needs approval, one with 20 of many files does not', () => {
  for (const [type, side] of [
    ['deleteLocal', 'local'],
    ['deleteRemote', 'remote'],
  ] as const) {
    assert.deepEqual(brake(deletions(type, 20), treesOf(1000)), []);
    assert.deepEqual(brake(deletions(type, 21), treesOf(1000)), [{ side, kind: 'deletions', files: 21, of: 1000 }]);
  }
});

test('a plan that deletes more than a tenth of the files needs approval from five files on', () => {
  assert.deepEqual(brake(deletions('deleteLocal', 4), treesOf(8)), []);
  assert.deepEqual(brake(deletions('deleteLocal', 5), treesOf(50)), []);
  assert.equal(brake(deletions('deleteLocal', 5), treesOf(49)).length, 1);
  assert.equal(brake(deletions('deleteLocal', 8), treesOf(8)).length, 1, 'all files of a small folder');
});

test('deletions of a short while ago count with those of a plan, and stop nothing else', () => {
  const recent = { local: 18, remote: 0 };
  assert.deepEqual(brake(deletions('deleteLocal', 2), treesOf(1000), recent), []);
  const [reason] = brake(deletions('deleteLocal', 3), treesOf(1000), recent);
  assert.deepEqual(reason, { side: 'local', kind: 'deletions', files: 21, of: 1018 });
  assert.deepEqual(brake(deletions('deleteRemote', 20), treesOf(1000), recent), []);
  assert.deepEqual(brake([], treesOf(1), { local: 30, remote: 30 }), []);
});

test('a plan that overwrites nearly all files needs approval, a first copy does not', () => {
  const writes = (over: string | null): Operation[] =>
    names(100).map((path) => ({ type: 'writeLocal', id: path, path, hash: 'x', version: 1, over }));
  assert.deepEqual(brake(writes('y'), treesOf(100)), [
    { side: 'local', kind: 'everything changed', files: 100, of: 100 },
  ]);
  assert.deepEqual(brake(writes(null), treesOf(0)), []);
});
