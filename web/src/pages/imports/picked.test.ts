import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type PickedFile, pickedOf } from './picked.ts';

interface Sized {
  readonly size: number;
}

function file(path: string, size = 1): PickedFile<Sized> {
  return { path, file: { size } };
}

function paths(files: readonly PickedFile<Sized>[]): readonly string[] {
  const picked = pickedOf(files);
  return picked.kind === 'files' ? picked.files.map(({ path }) => path) : [picked.kind];
}

function faultOf(files: readonly PickedFile<Sized>[]): string | null {
  const picked = pickedOf(files);
  return picked.kind === 'fault' ? picked.fault : null;
}

test('pickedOf takes one archive as it is, and one inside of a folder as a file', () => {
  assert.equal(pickedOf([file('notes.zip')]).kind, 'archive');
  assert.equal(pickedOf([file('Joplin.JEX')]).kind, 'archive');
  assert.deepEqual(paths([file('Vault/old.zip')]), ['Vault/old.zip']);
  assert.equal(faultOf([file('a.zip'), file('b.zip')]), 'several-archives');
});

test('pickedOf takes folders with their names, of which the server leaves out the only one', () => {
  assert.deepEqual(paths([file('Vault/a.md'), file('Vault/sub/b.md')]), ['Vault/a.md', 'Vault/sub/b.md']);
  assert.deepEqual(paths([file('a.md')]), ['a.md']);
});

test('pickedOf leaves hidden files and folders out, and counts them', () => {
  const picked = pickedOf([file('V/.obsidian/app.json'), file('V/.DS_Store'), file('V/a.md'), file('V/b/.git/x')]);
  assert.deepEqual(picked.kind === 'files' ? [picked.files.map(({ path }) => path), picked.hidden] : null, [
    ['V/a.md'],
    3,
  ]);
  assert.equal(faultOf([file('V/.git/config')]), 'empty');
  assert.equal(faultOf([]), 'empty');
});

test('pickedOf refuses what the server would refuse for its size, before anything is read', () => {
  assert.equal(faultOf([file('a.zip', 2 ** 31 + 1)]), 'too-large');
  assert.equal(faultOf([file('V/a.md', 2 ** 30), file('V/b.md', 2 ** 30 + 1)]), 'too-large');
  assert.equal(faultOf(Array.from({ length: 200_001 }, (_, index) => file(`V/${index}.md`))), 'too-many');
});
