import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTable, type Table, widthOf } from './model.ts';

function parsed(source: string): Table {
  const table = parseTable(source);
  assert.ok(table !== null, source);
  return table;
}

test('parseTable reads cells, alignments and rows that are too short or too long', () => {
  assert.deepEqual(parsed('| a | b |\n|:--|:-:|\n| 1 |\n| 2 | 3 | 4 |'), {
    header: ['a', 'b'],
    alignments: ['left', 'center'],
    rows: [
      ['1', ''],
      ['2', '3'],
    ],
  });
});

test('parseTable keeps escaped pipes and wikilinks with an alias in one cell', () => {
  assert.deepEqual(parsed('a|b\n-|-\n[[x|y]]|1\\|2').rows, [['[[x|y]]', '1\\|2']]);
});

test('parseTable returns null for what is no table', () => {
  for (const source of ['', 'a | b', 'a | b\n---', 'a\n---', '| a |\n| b |'])
    assert.equal(parseTable(source), null, source);
});

test('widthOf counts wide characters twice and marks not at all', () => {
  assert.equal(widthOf('語é'), 3);
  assert.equal(widthOf('e\u0301'), 1);
});
