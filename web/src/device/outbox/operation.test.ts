import assert from 'node:assert/strict';
import { test } from 'node:test';
import { needs, type Operation, type OutboxEntry, treeWith, withOperation } from './operation.ts';

const VAULT = 'vault';
const NOTE = { kind: 'note', noteId: 'n', path: 'A.md', content: 'text', attempt: null, sent: null } as const;
const FOLDER = { kind: 'folder', path: 'F' } as const;

function waiting(...operations: readonly Operation[]): readonly OutboxEntry[] {
  let entries: readonly OutboxEntry[] = [];
  for (const operation of operations)
    entries = withOperation(entries, { id: `${entries.length}`, vault: VAULT, operation });
  return entries;
}

function moved(from: string, to: string, id: string | null = 'n'): Operation {
  return { kind: 'move', moves: [{ kind: id === null ? 'folder' : 'note', id, from, to }] };
}

function deletion(id: string, path: string): Operation {
  return { kind: 'delete', deleted: [{ kind: 'note', id, path, known: { [id]: null } }] };
}

const operationsOf = (entries: readonly OutboxEntry[]) => entries.map(({ operation }) => operation);

test('a note that was made here is renamed before it is sent, and is never sent if it is deleted first', () => {
  assert.deepEqual(operationsOf(waiting(NOTE, moved('A.md', 'B.md'))), [{ ...NOTE, path: 'B.md' }]);
  assert.deepEqual(waiting(NOTE, moved('A.md', 'B.md'), deletion('n', 'B.md')), []);
});

test('what was sent is changed no more: the server may have done it', () => {
  const tried = waiting(NOTE).map((entry) => ({ ...entry, isTried: true }));
  const renamed = withOperation(tried, { id: '1', vault: VAULT, operation: moved('A.md', 'B.md') });
  assert.deepEqual(operationsOf(renamed), [NOTE, moved('A.md', 'B.md')]);
  const deleted = withOperation(tried, { id: '1', vault: VAULT, operation: deletion('n', 'A.md') });
  assert.deepEqual(operationsOf(deleted), [NOTE, deletion('n', 'A.md')]);
});

test('a file whose path was taken is given up when it is deleted, and what is at the path stays', () => {
  const file = { kind: 'file', fileId: 'f', path: 'a.txt', bytes: new Blob(), mtime: 0 } as const;
  const taken = { reason: 'taken', path: 'a.txt' } as const;
  const refused = waiting(file).map((entry) => ({ ...entry, isTried: true, problem: taken }));
  const operation: Operation = {
    kind: 'delete',
    deleted: [{ kind: 'attachment', id: 'f', path: 'a.txt', known: { f: null } }],
  };
  assert.deepEqual(withOperation(refused, { id: '1', vault: VAULT, operation }), []);
});

test('moves of one note are one, moves there and back are none, and what is deleted is not moved first', () => {
  assert.deepEqual(operationsOf(waiting(moved('A.md', 'B.md'), moved('B.md', 'C.md'))), [moved('A.md', 'C.md')]);
  assert.deepEqual(waiting(moved('A.md', 'B.md'), moved('B.md', 'A.md')), []);
  assert.deepEqual(operationsOf(waiting(moved('A.md', 'B.md'), deletion('n', 'B.md'))), [deletion('n', 'B.md')]);
});

test('a note in a folder that moves meanwhile moves after it', () => {
  const steps = [{ ...NOTE, path: 'F/A.md' }, moved('F', 'G', null), moved('G/A.md', 'G/B.md')];
  assert.deepEqual(operationsOf(waiting(...steps)), steps);
});

test('operations of other vaults are left alone', () => {
  const entries = withOperation(waiting(NOTE), { id: '1', vault: 'other', operation: deletion('n', 'A.md') });
  assert.deepEqual(operationsOf(entries), [NOTE, deletion('n', 'A.md')]);
});

test('a tree shows what waits, once, and not what was done', () => {
  const tree = { change_seq: 1, folders: [], notes: [], attachments: [] };
  const entries = waiting(NOTE, FOLDER, moved('A.md', 'F/A.md'));
  const shown = treeWith(tree, entries, () => 'now');
  assert.deepEqual(
    shown.notes.map(({ id, path }) => [id, path]),
    [['n', 'F/A.md']],
  );
  assert.equal(
    treeWith(shown, entries, () => 'now'),
    shown,
  );
  assert.equal(
    treeWith(
      tree,
      entries.map((entry) => ({ ...entry, doneAt: 1 })),
      () => 'now',
    ),
    tree,
  );
});

test('an operation waits for one that failed before it about the same note or place', () => {
  assert.ok(needs(moved('A.md', 'B.md'), NOTE));
  assert.ok(needs({ ...NOTE, noteId: 'm', path: 'F/B.md' }, FOLDER));
  assert.ok(!needs({ ...NOTE, noteId: 'm', path: 'FF/B.md' }, FOLDER));
});
