import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newAttachmentPath } from './attachment-path.ts';

const free = () => false;

test('a new attachment is put in the folder Attachments beside its note', () => {
  assert.equal(newAttachmentPath('A.md', 'bean.png', free), 'Attachments/bean.png');
  assert.equal(newAttachmentPath('Garden/Beds/A.md', 'bean.png', free), 'Garden/Beds/Attachments/bean.png');
});

test('a new attachment is numbered before its ending where the name is taken', () => {
  const taken = new Set(['Attachments/bean.png', 'Attachments/bean 2.png', 'Attachments/.profile']);
  assert.equal(
    newAttachmentPath('A.md', 'bean.png', (path) => taken.has(path)),
    'Attachments/bean 3.png',
  );
  assert.equal(
    newAttachmentPath('A.md', '.profile', (path) => taken.has(path)),
    'Attachments/.profile 2',
  );
});

test('a new attachment has no characters that paths or links cannot have', () => {
  assert.equal(newAttachmentPath('A.md', '../../etc/pass#wd|[x]\n.txt', free), 'Attachments/.. .. etc pass wd x .txt');
  assert.equal(newAttachmentPath('A.md', '///', free), 'Attachments/file');
});
