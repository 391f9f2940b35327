import { syntaxTree } from '@codemirror/language';
import {
  ChangeSet,
  EditorSelection,
  type EditorState,
  type StateCommand,
  type TransactionSpec,
} from '@codemirror/state';
import type { SyntaxNode } from '@lezer/common';
import {
  addColumn,
  addRow,
  type CellPosition,
  moveColumn,
  moveRow,
  removeColumn,
  removeRow,
  type TableChange,
  toggleAlignment,
} from './edits.ts';
import { alignChanges, completeChanges } from './layout.ts';
import { parseTable } from './model.ts';
import { readSource, type SourceTable } from './source.ts';

/** The table around the cursor. */
export interface TableAtCursor {
  readonly table: SourceTable;
  readonly from: number;
  readonly cell: CellPosition;
}

/** Reads the table around the cursor; null if there is none, or if it is inside a quote or list. */
export function tableAtCursor(state: EditorState): TableAtCursor | null {
  const { head } = state.selection.main;
  for (let node: SyntaxNode | null = syntaxTree(state).resolveInner(head, -1); node; node = node.parent) {
    if (node.name !== 'Table') continue;
    const { from, number } = state.doc.lineAt(node.from);
    const parsed = node.from === from ? parseTable(state.doc.sliceString(from, node.to)) : null;
    if (parsed === null) return null;
    const lines = state.doc.lineAt(node.to).number - number + 1;
    const table = readSource(state.doc, from, lines, parsed.alignments);
    return { table, from, cell: cellAt(table, state.doc.lineAt(head).number - number, head) };
  }
  return null;
}

function cellAt({ lines }: SourceTable, number: number, head: number): CellPosition {
  const cells = lines[number]?.cells ?? [];
  const column = cells.findIndex(({ to }) => head <= to);
  return { row: Math.max(-1, number - 2), column: column < 0 ? Math.max(0, cells.length - 1) : column };
}

/** Change of a complete table, and the cell selected after it. */
interface CellChange extends TableChange {
  readonly cell: CellPosition;
}

type Edit = (table: SourceTable, cell: CellPosition) => CellChange | null;

/** Returns an edit of a complete table as a transaction that also aligns the columns. */
function editSpec({ doc }: EditorState, from: number, table: SourceTable, change: CellChange): TransactionSpec {
  const { changes, alignments, cell } = change;
  const structured = ChangeSet.of([...changes], doc.length, '\n');
  const structure = structured.apply(doc);
  const lines = table.lines.length + structure.lines - doc.lines;
  const aligned = ChangeSet.of(alignChanges(readSource(structure, from, lines, alignments)), structure.length, '\n');
  return {
    changes: structured.compose(aligned),
    selection: selectionOf(readSource(aligned.apply(structure), from, lines, alignments), cell),
    scrollIntoView: true,
    userEvent: 'input.table',
  };
}

function selectionOf({ lines, alignments }: SourceTable, { row, column }: CellPosition): EditorSelection {
  // Removing the only row leaves a blank line if text follows.
  const rows = lines.slice(2).filter(({ cells }) => cells.length > 0);
  const line = rows[Math.min(row, rows.length - 1)] ?? lines[0];
  const cell = line?.cells[Math.max(0, Math.min(column, alignments.length - 1))];
  if (cell === undefined) return EditorSelection.single(line?.to ?? 0);
  return EditorSelection.single(cell.textFrom, cell.textFrom + cell.text.length);
}

function command(edit: Edit): StateCommand {
  return ({ state, dispatch }) => {
    const at = state.readOnly ? null : tableAtCursor(state);
    if (at === null) return false;
    const { from, cell, table } = at;
    const completed = state.update({ changes: completeChanges(table), userEvent: 'input.table' });
    const complete = readSource(completed.newDoc, from, table.lines.length, table.alignments);
    const change = edit(complete, cell);
    if (change === null) return false;
    // A separate change: combined with a removal beside it, a pipe could end up after text that somebody else types
    // there.
    const isComplete = completed.changes.empty;
    if (!isComplete) dispatch(completed);
    const now = isComplete ? state : completed.state;
    dispatch(now.update(editSpec(now, from, complete, change)));
    return true;
  };
}

const rowsOf = ({ lines }: SourceTable) => lines.length - 2;
const unchanged = ({ alignments }: SourceTable): TableChange => ({ changes: [], alignments });

/** Moves to the next or previous cell, aligns the table, and adds a row after the last cell. */
export function moveCell(by: 1 | -1): StateCommand {
  return command((table, cell) => {
    const width = table.alignments.length;
    const index = (cell.row + 1) * width + cell.column + by;
    if (index < 0) return null;
    const row = Math.floor(index / width) - 1;
    const changes = row < rowsOf(table) ? unchanged(table) : addRow(table, row - 1);
    return { ...changes, cell: { row, column: index % width } };
  });
}

/** Moves to the cell below and adds a row after the last one. */
export const nextRow: StateCommand = command((table, cell) => {
  const row = cell.row + 1;
  const changes = row < rowsOf(table) ? unchanged(table) : addRow(table, cell.row);
  return { ...changes, cell: { row, column: cell.column } };
});

const below = (cell: CellPosition, by: number): CellPosition => ({ ...cell, row: cell.row + by });
const beside = (cell: CellPosition, by: number): CellPosition => ({ ...cell, column: cell.column + by });

const edits = {
  'add-row': (table, cell) => ({ ...addRow(table, cell.row), cell: below(cell, 1) }),
  'add-column': (table, cell) => ({ ...addColumn(table, cell.column), cell: beside(cell, 1) }),
  'delete-row': (table, cell) => ({ ...removeRow(table, cell.row), cell }),
  'delete-column': (table, cell) => ({ ...removeColumn(table, cell.column), cell }),
  'row-up': (table, cell) => ({ ...moveRow(table, cell.row, -1), cell: below(cell, -1) }),
  'row-down': (table, cell) => ({ ...moveRow(table, cell.row, 1), cell: below(cell, 1) }),
  'column-left': (table, cell) => ({ ...moveColumn(table, cell.column, -1), cell: beside(cell, -1) }),
  'column-right': (table, cell) => ({ ...moveColumn(table, cell.column, 1), cell: beside(cell, 1) }),
  'align-left': (table, cell) => ({ ...toggleAlignment(table, cell.column, 'left'), cell }),
  'align-center': (table, cell) => ({ ...toggleAlignment(table, cell.column, 'center'), cell }),
  'align-right': (table, cell) => ({ ...toggleAlignment(table, cell.column, 'right'), cell }),
} satisfies Record<string, Edit>;

export type TableEdit = keyof typeof edits;

/** Returns the command for an edit of the table at the cursor; it does not apply elsewhere. */
export function editTable(name: TableEdit): StateCommand {
  return command(edits[name]);
}

const NEW_TABLE = '|     |     |\n| --- | --- |\n|     |     |';

/** Inserts a table with two columns at the cursor. */
export const insertTable: StateCommand = ({ state, dispatch }) => {
  if (state.readOnly) return false;
  const line = state.doc.lineAt(state.selection.main.head);
  const isBlank = line.text.trim() === '';
  const before = isBlank ? '' : '\n\n';
  const at = isBlank ? line.from : line.to;
  dispatch(
    state.update({
      changes: { from: at, to: line.to, insert: `${before}${NEW_TABLE}\n` },
      selection: { anchor: at + before.length + 2 },
      userEvent: 'input.table',
    }),
  );
  return true;
};
