import { EditorSelection } from '@codemirror/state';
import { type Command, Direction, type EditorView, type KeyBinding } from '@codemirror/view';
import { CELL_BREAK } from './cell-text.ts';
import { type CellAt, cellAt, type DrawnCell, type DrawnRow, rowBeside } from './cells.ts';
import { moveCell, nextRow } from './commands.ts';
import { drawnTableAt, drawnTables, showSource } from './drawn-tables.ts';

/** Returns a command for the cell with the cursor; it does not apply elsewhere. */
function inCell(run: (view: EditorView, at: CellAt) => boolean): Command {
  return (view) => {
    const at = view.state.readOnly ? null : cellAt(view.state, view.state.selection.main.head);
    return at !== null && run(view, at);
  };
}

function moveTo(view: EditorView, anchor: number, head = anchor): true {
  view.dispatch({ selection: EditorSelection.single(anchor, head), scrollIntoView: true, userEvent: 'select' });
  return true;
}

/** Selects the text of a cell, so that typing replaces it. */
const select = (view: EditorView, { textFrom, textTo }: DrawnCell) => moveTo(view, textFrom, textTo);

/** Moves to the next or previous cell; the source command creates missing cells. */
const tabTo = (direction: 1 | -1) =>
  inCell((view, { table, row, cell }) => {
    const beside = row.cells[cell.column + direction];
    if (beside !== undefined) return select(view, beside);
    const isComplete = row.cells.length >= table.alignments.length;
    const next = direction === -1 || isComplete ? rowBeside(view.state.doc, table, row.line.from, direction) : null;
    const first = direction === 1 ? next?.cells[0] : next?.cells.at(-1);
    return first === undefined ? moveCell(direction)(view) : select(view, first);
  });

/** Moves to the cell below, which is in a new row after the last one. */
const toCellBelow = inCell((view, { table, row, cell }) => {
  const below = rowBeside(view.state.doc, table, row.line.from, 1)?.cells[cell.column];
  return below === undefined ? nextRow(view) : select(view, below);
});

const breakLine = inCell((view) => {
  view.dispatch(view.state.replaceSelection(CELL_BREAK), { scrollIntoView: true, userEvent: 'input.type' });
  return true;
});

/** Moves the cursor left or right across cells, and leaves the table at its first and last cell. */
const moveByLetter = (isRight: boolean) =>
  inCell((view, { table, row, cell }) => {
    const { main } = view.state.selection;
    if (!main.empty) return false;
    const isForward = (view.textDirectionAt(main.head) === Direction.LTR) === isRight;
    const { head } = view.moveByChar(main, isForward);
    const isLeaving = isForward ? main.head >= cell.textTo : main.head <= cell.textFrom;
    if (!isLeaving && head >= cell.textFrom && head <= cell.textTo) return false;
    const beside = row.cells[cell.column + (isForward ? 1 : -1)];
    const next =
      beside ?? rowBeside(view.state.doc, table, row.line.from, isForward ? 1 : -1)?.cells.at(isForward ? 0 : -1);
    if (next === undefined) return leave(view, table.from, table.to, isForward ? 1 : -1);
    return moveTo(view, isForward ? next.textFrom : next.textTo);
  });

/** Moves to the line before or after a table, and adds a line if the table ends the note. */
function leave(view: EditorView, from: number, to: number, direction: 1 | -1): boolean {
  const { doc } = view.state;
  if (direction === -1) return from === 0 ? true : moveTo(view, from - 1);
  if (to < doc.length) return moveTo(view, to + 1);
  view.dispatch({
    changes: { from: to, insert: '\n\n' },
    selection: { anchor: to + 2 },
    scrollIntoView: true,
    userEvent: 'input.table',
  });
  return true;
}

/** Moves the cursor up or down within a cell whose text wraps, then to the cell above or below. */
const moveByRow = (direction: 1 | -1) =>
  inCell((view, { table, row, cell }) => {
    const {
      main,
      main: { head },
    } = view.state.selection;
    if (!main.empty) return false;
    const here = view.coordsAtPos(head, main.assoc < 0 ? -1 : 1);
    if (here === null) return false;
    const half = (here.bottom - here.top) / 2;
    const y = direction === 1 ? here.bottom + half : here.top - half;
    const { pos, assoc } = view.posAndSideAtCoords({ x: here.left, y }, false);
    const there = pos >= cell.textFrom && pos <= cell.textTo ? view.coordsAtPos(pos, assoc) : null;
    if (there !== null && Math.abs(there.top - here.top) > half) return moveTo(view, pos);
    const beside = rowBeside(view.state.doc, table, row.line.from, direction);
    if (beside === null) return leave(view, table.from, table.to, direction);
    return moveTo(view, nearest(view, beside, cell.column, here.left, direction));
  });

/** Returns the offset in a row's column that is closest to a horizontal position. */
function nearest(view: EditorView, { cells }: DrawnRow, column: number, x: number, direction: 1 | -1): number {
  const cell = cells[Math.min(column, cells.length - 1)];
  if (cell === undefined) return view.state.selection.main.head;
  const edge = direction === 1 ? cell.textFrom : cell.textTo;
  const coords = view.coordsAtPos(edge, direction);
  if (coords === null) return edge;
  const at = view.posAtCoords({ x, y: (coords.top + coords.bottom) / 2 }, false);
  return Math.max(cell.textFrom, Math.min(at, cell.textTo));
}

const toEdge = (edge: 'textFrom' | 'textTo') => inCell((view, { cell }) => moveTo(view, cell[edge]));
const extendToEdge = (edge: 'textFrom' | 'textTo') =>
  inCell((view, { cell }) => moveTo(view, view.state.selection.main.anchor, cell[edge]));

/** Switches a table between grid and source. */
export const toggleSource: Command = (view) => {
  const { head } = view.state.selection.main;
  const isShown = typeof view.state.field(drawnTables, false)?.source === 'number';
  if (drawnTableAt(view.state, head) === null && !isShown) return false;
  view.dispatch({ effects: showSource.of(isShown ? null : head), scrollIntoView: true });
  return true;
};

/** The keys in the cells of drawn tables. */
export const cellKeys: readonly KeyBinding[] = [
  { key: 'Tab', run: tabTo(1), shift: tabTo(-1) },
  { key: 'Enter', run: toCellBelow, shift: breakLine },
  { key: 'ArrowLeft', run: moveByLetter(false) },
  { key: 'ArrowRight', run: moveByLetter(true) },
  { key: 'ArrowUp', run: moveByRow(-1) },
  { key: 'ArrowDown', run: moveByRow(1) },
  { key: 'Home', run: toEdge('textFrom'), shift: extendToEdge('textFrom') },
  { key: 'End', run: toEdge('textTo'), shift: extendToEdge('textTo') },
  { key: 'Escape', run: toggleSource },
];
