import assert from 'node:assert/strict';
import { test } from 'node:test';
import { targetPath } from './target-path.ts';

test('targetPath numbers a name that is taken, also by another case, before its extension', () => {
  const taken = new Set(['img/bed.png']);
  assert.equal(targetPath('img', 'Bed.png', taken), 'img/Bed 2.png');
  assert.equal(targetPath('img', 'bed.png', taken), 'img/bed 3.png');
  assert.equal(targetPath('', 'bed.png', taken), 'bed.png');
});

test('targetPath keeps the folders of a dropped folder, and takes a leading dot as part of the name', () => {
  const taken = new Set(['a.b/.env']);
  assert.equal(targetPath('Inbox', 'Scans/page.pdf', taken), 'Inbox/Scans/page.pdf');
  assert.equal(targetPath('', 'a.b/.env', taken), 'a.b/.env 2');
  assert.equal(targetPath('a.b', 'README', new Set(['a.b/readme'])), 'a.b/README 2');
});
