import { ChangeSet, EditorSelection, type EditorState, Text, type TransactionSpec } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { minimalChange, type SourceChange } from '../core/source-change.ts';
import { isPlainPaste } from '../paste/plain-paste.ts';
import { toCellText } from './cell-text.ts';
import { type TableAtCursor, tableAtCursor } from './commands.ts';
import { drawnTableAt } from './drawn-tables.ts';
import { addColumn, addRow, type CellPosition } from './edits.ts';
import { alignChanges, completeChanges } from './layout.ts';
import type { Alignment } from './model.ts';
import { readSource, type SourceTable } from './source.ts';
import { readSpreadsheet } from './spreadsheet.ts';

/** Cells of a spreadsheet that are pasted become cells: of the table that the cursor is in, or of a new one. */
export const tablePaste = EditorView.domEventHandlers({
  paste({ clipboardData }, view) {
    const { state } = view;
    if (isPlainPaste(view)) return false;
    const text = clipboardData?.getData('text/plain').replace(/\r\n?/g, '\n') ?? '';
    const isFromSheet = /<table[\s>]/i.test(clipboardData?.getData('text/html') ?? '');
    const rows = readSpreadsheet(text);
    if (state.readOnly || (rows.length < 2 && (rows[0]?.length ?? 0) < 2)) return false;
    const at = drawnTableAt(state, state.selection.main.head) === null ? null : tableAtCursor(state);
    if (at === null) {
      if (!isFromSheet || !isRectangle(rows)) return false;
      view.dispatch(newTable(state, rows));
      return true;
    }
    if (!isFromSheet && !text.includes('\t')) return false;
    for (const spec of fillTable(state, at, rows)) view.dispatch(spec);
    return true;
  },
});

function isRectangle(rows: readonly (readonly string[])[]): boolean {
  const width = rows[0]?.length ?? 0;
  return width > 1 && rows.every((row) => row.length === width);
}

/** Edits of a document one after the other, as one change. */
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

/** Writes cells into a table from the cell of the cursor on, and adds the rows and columns that it does not have. */
export function fillTable(
  state: EditorState,
  at: TableAtCursor,
  rows: readonly (readonly string[])[],
): TransactionSpec[] {
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

/** A table of cells, whose first row is its header, as blocks of the note are written. */
function newTable(state: EditorState, rows: readonly (readonly string[])[]): TransactionSpec {
  const { from, to } = state.selection.main;
  const before = state.sliceDoc(Math.max(0, from - 2), from);
  const after = state.sliceDoc(to, to + 2);
  const lead = before === '' || before.endsWith('\n\n') ? '' : before.endsWith('\n') ? '\n' : '\n\n';
  const tail = after.startsWith('\n\n') ? '' : after.startsWith('\n') ? '\n' : '\n\n';
  return {
    changes: { from, to, insert: lead + printTable(rows) + tail },
    selection: { anchor: from + lead.length + 2 },
    scrollIntoView: true,
    userEvent: 'input.table',
  };
}

function printTable(rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const [header = [], ...body] = rows.map((row) => row.map((value) => toCellText(value.trim())));
  const text = Text.of([line(header), line(header.map(() => '---')), ...body.map(line)]);
  const alignments = header.map((): Alignment => null);
  const aligned = ChangeSet.of(alignChanges(readSource(text, 0, rows.length + 1, alignments)), text.length, '\n');
  return aligned.apply(text).toString();
}
