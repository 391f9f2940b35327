import type { SourceChange } from '../core/source-change.ts';
import type { Alignment } from './model.ts';
import type { SourceCell, SourceLine, SourceTable } from './source.ts';

/** Position of the cursor in a table; row -1 is the header. */
export interface CellPosition {
  readonly row: number;
  readonly column: number;
}

/** Change of a complete table. */
export interface TableChange {
  readonly changes: readonly SourceChange[];
  readonly alignments: readonly Alignment[];
}

// Somebody else may type into what an edit removes or moves, and their letters remain where it was. Everything here
// therefore removes from pipe to pipe: what remains is then in a cell beside, and the table is still one.

/** Adds an empty row after a row. */
export function addRow({ lines, alignments, lineEnd }: SourceTable, after: number): TableChange {
  const from = lines[after < 0 ? 1 : after + 2]?.to;
  const insert = `${lineEnd}|${'  |'.repeat(alignments.length)}`;
  return { changes: from === undefined ? [] : [{ from, insert }], alignments };
}

/** Removes a row; the header stays. */
export function removeRow(table: SourceTable, row: number): TableChange {
  const { lines, alignments, spareEnd } = table;
  const line = row < 0 ? undefined : lines[row + 2];
  if (line === undefined) return { changes: [], alignments };
  const [before, next] = [row === 0 ? undefined : lines[row + 1], lines[row + 3]];
  if (next !== undefined) return { changes: [cutBefore(line, next)], alignments };
  if (before !== undefined) return { changes: [cutAfter(before, line)], alignments };
  return { changes: [{ from: line.from, to: line.to + spareEnd }], alignments };
}

/** Removes a line and the separator after it. */
function cutBefore(line: SourceLine, next: SourceLine): SourceChange {
  return { from: line.cells[0]?.from ?? line.from, to: next.cells[0]?.from ?? next.from };
}

/** Removes a line and the separator before it. */
function cutAfter(before: SourceLine, line: SourceLine): SourceChange {
  return { from: before.cells.at(-1)?.to ?? before.to, to: line.cells.at(-1)?.to ?? line.to };
}

/** Adds an empty column after a column. */
export function addColumn({ lines, alignments }: SourceTable, after: number): TableChange {
  const changes = lines.flatMap(({ cells }, index): SourceChange[] => {
    const cell = cells[after];
    return cell === undefined ? [] : [{ from: cell.to, insert: index === 1 ? '| --- ' : '|  ' }];
  });
  return { changes, alignments: alignments.toSpliced(after + 1, 0, null) };
}

/** Removes a column; the last one stays. */
export function removeColumn({ lines, alignments }: SourceTable, column: number): TableChange {
  if (alignments.length < 2) return { changes: [], alignments };
  const changes = lines.flatMap(({ cells }): SourceChange[] => {
    const [before, cell, next] = [cells[column - 1], cells[column], cells[column + 1]];
    if (cell === undefined) return [];
    if (before !== undefined) return [{ from: before.to, to: cell.to }];
    return next === undefined ? [] : [{ from: cell.from, to: next.from }];
  });
  return { changes, alignments: alignments.toSpliced(column, 1) };
}

/** Moves a row up or down below the header, by rewriting the shorter of the two rows. */
export function moveRow({ lines, alignments, lineEnd }: SourceTable, row: number, by: 1 | -1): TableChange {
  const at = Math.min(row, row + by) + 2;
  const [upper, lower] = [lines[at], lines[at + 1]];
  if (at < 2 || upper === undefined || lower === undefined) return { changes: [], alignments };
  const changes =
    upper.text.length < lower.text.length
      ? [cutBefore(upper, lower), { from: lower.to, insert: lineEnd + upper.text }]
      : [cutAfter(upper, lower), { from: upper.from, insert: lower.text + lineEnd }];
  return { changes, alignments };
}

/** Moves a column left or right, by rewriting the shorter of the two cells in each line. */
export function moveColumn({ lines, alignments }: SourceTable, column: number, by: 1 | -1): TableChange {
  const at = Math.min(column, column + by);
  const [left, right] = [alignments[at], alignments[at + 1]];
  if (left === undefined || right === undefined) return { changes: [], alignments };
  const changes = lines.flatMap(({ cells }) => swapCells(cells[at], cells[at + 1]));
  return { changes, alignments: alignments.with(at, right).with(at + 1, left) };
}

function swapCells(left: SourceCell | undefined, right: SourceCell | undefined): SourceChange[] {
  if (left === undefined || right === undefined || left.source === right.source) return [];
  if (left.text.length < right.text.length) {
    return [
      { from: left.from, to: right.from },
      { from: right.to, insert: `|${left.source}` },
    ];
  }
  return [
    { from: left.to, to: right.to },
    { from: left.from, insert: `${right.source}|` },
  ];
}

/** Aligns a column, or removes the alignment if it already has it. */
export function toggleAlignment(
  { alignments }: SourceTable,
  column: number,
  alignment: NonNullable<Alignment>,
): TableChange {
  if (column >= alignments.length) return { changes: [], alignments };
  return { changes: [], alignments: alignments.with(column, alignments[column] === alignment ? null : alignment) };
}
