import type { EditorState, Text } from '@codemirror/state';
import { type DrawnTable, drawnTableAt } from './drawn-tables.ts';
import { readLine, type SourceCell, type SourceLine } from './source.ts';

/** A cell of a drawn table. */
export interface DrawnCell extends SourceCell {
  /** End of its text; the cursor stays between `textFrom` and this. */
  readonly textTo: number;
  readonly column: number;
}

/** A row of a drawn table. Each cell begins where the previous one ends. */
export interface DrawnRow {
  readonly line: SourceLine;
  /** End of the line, including a carriage return. */
  readonly to: number;
  readonly cells: readonly DrawnCell[];
}

/** Returns the row at an offset; null for the delimiter row. */
export function rowAt(doc: Text, { rule }: DrawnTable, at: number): DrawnRow | null {
  const { from, to, text } = doc.lineAt(at);
  if (from === rule.from) return null;
  const line = readLine({ from, text });
  const last = line.cells.length - 1;
  const cells = line.cells.map((cell, column) => {
    const whole = column === last ? untilEnd(cell, line) : cell;
    return { ...whole, column, textTo: endOf(whole) };
  });
  return { line, to, cells };
}

/** Extends the last cell of a line without a closing pipe to the end of the line. */
function untilEnd(cell: SourceCell, { from, to, text }: SourceLine): SourceCell {
  if (text.charAt(cell.to - from) === '|') return cell;
  return { ...cell, to, source: text.slice(cell.from - from) };
}

function endOf({ textFrom, text }: SourceCell): number {
  return textFrom + text.length;
}

/** Returns all rows of a table, starting with the header. */
export function rowsOf(doc: Text, table: DrawnTable): DrawnRow[] {
  const rows: DrawnRow[] = [];
  for (let at = table.from; at <= table.to; at = doc.lineAt(at).to + 1) {
    const row = rowAt(doc, table, at);
    if (row !== null) rows.push(row);
  }
  return rows;
}

/** Returns the row before or after the one at an offset; null beyond the first and last. */
export function rowBeside(doc: Text, table: DrawnTable, at: number, direction: 1 | -1): DrawnRow | null {
  const line = doc.lineAt(at);
  let beside = direction === 1 ? line.to + 1 : line.from - 1;
  if (beside >= table.rule.from && beside <= table.rule.to) {
    beside = direction === 1 ? table.rule.to + 1 : table.rule.from - 1;
  }
  return beside < table.from || beside > table.to ? null : rowAt(doc, table, beside);
}

/** Returns the cell of a row at an offset, or the nearest one. */
export function cellOf({ cells }: DrawnRow, at: number): DrawnCell | null {
  return cells.find(({ to }) => at <= to) ?? cells.at(-1) ?? null;
}

/** Position in a drawn table. */
export interface CellAt {
  readonly table: DrawnTable;
  readonly row: DrawnRow;
  readonly cell: DrawnCell;
}

/** Returns the cell of a drawn table at an offset; null elsewhere. */
export function cellAt(state: EditorState, at: number): CellAt | null {
  const table = drawnTableAt(state, at);
  const row = table === null ? null : rowAt(state.doc, table, at);
  const cell = row === null ? null : cellOf(row, at);
  return table === null || row === null || cell === null ? null : { table, row, cell };
}
