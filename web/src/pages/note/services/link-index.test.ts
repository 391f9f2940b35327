import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VaultTree } from '@notevault/protocol/sync.ts';
import { LinkIndex, linkChoices, pathForDangling } from './link-index.ts';

const notes = ['A.md', 'Garden/Beans.md', 'Archive/Beans.md', 'Garden/Soil.md'];
const at = '2026-01-01T00:00:00.000Z';
const tree = {
  change_seq: 1,
  folders: [],
  notes: notes.map((path) => ({
    id: path,
    path,
    created_at: at,
    updated_at: at,
    ...(path === 'Garden/Soil.md' ? { aliases: ['Earth', 'Bea|ns'] } : {}),
  })),
  attachments: [{ id: 'x', path: 'Files/a b.png', size_bytes: 1, mtime: 0, updated_at: at, mime_type: 'image/png' }],
} satisfies VaultTree;

function found(target: string, source = 'Garden/Soil.md'): string | null {
  return new LinkIndex(tree).resolve({ target, anchor: null, form: 'wikilink' }, source)?.path ?? null;
}

test('links are resolved as the server does: nearest first, with or without the folder', () => {
  assert.equal(found('beans'), 'Garden/Beans.md');
  assert.equal(found('Archive/Beans'), 'Archive/Beans.md');
  assert.equal(found('a b.png'), 'Files/a b.png');
  assert.equal(found(''), 'Garden/Soil.md');
  assert.equal(found('Nothing'), null);
});

test('the text of a link is the name of the note, or its path when the name is not enough', () => {
  const index = new LinkIndex(tree);
  assert.deepEqual(
    notes.map((path) => index.linkTextOf(path)),
    ['A', 'Garden/Beans', 'Archive/Beans', 'Soil'],
  );
});

test('a dangling link asks for a note beside its own, or at the path that it names', () => {
  assert.equal(pathForDangling('New', 'Garden/Soil.md'), 'Garden/New.md');
  assert.equal(pathForDangling('Other/New.md', 'Garden/Soil.md'), 'Other/New.md');
  assert.equal(pathForDangling('New', 'A.md'), 'New.md');
});

test('links are resolved by aliases, after names', () => {
  assert.equal(found('earth', 'A.md'), 'Garden/Soil.md');
  assert.equal(new LinkIndex(tree).linkTextOf('Garden/Soil.md'), 'Soil');
});

test('a link is completed by names and aliases, and an alias is written behind the name', () => {
  assert.deepEqual(linkChoices(tree, 'ear', 10), [{ title: 'Earth', insert: 'Soil|Earth', detail: 'Soil' }]);
  assert.deepEqual(
    linkChoices(tree, 'bea', 10).map(({ insert }) => insert),
    ['Archive/Beans', 'Garden/Beans', 'Soil|Bea ns'],
  );
});
