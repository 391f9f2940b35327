import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readSpreadsheet } from './spreadsheet.ts';

test('cells of a spreadsheet are read with the lines, tabs and quotes in them', () => {
  assert.deepEqual(readSpreadsheet('a\tb\n1\t\n'), [
    ['a', 'b'],
    ['1', ''],
  ]);
  assert.deepEqual(readSpreadsheet('"a\nb"\t"say ""x"""\n"\t'), [
    ['a\nb', 'say "x"'],
    ['"', ''],
  ]);
  assert.deepEqual(readSpreadsheet('one'), [['one']]);
});

test('every cell that a spreadsheet writes is read again', () => {
  const cell = fc.array(fc.constantFrom('a', '"', '\t', '\n', ' '), { maxLength: 5 }).map((chars) => chars.join(''));
  const print = (text: string) => (/["\t\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const rows = fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(rows, (made) => {
      assert.deepEqual(readSpreadsheet(`${made.map((row) => row.map(print).join('\t')).join('\n')}\n`), made);
    }),
  );
});
