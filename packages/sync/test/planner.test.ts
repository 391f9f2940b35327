import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conflictLabel, conflictOf, conflictPath, isConflictPath } from '../src/plan/names.ts';
import { plan } from '../src/plan/planner.ts';
import type { LocalFile, RemoteFile, SyncedFile, Trees } from '../src/plan/trees.ts';
import { runTriple, runTriples } from './triples.ts';

const options = { label: 'conflict desk 2026-11-22 14-05-09', direction: 'both', canStore: () => true } as const;

const synced = (id: string, path: string, hash: string): SyncedFile => ({
  id,
  path,
  hash,
  version: 1,
  fileId: null,
  pushed: null,
});
const remote = (id: string, path: string, hash: string): RemoteFile => ({ id, path, hash, version: 1, mtime: 1 });
const local = (path: string, hash: string): LocalFile => ({ path, hash, fileId: null });
const trees = (
  base: readonly SyncedFile[],
  here: readonly LocalFile[],
  there: readonly RemoteFile[],
  folders: readonly string[] = [],
): Trees => ({
  synced: { files: base, folders },
  local: { files: here, folders },
  remote: { files: there, folders },
});
const operationsOf = (of: Trees) => plan(of, options).operations;

test('1,000 random triples of trees converge and lose nothing that either side wrote', () => {
  assert.deepEqual(runTriples(1, 1_000), []);
});

test('files that take the places of folders of each other converge', () => {
  // Found among the first 600,000 seeds.
  for (const seed of [1_210_480, 1_223_738, 1_244_215, 1_245_132, 1_553_833])
    assert.equal(runTriple(seed), null, `seed ${seed}`);
});

test('trees that agree give an empty plan', () => {
  assert.deepEqual(plan(trees([synced('1', 'a.md', 'x')], [local('a.md', 'x')], [remote('1', 'a.md', 'x')]), options), {
    operations: [],
    unwanted: [],
    problems: [],
  });
});

test('what a viewer saves is put beside once, however often the same is saved', () => {
  const viewer = { ...options, isReadOnly: true };
  const edited = [local('a.md', 'edited')];
  const there = [remote('1', 'a.md', 'theirs')];
  const base = [synced('1', 'a.md', 'theirs')];
  const kept = 'a (conflict desk 2026-11-22 14-05-09).md';
  assert.deepEqual(plan(trees(base, edited, there), viewer).operations, [
    { type: 'setAside', id: '1', from: 'a.md', to: kept, hash: 'edited' },
  ]);
  const again = trees(base, [...edited, local(kept, 'edited')], there);
  assert.deepEqual(plan(again, viewer).operations, [
    { type: 'writeLocal', id: '1', path: 'a.md', hash: 'theirs', version: 1, over: 'edited' },
  ]);
});

test('a rename of a folder with 1,000 notes is one operation, on either side', () => {
  const names = Array.from({ length: 1000 }, (_, index) => `${index}.md`);
  const base = names.map((name) => synced(name, `old/${name}`, name));
  const here = names.map((name) => local(`old/${name}`, name));
  const there = names.map((name) => remote(name, `old/${name}`, name));
  const moved = {
    here: names.map((name) => local(`new/${name}`, name)),
    there: names.map((name) => remote(name, `new/${name}`, name)),
  };
  const kinds = (operations: ReturnType<typeof operationsOf>) => operations.map(({ type }) => type);
  assert.deepEqual(kinds(operationsOf(trees(base, moved.here, there))), ['moveRemoteFolder']);
  assert.deepEqual(kinds(operationsOf(trees(base, here, moved.there))), ['moveLocalFolder']);
});

test('renames precede text uploads, and an upload names the version from before the rename', () => {
  const base = [synced('1', 'old.md', 'target'), synced('2', 's.md', '[[old]]')];
  const here = [local('new.md', 'target'), local('s.md', '[[new]]')];
  assert.deepEqual(operationsOf(trees(base, here, [remote('1', 'old.md', 'target'), remote('2', 's.md', '[[old]]')])), [
    { type: 'moveRemote', id: '1', from: 'old.md', to: 'new.md' },
  ]);
  const rewritten = [remote('1', 'new.md', 'target'), { ...remote('2', 's.md', '[[new]]!'), version: 2 }];
  const [push] = operationsOf(
    trees([synced('1', 'new.md', 'target'), synced('2', 's.md', '[[old]]')], here, rewritten),
  );
  assert.deepEqual(push?.type === 'pushContent' && push.base, { hash: '[[old]]', version: 1 });
});

test('an edit wins over a deletion, in both directions', () => {
  const base = [synced('1', 'a.md', 'x')];
  assert.deepEqual(operationsOf(trees(base, [local('a.md', 'y')], [])), [
    { type: 'createRemote', path: 'a.md', hash: 'y', id: '1' },
  ]);
  assert.deepEqual(operationsOf(trees(base, [], [remote('1', 'a.md', 'y')])), [
    { type: 'writeLocal', id: '1', path: 'a.md', hash: 'y', version: 1, over: null },
  ]);
});

test('of two new contents at one path the server’s keeps the name and the local becomes a conflict copy', () => {
  assert.deepEqual(operationsOf(trees([], [local('f/a.png', 'x')], [remote('1', 'f/a.png', 'y')], ['f'])), [
    {
      type: 'moveLocal',
      id: null,
      from: 'f/a.png',
      to: 'f/a (conflict desk 2026-11-22 14-05-09).png',
      hash: 'x',
      conflict: true,
    },
  ]);
});

test('a file that is gone is not taken for another one whose name differs by case', () => {
  const base = [{ ...synced('1', 'X.md', 'long text'), fileId: 'inode 1' }];
  const there = [remote('1', 'X.md', 'long text')];
  const other = { ...local('x.md', 'other'), fileId: 'inode 2' };
  assert.deepEqual(operationsOf(trees(base, [other], there)), [
    { type: 'deleteRemote', id: '1', path: 'X.md', hash: 'long text' },
  ]);
  const same = { ...local('x.md', 'edited'), fileId: 'inode 1' };
  assert.deepEqual(operationsOf(trees(base, [same], there)), [
    { type: 'moveRemote', id: '1', from: 'X.md', to: 'x.md' },
  ]);
  // Where a disk has no ids, equal bytes count for more than a similar name.
  const withoutIds = trees(
    [synced('1', 'X.md', 'x')],
    [local('x.md', 'y'), local('f/a.md', 'x')],
    [remote('1', 'X.md', 'x')],
  );
  assert.deepEqual(operationsOf(withoutIds), [{ type: 'moveRemote', id: '1', from: 'X.md', to: 'f/a.md' }]);
});

test('two local names that differ only by case are reported as a problem, and nothing is written', () => {
  const made = plan(
    trees([synced('1', 'a.md', 'x')], [local('a.md', 'x'), local('A.md', 'y')], [remote('1', 'a.md', 'x')]),
    options,
  );
  assert.deepEqual(made, { operations: [], unwanted: [], problems: [{ path: 'A.md', id: null, reason: 'case' }] });
});

test('a name that the disk cannot store is reported as a problem, and the file stays where it is', () => {
  const canStore = (path: string) => !path.includes(':');
  const there = [remote('1', 'a:b.md', 'x'), remote('2', 'c.md', 'y')];
  assert.deepEqual(plan(trees([], [], there), { ...options, canStore }), {
    operations: [{ type: 'writeLocal', id: '2', path: 'c.md', hash: 'y', version: 1, over: null }],
    unwanted: [],
    problems: [{ path: 'a:b.md', id: '1', reason: 'name' }],
  });
  const moved = plan(trees([synced('1', 'a.md', 'x')], [local('a.md', 'x')], [remote('1', 'a:b.md', 'x')]), {
    ...options,
    canStore,
  });
  assert.deepEqual(moved.operations, []);
});

test('a local name that not every system allows is reported and not uploaded', () => {
  const canStore = (path: string) => !path.includes(':');
  const base = [synced('1', 'c.md', 'x'), synced('2', 'old:.md', 'z')];
  const here = [local('a:b.md', 'y'), local('c:d.md', 'x'), local('old:.md', 'edited')];
  const there = [remote('1', 'c.md', 'x'), remote('2', 'old:.md', 'z')];
  const made = plan(
    { ...trees(base, here, there), local: { files: here, folders: ['e:f'] } },
    { ...options, canStore },
  );
  // What both sides have already is synced on.
  assert.deepEqual(
    made.operations.map((operation) => [operation.type, 'path' in operation && operation.path]),
    [['pushContent', 'old:.md']],
  );
  assert.deepEqual(
    made.problems.map(({ path, reason }) => [path, reason]),
    [
      ['c:d.md', 'name here'],
      ['a:b.md', 'name here'],
      ['e:f', 'name here'],
    ],
  );
});

test('a file whose new name is taken by an immovable file is reported, and its content still synced', () => {
  const base = [synced('1', 'a.md', 'x'), synced('2', 'c.md', 'y')];
  const here = [local('a.md', 'x'), local('c.md', 'y')];
  const there = [remote('1', 'c.md', 'edited'), remote('2', 'c:d.md', 'y'), remote('3', 'a.md', 'new')];
  const canStore = (path: string) => !path.includes(':');
  assert.deepEqual(plan(trees(base, here, there), { ...options, canStore }), {
    operations: [{ type: 'writeLocal', id: '1', path: 'a.md', hash: 'edited', version: 1, over: 'x' }],
    unwanted: [],
    problems: [
      { path: 'a.md', id: '1', reason: 'blocked' },
      { path: 'c:d.md', id: '2', reason: 'name' },
      { path: 'a.md', id: '3', reason: 'blocked' },
    ],
  });
});

test('a rename of letters’ case stays undone while another file on the disk has that spelling', () => {
  const base = [synced('1', 'X.md', 'x'), synced('2', 'other.md', 'y')];
  const here = [local('X.md', 'x'), local('x.md', 'y')];
  const made = plan(trees(base, here, [remote('1', 'x.md', 'x'), remote('2', 'other.md', 'y')]), options);
  assert.deepEqual(made, {
    operations: [],
    unwanted: [],
    problems: [
      { path: 'X.md', id: '1', reason: 'blocked' },
      { path: 'x.md', id: '2', reason: 'case' },
    ],
  });
});

test('a sync in one direction leaves the other side’s operations out, and does not wait for them', () => {
  const base = [synced('1', 'a.md', 'x'), synced('2', 'b.md', 'x')];
  const renamedHere = trees(
    base,
    [local('c.md', 'x'), local('b.md', 'x')],
    [remote('1', 'a.md', 'x'), remote('2', 'b.md', 'y')],
  );
  const rename = { type: 'moveRemote', id: '1', from: 'a.md', to: 'c.md' };
  assert.deepEqual(plan(renamedHere, options).operations, [rename], 'renames go first');
  const pulled = plan(renamedHere, { ...options, direction: 'pull' });
  assert.deepEqual(
    pulled.operations.map(({ type }) => type),
    ['writeLocal'],
  );
  assert.deepEqual(pulled.unwanted, [rename]);
  assert.deepEqual(plan(renamedHere, { ...options, direction: 'push' }).operations, [rename]);
});

test('a conflict copy is named by device and local time, and numbered when the name is taken', () => {
  const label = conflictLabel('Alice’s MacBook Pro (16 inch, 2023)', new Date(2026, 10, 22, 14, 5, 9));
  assert.equal(label, 'conflict AlicesMacBookPro16in 2026-11-22 14-05-09');
  assert.equal(
    conflictPath('f/a.tar.gz', label, () => false),
    `f/a.tar (${label}).gz`,
  );
  assert.equal(
    conflictPath('.env', label, (path) => !path.endsWith(' 2)')),
    `.env (${label} 2)`,
  );
  for (const path of [`f/a (${label}).gz`, `a (${label} 2).md`, `.env (${label})`])
    assert.ok(isConflictPath(path), path);
  for (const path of ['a (conflict).md', `(${label})/a.md`]) {
    assert.ok(!isConflictPath(path), path);
    assert.equal(conflictOf(path), null);
  }
  assert.deepEqual([`f/a (${label} 2).md`, `.env (${label})`].map(conflictOf), ['f/a.md', '.env']);
});
