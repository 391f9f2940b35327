import assert from 'node:assert/strict';
import { it } from 'node:test';
import { printable } from './print.ts';

it('printable leaves nothing of a text that a terminal would obey, and keeps its length', () => {
  const texts: [string, string][] = [
    ['Übersicht – 日本語 👩‍🌾.md', 'Übersicht – 日本語 👩‍🌾.md'],
    ['a\u001b[2Jb', 'a\ufffd[2Jb'],
    ['a\nIn sync: 0 sent\r\tb', 'a In sync: 0 sent  b'],
    ['\u009b31m\u0000\u007f', '\ufffd31m\ufffd\ufffd'],
    ['\u202egnp.md\u2069', '\ufffdgnp.md\ufffd'],
  ];
  for (const [text, shown] of texts) {
    assert.equal(printable(text), shown);
    assert.equal(printable(text).length, text.length);
  }
});
