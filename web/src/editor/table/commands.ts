import { syntaxTree } from '@codemirror/language';
import { EditorSelection, type EditorState, type TransactionSpec } from '@codemirror/state';
import type { Command, EditorView } from '@codemirror/view';
import type { SyntaxNode } from '@lezer/common';
import { splitRow } from '@notevault/note-text/scan/table.ts';
import {
  addColumn,
  addRow,
  type CellPosition,
  moveColumn,
  moveRow,
  removeColumn,
  removeRow,
  toggleAlignment,
} from './edits.ts';
import { parseTable, printTable, type Table } from './model.ts';

/** The table around the cursor. */
export interface TableAtCursor {
  readonly table: Table;
  readonly from: number;
  readonly to: number;
  readonly cell: CellPosition;
}

/** Reads the table around the cursor; null when there is none, or when it is inside a quote or list. */
export function tableAtCursor(state: EditorState): TableAtCursor | null {
  const { head } = state.selection.main;
  for (let node: SyntaxNode | null = syntaxTree(state).resolveInner(head, -1); node; node = node.parent) {
    if (node.name !== 'Table') continue;
    const from = state.doc.lineAt(node.from).from;
    const table = node.from === from ? parseTable(state.doc.sliceString(from, node.to)) : null;
    return table === null ? null : { table, from, to: node.to, cell: cellAt(state, from, head) };
  }
  return null;
}

function cellAt(state: EditorState, from: number, head: number): CellPosition {
  const line = state.doc.lineAt(head);
  const number = line.number - state.doc.lineAt(from).number;
  const cells = splitRow(line.text, { start: line.text.length - line.text.trimStart().length, end: line.text.length });
  const column = cells.findIndex(({ end }) => head - line.from <= end);
  return { row: Math.max(-1, number - 2), column: column < 0 ? Math.max(0, cells.length - 1) : column };
}

/** A change that writes a table in place of the one at the cursor, and selects a cell. */
function replaceTable(at: TableAtCursor, table: Table, cell: CellPosition): TransactionSpec {
  const insert = printTable(table);
  const { from, to } = cellRange(insert, clamp(table, cell));
  return {
    changes: { from: at.from, to: at.to, insert },
    selection: EditorSelection.range(at.from + from, at.from + to),
    scrollIntoView: true,
    userEvent: 'input.table',
  };
}

function clamp({ header, rows }: Table, { row, column }: CellPosition): CellPosition {
  return {
    row: Math.max(-1, Math.min(row, rows.length - 1)),
    column: Math.max(0, Math.min(column, header.length - 1)),
  };
}

/** Where the text of a cell is in the source of a table. */
export function cellRange(source: string, { row, column }: CellPosition): { from: number; to: number } {
  const lines = source.split('\n');
  const number = row < 0 ? 0 : row + 2;
  const start = lines.slice(0, number).reduce((sum, line) => sum + line.length + 1, 0);
  const line = lines[number] ?? '';
  const cell = splitRow(line, { start: 0, end: line.length })[column] ?? { start: line.length, end: line.length };
  const text = line.slice(cell.start, cell.end);
  const from =
    text.trim() === '' ? cell.start + Math.min(1, text.length) : cell.start + text.length - text.trimStart().length;
  return { from: start + from, to: start + from + text.trim().length };
}

/** Moves to the next or previous cell, formats the table, and adds a row after the last cell. */
export function moveCell(by: 1 | -1): Command {
  return (view) =>
    change(view, ({ table, cell }) => {
      const width = table.header.length;
      const index = (cell.row + 1) * width + cell.column + by;
      if (index < 0) return null;
      const row = Math.floor(index / width) - 1;
      return { table: row < table.rows.length ? table : addRow(table, row - 1), cell: { row, column: index % width } };
    });
}

/** Moves to the cell below and adds a row after the last one. */
export const nextRow: Command = (view) =>
  change(view, ({ table, cell }) => {
    const row = cell.row + 1;
    return { table: row < table.rows.length ? table : addRow(table, cell.row), cell: { row, column: cell.column } };
  });

type Edit = (at: TableAtCursor) => { readonly table: Table; readonly cell: CellPosition } | null;

function change(view: EditorView, edit: Edit): boolean {
  const at = view.state.readOnly ? null : tableAtCursor(view.state);
  const edited = at === null ? null : edit(at);
  if (at === null || edited === null) return false;
  view.dispatch(replaceTable(at, edited.table, edited.cell));
  return true;
}

const edits = {
  'add-row': ({ table, cell }) => ({ table: addRow(table, cell.row), cell: { ...cell, row: cell.row + 1 } }),
  'add-column': ({ table, cell }) => ({
    table: addColumn(table, cell.column),
    cell: { ...cell, column: cell.column + 1 },
  }),
  'delete-row': ({ table, cell }) => ({ table: removeRow(table, cell.row), cell }),
  'delete-column': ({ table, cell }) => ({ table: removeColumn(table, cell.column), cell }),
  'row-up': ({ table, cell }) => ({ table: moveRow(table, cell.row, -1), cell: { ...cell, row: cell.row - 1 } }),
  'row-down': ({ table, cell }) => ({ table: moveRow(table, cell.row, 1), cell: { ...cell, row: cell.row + 1 } }),
  'column-left': ({ table, cell }) => ({
    table: moveColumn(table, cell.column, -1),
    cell: { ...cell, column: cell.column - 1 },
  }),
  'align-left': ({ table, cell }) => ({ table: toggleAlignment(table, cell.column, 'left'), cell }),
  'align-center': ({ table, cell }) => ({ table: toggleAlignment(table, cell.column, 'center'), cell }),
  'align-right': ({ table, cell }) => ({ table: toggleAlignment(table, cell.column, 'right'), cell }),
  'column-right': ({ table, cell }) => ({
    table: moveColumn(table, cell.column, 1),
    cell: { ...cell, column: cell.column + 1 },
  }),
} satisfies Record<string, Edit>;

export type TableEdit = keyof typeof edits;

/** The command of an edit of the table at the cursor; it does not apply elsewhere. */
export function editTable(name: TableEdit): Command {
  return (view) => change(view, edits[name]);
}

/** Inserts a table of two columns where the cursor is. */
export const insertTable: Command = (view) => {
  const { state } = view;
  if (state.readOnly) return false;
  const line = state.doc.lineAt(state.selection.main.head);
  const source = printTable({ header: ['', ''], alignments: [null, null], rows: [['', '']] });
  const before = line.text.trim() === '' ? '' : '\n\n';
  const at = line.text.trim() === '' ? line.from : line.to;
  const cell = cellRange(source, { row: -1, column: 0 });
  view.dispatch({
    changes: { from: at, to: line.to, insert: `${before}${source}\n` },
    selection: { anchor: at + before.length + cell.from },
    userEvent: 'input.table',
  });
  return true;
};
