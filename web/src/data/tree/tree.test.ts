import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SyncChange, VaultTree } from '@notevault/protocol/sync.ts';
import { movesInto, nameFault, renamedPath, reversed } from './moves.ts';
import { foldersAbove, visibleRows } from './rows.ts';
import { actedOn, NOTHING_SELECTED, selectOnly, selectRange, toggleSelected } from './selection.ts';
import { folderKey, TreeIndex } from './tree-index.ts';
import { moveOf, typeAhead } from './tree-keys.ts';
import { patchTree } from './tree-patch.ts';

const AT = '2026-11-22T12:00:00.000Z';
const compare = new Intl.Collator('en', { numeric: true }).compare;

function treeOf(...paths: string[]): VaultTree {
  const notes = paths.filter((path) => path.endsWith('.md'));
  const files = paths.filter((path) => !path.endsWith('.md') && !path.endsWith('/'));
  const folders = paths.filter((path) => path.endsWith('/')).map((path) => path.slice(0, -1));
  return {
    change_seq: 1,
    folders: ['', ...folders].map((name) => ({ name, id: null, parent_id: null, count: 0 })),
    notes: notes.map((path) => ({ id: `id of ${path}`, path, created_at: AT, updated_at: AT })),
    attachments: files.map((path) => ({
      id: `id of ${path}`,
      path,
      size_bytes: 1,
      mtime: 1,
      updated_at: AT,
      mime_type: null,
    })),
  };
}

function indexOf(...paths: string[]): TreeIndex {
  return new TreeIndex(treeOf(...paths), compare);
}

function namesIn(index: TreeIndex, ...expanded: string[]): string[] {
  return visibleRows(index, new Set(expanded)).map(({ entry, level }) => `${'  '.repeat(level - 1)}${entry.name}`);
}

test('a tree shows folders first and names in the order of people', () => {
  const index = indexOf('b.md', 'a/note 10.md', 'a/note 9.md', 'a/map.png', 'Z/', 'a/deep/x.md');
  assert.deepEqual(namesIn(index), ['a', 'Z', 'b']);
  assert.deepEqual(namesIn(index, 'a'), ['a', '  deep', '  map.png', '  note 9', '  note 10', 'Z', 'b']);
});

test('a tree has the folders above every entry, and counts the notes below each', () => {
  const index = indexOf('x/y/z.md', 'x/w.md', 'x/p.png', 'v/');
  const counts = index.folders().map(({ path, noteCount }) => [path, noteCount]);
  assert.deepEqual(Object.fromEntries(counts), { x: 2, 'x/y': 1, v: 0 });
  assert.equal(index.noteCount, 2);
});

test('a row knows its level, its place among its siblings, and whether it is open', () => {
  const rows = visibleRows(indexOf('a/1.md', 'a/2.md', 'b.md'), new Set(['a']));
  assert.deepEqual(
    rows.map(({ level, setSize, position, isExpanded }) => [level, setSize, position, isExpanded]),
    [
      [1, 2, 1, true],
      [2, 2, 1, null],
      [2, 2, 2, null],
      [1, 2, 2, null],
    ],
  );
});

test('an open folder in a closed one is not visible', () => {
  const index = indexOf('a/b/c.md');
  assert.deepEqual(namesIn(index, 'a/b'), ['a']);
  assert.deepEqual(foldersAbove({ parent: 'a/b' }), ['a', 'a/b']);
  assert.deepEqual(foldersAbove({ parent: '' }), []);
});

test('arrow keys move, open and close as in the tree view pattern', () => {
  const rows = visibleRows(indexOf('a/1.md', 'b/2.md', 'c.md'), new Set(['a']));
  const press = (key: string, index: number) => moveOf({ key, shiftKey: false, modKey: false }, rows, index);
  assert.deepEqual(press('ArrowDown', 3), { type: 'focus', index: 3, extends: false });
  assert.deepEqual(press('ArrowUp', 0), { type: 'focus', index: 0, extends: false });
  assert.deepEqual(press('ArrowRight', 0), { type: 'focus', index: 1, extends: false });
  assert.deepEqual(press('ArrowRight', 2), { type: 'expand', paths: ['b'] });
  assert.equal(press('ArrowRight', 3), null);
  assert.deepEqual(press('ArrowLeft', 1), { type: 'focus', index: 0, extends: false });
  assert.deepEqual(press('ArrowLeft', 0), { type: 'collapse', paths: ['a'] });
  assert.equal(press('ArrowLeft', 2), null);
  assert.deepEqual(press('*', 1), { type: 'expand', paths: [] });
  assert.deepEqual(press('*', 3), { type: 'expand', paths: ['a', 'b'] });
  assert.deepEqual(press('End', 0), { type: 'focus', index: 3, extends: false });
  assert.equal(press('q', 0), null);
});

test('with Shift a move extends the selection; with Control letters are commands', () => {
  const rows = visibleRows(indexOf('a.md', 'b.md'), new Set());
  assert.deepEqual(moveOf({ key: 'ArrowDown', shiftKey: true, modKey: false }, rows, 0), {
    type: 'focus',
    index: 1,
    extends: true,
  });
  assert.deepEqual(moveOf({ key: 'A', shiftKey: false, modKey: true }, rows, 0), { type: 'select-all' });
  assert.deepEqual(moveOf({ key: 'Backspace', shiftKey: false, modKey: true }, rows, 0), { type: 'delete' });
  assert.equal(moveOf({ key: 'Backspace', shiftKey: false, modKey: false }, rows, 0), null);
  assert.equal(moveOf({ key: 'ArrowDown', shiftKey: false, modKey: true }, rows, 0), null);
});

test('type-ahead finds the next name, goes around, and advances on a repeated letter', () => {
  const rows = visibleRows(indexOf('alpha.md', 'Beta.md', 'bravo.md', 'gamma.md'), new Set());
  assert.equal(typeAhead(rows, 0, 'b'), 1);
  assert.equal(typeAhead(rows, 1, 'bb'), 2);
  assert.equal(typeAhead(rows, 2, 'bbb'), 1);
  assert.equal(typeAhead(rows, 1, 'br'), 2);
  assert.equal(typeAhead(rows, 3, 'a'), 0);
  assert.equal(typeAhead(rows, 0, 'z'), -1);
});

test('a selection extends from its anchor in both directions, and toggles single rows', () => {
  const order = ['a', 'b', 'c', 'd'];
  const three = selectRange(order, selectOnly('c'), 'a');
  assert.deepEqual([...three.keys], ['a', 'b', 'c']);
  assert.deepEqual([...selectRange(order, three, 'd').keys], ['c', 'd']);
  assert.deepEqual([...toggleSelected(three, 'b').keys], ['a', 'c']);
  assert.deepEqual([...selectRange(order, NOTHING_SELECTED, 'b').keys], ['b']);
  assert.deepEqual(actedOn(three, 'b'), ['a', 'b', 'c']);
  assert.deepEqual(actedOn(three, 'd'), ['d']);
});

function entriesIn(index: TreeIndex, ...keys: string[]) {
  return keys.map((key) => index.byKey(key) ?? assert.fail(`there is no ${key}`));
}

test('moves into a folder leave out what is there and what its own folder brings along', () => {
  const index = indexOf('a/1.md', 'a/b/2.md', 'c/3.md', 'c/p.png');
  const all = entriesIn(index, folderKey('a/b'), 'id of a/b/2.md', 'id of a/1.md', 'id of c/3.md');
  const moves = movesInto(all, 'c');
  assert.deepEqual(moves, [
    { kind: 'folder', from: 'a/b', to: 'c/b' },
    { kind: 'note', from: 'a/1.md', to: 'c/1.md' },
  ]);
  assert.deepEqual(reversed(moves ?? []).at(-1), { kind: 'folder', from: 'c/b', to: 'a/b' });
  assert.deepEqual(movesInto(entriesIn(index, 'id of c/p.png'), ''), [
    { kind: 'attachment', from: 'c/p.png', to: 'p.png' },
  ]);
});

test('a folder cannot be moved into itself or below', () => {
  const index = indexOf('a/b/2.md');
  assert.equal(movesInto(entriesIn(index, folderKey('a')), 'a/b'), null);
  assert.equal(movesInto(entriesIn(index, folderKey('a')), 'a'), null);
});

test('a new name keeps the folder and the ending of a note', () => {
  const [note, file, folder] = entriesIn(
    indexOf('a/1.MD', 'a/p.png'),
    'id of a/p.png',
    'id of a/p.png',
    folderKey('a'),
  );
  assert.ok(note && file && folder);
  assert.equal(renamedPath(file, 'q.jpg'), 'a/q.jpg');
  assert.equal(renamedPath(folder, ' b '), 'b');
  const [real] = entriesIn(indexOf('a/1.md'), 'id of a/1.md');
  assert.equal(real && renamedPath(real, '2'), 'a/2.md');
  assert.equal(real && renamedPath(real, '2.md'), 'a/2.md');
});

test('nameFault finds names that no path may have', () => {
  assert.equal(nameFault('Tea & cake? <3>'), null);
  assert.equal(nameFault('  '), 'empty');
  assert.equal(nameFault('a/b'), 'slash');
  assert.equal(nameFault('..'), 'dots');
  assert.equal(nameFault('a\u0007'), 'control');
});

function change(path: string, more: Partial<SyncChange> = {}): SyncChange {
  return {
    seq: 2,
    type: 'note',
    id: `id of ${path}`,
    path,
    content_hash: '',
    deleted: false,
    mtime: 1,
    updated_at: AT,
    ...more,
  };
}

test('patchTree adds, moves and removes entries', () => {
  const tree = treeOf('a.md', 'b.md', 'p.png');
  const patched = patchTree(tree, [
    change('c.md'),
    change('new/a.md', { id: 'id of a.md' }),
    change('b.md', { deleted: true }),
    change('p.png', { type: 'attachment', size_bytes: 5 }),
  ]);
  assert.deepEqual(patched.notes.map(({ path }) => path).sort(), ['c.md', 'new/a.md']);
  assert.deepEqual(
    patched.attachments.map(({ path, size_bytes }) => [path, size_bytes]),
    [['p.png', 5]],
  );
  assert.equal(patched.change_seq, 2);
});

test('patchTree returns the same tree when only texts of notes changed', () => {
  const tree = treeOf('a.md', 'b.md');
  assert.equal(patchTree(tree, [change('a.md'), change('gone.md', { deleted: true })]), tree);
});

test('patchTree drops a damaged row when it is readable again or deleted, and keeps the others', () => {
  const rows = ['a.md', 'gone.md', 'still.md'].map((path) => ({ id: `id of ${path}`, seq: 1, type: 'note' as const }));
  const tree = { ...treeOf('b.md'), unreadable: rows };
  const patched = patchTree(tree, [change('a.md'), change('gone.md', { deleted: true })]);
  assert.deepEqual(patched.notes.map(({ path }) => path).sort(), ['a.md', 'b.md']);
  assert.deepEqual(patched.unreadable, rows.slice(2));
  assert.deepEqual(patchTree(tree, [change('gone.md', { deleted: true })]).unreadable, [rows[0], rows[2]]);
  assert.equal(patchTree(tree, [change('b.md')]), tree);
  assert.equal('unreadable' in patchTree(treeOf(), [change('b.md')]), false);
});
