import { EditorState, type Text, Transaction, type TransactionSpec } from '@codemirror/state';
import { minimalChange } from '../core/source-change.ts';
import type { Range } from '../preview/reveal.ts';
import { asOneCell, endsEscaping, toCellText } from './cell-text.ts';
import { type CellAt, cellAt, cellOf, type DrawnCell, type DrawnRow, rowAt, rowBeside } from './cells.ts';
import { type DrawnTable, drawnTableAt, drawnTables } from './drawn-tables.ts';

/**
 * Confines manual edits in drawn tables to their cells, because the pipes and line ends between cells are hidden.
 * Deleting a whole table is allowed. Others' edits are never changed.
 */
export const tableGuard = [
  EditorState.transactionFilter.of((transaction) => guard(transaction) ?? transaction),
  EditorState.transactionFilter.of((transaction) => {
    const at = transaction.isUserEvent('select') && !transaction.docChanged ? snapped(transaction) : null;
    return at === null ? transaction : [transaction, { selection: { anchor: at }, sequential: true }];
  }),
];

/** A change of the text. */
interface Change extends Range {
  readonly insert: string;
}

/** Matches user events of manual edits. Commands are exempt, because they keep tables intact. */
const BY_HAND = /^(?:input|(?:delete|input\.(?:type|paste|drop|complete))(?:\..*)?)$/;

function guard(transaction: Transaction): TransactionSpec | null {
  const { startState: state, changes, effects, scrollIntoView } = transaction;
  const tables = state.field(drawnTables, false)?.drawn ?? [];
  const userEvent = transaction.annotation(Transaction.userEvent) ?? '';
  if (!transaction.docChanged || tables.length === 0 || !BY_HAND.test(userEvent)) return null;
  const asked: Change[] = [];
  changes.iterChanges((from, to, _from, _to, insert) => void asked.push({ from, to, insert: insert.toString() }));
  if (asked.some((change) => completesRow(state, change))) return null;
  const kept = asked
    .map((change) => unsplit(state, change))
    .flatMap((change) =>
      tables.reduce<Change[]>((all, table) => all.flatMap((one) => keepIn(state.doc, table, one)), [change]),
    );
  const isComposing = transaction.isUserEvent('input.type.compose');
  const given = keepCells(state, isComposing ? kept : kept.map((change) => apart(state.doc, tables, change)));
  if (JSON.stringify(given) === JSON.stringify(asked)) return null;
  return {
    changes: given,
    selection: { anchor: cursorAfter(state, asked, given) },
    effects,
    scrollIntoView,
    annotations: Transaction.userEvent.of(userEvent),
  };
}

/**
 * Extends a change over half of an escaped pipe to all of it. The other half would be an unescaped pipe, or would
 * escape the next character.
 */
function unsplit(state: EditorState, { from, to, insert }: Change): Change {
  const isWithin = (at: number) => splitsEscape(state.doc, at) && drawnTableAt(state, at) !== null;
  if (from === to) return isWithin(from) ? { from: from - 1, to: from - 1, insert } : { from, to, insert };
  return { from: isWithin(from) ? from - 1 : from, to: isWithin(to) ? to + 1 : to, insert };
}

function splitsEscape(doc: Text, at: number): boolean {
  const line = doc.lineAt(at);
  return line.text.charAt(at - line.from) === '|' && endsEscaping(line.text.slice(0, at - line.from));
}

/**
 * Returns whether a change types a pipe that ends a cell in a row with missing cells, as when writing a table by hand.
 */
function completesRow(state: EditorState, { from, to, insert }: Change): boolean {
  const at = insert === '|' && from === to ? cellAt(state, from) : null;
  if (at === null) return false;
  const isLast = at.cell.column === at.row.cells.length - 1 && from >= at.cell.textTo && from <= at.cell.to;
  return isLast && state.sliceDoc(at.cell.to, at.cell.to + 1) !== '|';
}

/** Splits a change so that it does not affect the pipes and line ends of a table. */
function keepIn(doc: Text, table: DrawnTable, change: Change): Change[] {
  const { from, to, insert } = change;
  const zone = zoneOf(doc, table);
  const isBeside = from === to ? from < table.from || from > table.to : to <= zone.from || from >= zone.to;
  if (isBeside || (from <= table.from && to >= table.to)) return [change];
  const inside = from < table.from || from > table.to ? null : cellAround(doc, table, from, to);
  if (inside !== null) return writeIn(doc, inside, change);
  const kept: Change[] = cutCells(doc, table, from, to);
  if (from < zone.from) kept.unshift({ from, to: zone.from, insert });
  if (to > zone.to) kept.push({ from: zone.to, to, insert: '' });
  if (insert === '' || from < zone.from) return kept;
  if (from > table.to) return [...kept, { from, to: from, insert }];
  return insertIn(doc, table, from, insert, kept);
}

/** Returns the range of a table with the line ends that separate it from the text around it. */
function zoneOf(doc: Text, { from, to }: DrawnTable): Range {
  const start = Math.max(0, from - 1);
  const last = doc.lineAt(to).number;
  if (last === doc.lines) return { from: start, to };
  const isBeforeText = last + 2 <= doc.lines && isBlank(doc, last + 1) && !isBlank(doc, last + 2);
  return { from: start, to: isBeforeText ? doc.line(last + 2).from : to + 1 };
}

function isBlank(doc: Text, number: number): boolean {
  return doc.line(number).text.trim() === '';
}

function cellAround(doc: Text, table: DrawnTable, from: number, to: number): DrawnCell | null {
  const cells = rowAt(doc, table, from)?.cells ?? [];
  return cells.find((cell) => cell.from <= from && to <= cell.to) ?? null;
}

/**
 * Returns a change within a cell. The last blank stays, to separate the pipe from a backslash that somebody else may
 * type.
 */
function writeIn(doc: Text, cell: DrawnCell, { from, to, insert }: Change): Change[] {
  const text = toCellText(insert, doc.sliceString(cell.from, from));
  const isToEnd = from < to && to === cell.to && /[ \t]$/.test(cell.source);
  const change = { from, to: isToEnd ? to - 1 : to, insert: text };
  return change.from === change.to && text === '' ? [] : [change];
}

/** Deletes the texts of cells between two offsets. */
function cutCells(doc: Text, table: DrawnTable, from: number, to: number): Change[] {
  const cuts: Change[] = [];
  const start = Math.max(from, table.from);
  for (let row = rowFrom(doc, table, start); row !== null && row.line.from < to; ) {
    for (const { textFrom, textTo } of row.cells) {
      const cut = { from: Math.max(from, textFrom), to: Math.min(to, textTo), insert: '' };
      if (cut.from < cut.to) cuts.push(cut);
    }
    row = rowBeside(doc, table, row.line.from, 1);
  }
  return cuts;
}

/** Returns the row at an offset, or the next one. */
function rowFrom(doc: Text, table: DrawnTable, at: number): DrawnRow | null {
  if (at > table.to) return null;
  return rowAt(doc, table, at) ?? rowBeside(doc, table, at, 1);
}

/** Inserts a text into the cell nearest to an offset, replacing the text deleted there. */
function insertIn(doc: Text, table: DrawnTable, from: number, insert: string, kept: readonly Change[]): Change[] {
  const row = rowFrom(doc, table, from);
  const cell = row === null ? null : cellOf(row, from);
  if (cell === null) return [...kept];
  const at = clamp(from, cell);
  const text = toCellText(insert, doc.sliceString(cell.from, at));
  const replaced = kept.find((change) => change.from === at);
  if (replaced === undefined) return [{ from: at, to: at, insert: text }, ...kept];
  return kept.map((change) => (change === replaced ? { ...change, insert: text } : change));
}

/** Returns the offset within a cell's text that is nearest to a given one. */
function clamp(at: number, { textFrom, textTo }: DrawnCell): number {
  return Math.max(textFrom, Math.min(at, textTo));
}

/** Moves text typed in the blank line after a table down by a line, or it would become another row. */
function apart(doc: Text, tables: readonly DrawnTable[], change: Change): Change {
  const { from, to, insert } = change;
  if (from !== to || !/^[^\s|]/.test(insert)) return change;
  const line = doc.lineAt(from);
  const isAfterTable = line.text.trim() === '' && tables.some((table) => table.to + 1 === line.from);
  return isAfterTable ? { from, to, insert: `\n${insert}` } : change;
}

/** Returns the changes, extended so that each changed cell stays a single cell. */
function keepCells(state: EditorState, changes: readonly Change[]): Change[] {
  const cells = new Map<number, { readonly at: CellAt; readonly inside: Change[] }>();
  const others: Change[] = [];
  for (const change of changes) {
    const at = cellAt(state, change.from);
    const isInside = at !== null && change.from >= at.cell.from && change.to <= at.cell.to;
    const known = isInside ? cells.get(at.cell.from) : undefined;
    if (!isInside) others.push(change);
    else if (known === undefined) cells.set(at.cell.from, { at, inside: [change] });
    else known.inside.push(change);
  }
  const kept = [...cells.values()].flatMap(({ at, inside }) => keepCell(at, inside));
  return [...others, ...kept].sort((one, other) => one.from - other.from);
}

function keepCell({ cell, row }: CellAt, inside: readonly Change[]): readonly Change[] {
  let text = '';
  let at = cell.from;
  for (const { from, to, insert } of inside) {
    text += cell.source.slice(at - cell.from, from - cell.from) + insert;
    at = to;
  }
  text += cell.source.slice(at - cell.from);
  const { from, to, text: line } = row.line;
  const before = line.slice(0, cell.from - from);
  const one = asOneCell(text, before, line.slice(cell.to - from, to - from));
  // A separate change: combined, the text between the two edits would be rewritten.
  const isPadded = /[^ \t]$/.test(text) && one.endsWith(' ');
  const pad = isPadded ? [{ from: cell.to, to: cell.to, insert: ' ' }] : [];
  const rest = isPadded ? one.slice(0, -1) : one;
  if (rest === text) return [...inside, ...pad];
  if (rest === cell.source) return pad;
  const change = minimalChange(cell.from, cell.source, rest);
  return [{ from: change.from, to: change.to ?? change.from, insert: change.insert ?? '' }, ...pad];
}

/** Returns the cursor after a change: after the inserted text, else where text was deleted. */
function cursorAfter(state: EditorState, asked: readonly Change[], given: readonly Change[]): number {
  let moved = 0;
  let written: number | null = null;
  for (const { from, to, insert } of given) {
    if (insert !== '') written = from + moved + insert.trimEnd().length;
    moved += insert.length - (to - from);
  }
  if (written !== null) return written;
  const [cut] = given;
  if (cut !== undefined) return cut.from;
  const { from: start, head } = state.selection.main;
  const [{ from, to } = { from: head, to: head }] = asked;
  const here = cellAt(state, head);
  if (here !== null) return from >= here.cell.textFrom && to <= here.cell.textTo ? from : Math.min(start, head);
  // Backspace after a table moves into it.
  const before = to === head ? (cellAt(state, from) ?? cellAt(state, from - 1)) : null;
  return before === null ? head : before.cell.textTo;
}

/** Returns where to move a cursor that would end up between cells; null if it can stay. */
function snapped({ startState: state, newSelection: { main, ranges } }: Transaction): number | null {
  const at = main.empty && ranges.length === 1 ? cellAt(state, main.head) : null;
  if (at === null) return null;
  const inside = clamp(main.head, at.cell);
  const to = splitsEscape(state.doc, inside) ? inside - 1 : inside;
  return to === main.head ? null : to;
}
