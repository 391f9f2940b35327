import { ChangeSet, EditorSelection, type EditorState, type Text, type TransactionSpec } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';
import { minimalChange, type SourceChange } from '../core/source-change.ts';
import { toCellText } from './cell-text.ts';
import { type TableAtCursor, tableAtCursor } from './commands.ts';
import { addColumn, addRow, type CellPosition } from './edits.ts';
import { completeChanges } from './layout.ts';
import { readSource, type SourceTable } from './source.ts';
import { readSpreadsheet } from './spreadsheet.ts';

/** Pastes cells copied from a spreadsheet into the table at the cursor. */
export function pasteCells(view: EditorView, text: string): void {
  const at = view.state.readOnly ? null : tableAtCursor(view.state);
  if (at === null) return;
  for (const spec of fillTable(view.state, at, readSpreadsheet(text))) view.dispatch(spec);
}

/** Composes successive edits of a document into one change. */
class Edits {
  doc: Text;
  changes: ChangeSet;

  constructor(doc: Text) {
    this.doc = doc;
    this.changes = ChangeSet.empty(doc.length);
  }

  apply(changes: readonly SourceChange[]): void {
    const set = ChangeSet.of([...changes], this.doc.length, '\n');
    this.changes = this.changes.compose(set);
    this.doc = set.apply(this.doc);
  }
}

/** Fills a table with cells, starting at the cell with the cursor, and adds missing rows and columns. */
function fillTable(state: EditorState, at: TableAtCursor, rows: readonly (readonly string[])[]): TransactionSpec[] {
  const { from, cell } = at;
  const completed = new Edits(state.doc);
  completed.apply(completeChanges(at.table));
  const edits = new Edits(completed.doc);
  let { alignments } = at.table;
  let lines = at.table.lines.length;
  const read = () => readSource(edits.doc, from, lines, alignments);
  const width = cell.column + Math.max(...rows.map((row) => row.length));
  while (alignments.length < width) {
    const added = addColumn(read(), alignments.length - 1);
    edits.apply(added.changes);
    alignments = added.alignments;
  }
  while (lines - 2 < cell.row + rows.length) {
    edits.apply(addRow(read(), lines - 3).changes);
    lines++;
  }
  edits.apply(fillChanges(read(), cell, rows));
  const last = { row: cell.row + rows.length - 1, column: cell.column + (rows.at(-1)?.length ?? 1) - 1 };
  const filled = lineOf(read(), last.row)?.cells[last.column];
  const end = filled === undefined ? from : filled.textFrom + filled.text.length;
  return [
    ...(completed.changes.empty ? [] : [{ changes: completed.changes, userEvent: 'input.table' }]),
    { changes: edits.changes, selection: EditorSelection.cursor(end), scrollIntoView: true, userEvent: 'input.table' },
  ];
}

function lineOf({ lines }: SourceTable, row: number) {
  return lines[row < 0 ? 0 : row + 2];
}

function fillChanges(table: SourceTable, { row, column }: CellPosition, rows: readonly (readonly string[])[]) {
  return rows.flatMap((values, down) =>
    values.flatMap((value, right) => {
      const cell = lineOf(table, row + down)?.cells[column + right];
      return cell === undefined ? [] : [minimalChange(cell.textFrom, cell.text, toCellText(value.trim()))];
    }),
  );
}
