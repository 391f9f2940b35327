import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unifiedDiff } from './unified-diff.ts';

test('unifiedDiff shows changed lines with their neighbours', () => {
  const before = 'one\ntwo\nthree\nfour\nfive\nsix\n';
  assert.equal(
    unifiedDiff(before, 'one\ntwo\nthree\nfour\nfive!\nsix\n'),
    ['@@ -3,4 +3,4 @@', ' three', ' four', '-five', '+five!', ' six'].join('\n'),
  );
  assert.equal(
    unifiedDiff(before, 'one\ntwo\nadded\nthree\nfour\nfive\nsix\n'),
    ['@@ -1,4 +1,5 @@', ' one', ' two', '+added', ' three', ' four'].join('\n'),
  );
  assert.equal(
    unifiedDiff(before, 'two\nthree\nfour\nfive\nsix\n'),
    ['@@ -1,3 +1,2 @@', '-one', ' two', ' three'].join('\n'),
  );
});

test('unifiedDiff shows distant changes apart and close ones together', () => {
  const lines = Array.from({ length: 30 }, (_, index) => `line ${index}`);
  const changed = lines.map((line, index) => ([3, 5, 20].includes(index) ? `${line} changed` : line));
  const diff = unifiedDiff(lines.join('\n'), changed.join('\n'));
  assert.deepEqual(
    diff.split('\n').filter((line) => line.startsWith('@@')),
    ['@@ -2,7 +2,7 @@', '@@ -19,5 +19,5 @@'],
  );
});

test('unifiedDiff is empty for equal texts, and says what it cuts', () => {
  assert.equal(unifiedDiff('a', 'a'), '');
  const before = Array.from({ length: 100 }, (_, index) => `old ${index}`).join('\n');
  const after = Array.from({ length: 100 }, (_, index) => `new ${index}`).join('\n');
  assert.match(unifiedDiff(before, after), /\n… \d+ more lines of diff$/);
  assert.match(unifiedDiff('a', 'x'.repeat(1000)), /\+x{240}…/);
});

test('unifiedDiff applied to the text before gives the text after', () => {
  const before = 'a\nb\nc\nd\n';
  for (const after of ['a\nb\nc\nd', 'b\nc\nd\ne\n', '', 'a\n\nb\nc\nd\n', 'x\ny\n', 'a\r\nb\nc\nd\n']) {
    const lines = unifiedDiff(before, after)
      .split('\n')
      .filter((line) => !line.startsWith('@@'));
    const [was, is] = ['-', '+'].map((sign) =>
      lines.filter((line) => line.startsWith(sign) || line.startsWith(' ')).map((line) => line.slice(1)),
    );
    const plain = (text: string) => text.replaceAll('\r', '').split('\n');
    for (const line of was ?? []) assert.ok(plain(before).includes(line), `${line} of ${JSON.stringify(after)}`);
    for (const line of is ?? []) assert.ok(plain(after).includes(line), `${line} of ${JSON.stringify(after)}`);
  }
});

test('unifiedDiff compares texts of more lines than a call has arguments', () => {
  const lines = (word: string) => Array.from({ length: 200_000 }, (_, at) => `${word} ${at}\n`).join('');
  assert.match(unifiedDiff('', lines('a')), /^@@ -0,0 \+1,200000 @@\n\+a 0\n[\s\S]*\n… 199941 more lines of diff$/);
  assert.match(unifiedDiff(lines('a'), lines('b')), /\n… 399941 more lines of diff$/);
});
