import type { Alignment, Table } from './model.ts';

/** Where the cursor is in a table; row -1 is the header. */
export interface CellPosition {
  readonly row: number;
  readonly column: number;
}

/** Adds an empty row after a row. */
export function addRow(table: Table, after: number): Table {
  const empty = table.header.map(() => '');
  return { ...table, rows: table.rows.toSpliced(after + 1, 0, empty) };
}

/** Removes a row; the header stays. */
export function removeRow(table: Table, row: number): Table {
  return row < 0 ? table : { ...table, rows: table.rows.toSpliced(row, 1) };
}

/** Adds an empty column after a column. */
export function addColumn(table: Table, after: number): Table {
  const at = after + 1;
  return {
    header: table.header.toSpliced(at, 0, ''),
    alignments: table.alignments.toSpliced(at, 0, null),
    rows: table.rows.map((row) => row.toSpliced(at, 0, '')),
  };
}

/** Removes a column; the last one stays. */
export function removeColumn(table: Table, column: number): Table {
  if (table.header.length < 2) return table;
  return {
    header: table.header.toSpliced(column, 1),
    alignments: table.alignments.toSpliced(column, 1),
    rows: table.rows.map((row) => row.toSpliced(column, 1)),
  };
}

/** Moves a row up or down among the rows below the header. */
export function moveRow(table: Table, row: number, by: 1 | -1): Table {
  const target = row + by;
  const moved = table.rows[row];
  if (moved === undefined || target < 0 || target >= table.rows.length) return table;
  return { ...table, rows: table.rows.toSpliced(row, 1).toSpliced(target, 0, moved) };
}

/** Moves a column to the left or right. */
export function moveColumn(table: Table, column: number, by: 1 | -1): Table {
  const target = column + by;
  if (target < 0 || target >= table.header.length) return table;
  const move = <Cell>(cells: readonly Cell[]): Cell[] => {
    const [moved] = cells.slice(column, column + 1);
    return moved === undefined ? [...cells] : cells.toSpliced(column, 1).toSpliced(target, 0, moved);
  };
  return { header: move(table.header), alignments: move(table.alignments), rows: table.rows.map(move) };
}

/** Aligns a column, or takes the alignment away that it has. */
export function toggleAlignment(table: Table, column: number, alignment: NonNullable<Alignment>): Table {
  if (column >= table.alignments.length) return table;
  const next = table.alignments[column] === alignment ? null : alignment;
  return { ...table, alignments: table.alignments.with(column, next) };
}
