import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { addColumn, addRow, moveColumn, moveRow, removeColumn, removeRow } from './edits.ts';
import { type Alignment, parseTable, printTable, type Table, widthOf } from './model.ts';

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

test('printTable aligns columns, also with wide characters', () => {
  const table: Table = { header: ['a', '語'], alignments: ['right', null], rows: [['long', 'é']] };
  assert.equal(printTable(table), '|    a | 語  |\n| ---: | --- |\n| long | é   |');
  assert.equal(widthOf('語é'), 3);
});

const cell = fc
  .array(fc.constantFrom('a', 'b c', '\\|', '[[x|y]]', '**z**', '`k`', '語', '\\\\', '<br>', ':', '-', '#'), {
    maxLength: 4,
  })
  .map((parts) => parts.join(' '));
const alignment = fc.constantFrom<Alignment>('left', 'center', 'right', null);
const tables = fc.integer({ min: 1, max: 4 }).chain((width) =>
  fc.record(
    {
      header: fc.array(cell, { minLength: width, maxLength: width }),
      alignments: fc.array(alignment, { minLength: width, maxLength: width }),
      rows: fc.array(fc.array(cell, { minLength: width, maxLength: width }), { maxLength: 4 }),
    },
    { noNullPrototype: true },
  ),
);

test('a table that is printed and read has the same cells', () => {
  fc.assert(
    fc.property(tables, (table) => {
      const again = parsed(printTable(table));
      assert.deepEqual(again, { ...table, rows: again.rows });
      // A row of empty cells is still a row.
      assert.deepEqual(again.rows, table.rows);
    }),
  );
});

test('a table that is read and printed again does not change any more', () => {
  fc.assert(
    fc.property(tables, (table) => {
      const printed = printTable(table);
      assert.equal(printTable(parsed(printed)), printed);
    }),
  );
});

test('adding and removing a row or column gives the table back', () => {
  fc.assert(
    fc.property(tables, fc.nat(3), (table, at) => {
      const row = at % (table.rows.length + 1);
      const column = at % table.header.length;
      assert.deepEqual(removeRow(addRow(table, row - 1), row), table);
      assert.deepEqual(removeColumn(addColumn(table, column), column + 1), table);
    }),
  );
});

test('moving a row or column there and back gives the table back', () => {
  fc.assert(
    fc.property(tables, fc.nat(3), (table, at) => {
      const row = at % Math.max(1, table.rows.length);
      const column = at % table.header.length;
      if (row + 1 < table.rows.length) assert.deepEqual(moveRow(moveRow(table, row, 1), row + 1, -1), table);
      if (column + 1 < table.header.length) {
        assert.deepEqual(moveColumn(moveColumn(table, column, 1), column + 1, -1), table);
      }
    }),
  );
});
