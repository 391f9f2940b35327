import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ensureSyntaxTree } from '@codemirror/language';
import { type ChangeSet, EditorState, type StateCommand, type Transaction } from '@codemirror/state';
import fc from 'fast-check';
import { applyUpdate, Doc, encodeStateAsUpdate } from 'yjs';
import { noteLanguage } from '../syntax/markdown-language.ts';
import { editTable, moveCell, nextRow, type TableEdit, tableAtCursor } from './commands.ts';
import { type Alignment, parseTable, type Table } from './model.ts';

const TEXT = 'content';

/** Runs a command with the cursor at an offset, and returns its transactions. */
function run(doc: string, at: number, command: StateCommand): readonly Transaction[] {
  const made: Transaction[] = [];
  command({ state: stateAt(doc, at), dispatch: (transaction) => void made.push(transaction) });
  return made;
}

function stateAt(doc: string, at: number): EditorState {
  const state = EditorState.create({
    doc,
    selection: { anchor: at },
    extensions: [EditorState.lineSeparator.of('\n'), noteLanguage(null)],
  });
  ensureSyntaxTree(state, doc.length, 5_000);
  return state;
}

const after = (doc: string, at: number, command: StateCommand) => run(doc, at, command).at(-1)?.state.sliceDoc() ?? doc;

test('a table is aligned as it is edited, also with wide characters and line ends of Windows', () => {
  assert.equal(after('a|語\n-:|-\nlong|é', 1, moveCell(1)), '|    a | 語  |\n| ---: | --- |\n| long | é   |');
  assert.equal(
    after('a|b\r\n-|-\r\n1|2\r\n', 11, nextRow),
    '| a   | b   |\r\n| --- | --- |\r\n| 1   | 2   |\r\n|     |     |\r\n',
  );
});

test('cells that a row has too many stay as they are', () => {
  assert.equal(
    after('| a |\n|---|\n| b | c | d |', 2, editTable('add-row')),
    '| a   |\n| --- |\n|     |\n| b   | c | d |',
  );
});

test('the only row is removed without its neighbours, and then the table has none', () => {
  assert.equal(after('| a |\n|---|\n| b |\n\ntext', 14, editTable('delete-row')), '| a   |\n| --- |\n\ntext');
  assert.equal(after('| a |\n|---|\n| b |\n# text', 14, editTable('delete-row')), '| a   |\n| --- |\n\n# text');
});

const cell = fc
  .array(fc.constantFrom('a', 'bc', 'def', '\\|', '[[x|y]]', '**z**', '`k`', '語', '\\\\', '<br>', ':', '-', '#'), {
    maxLength: 3,
  })
  .map((parts) => parts.join(' '));
const alignments = fc.constantFrom<Alignment>('left', 'center', 'right', null);

/** Random tables with their source, padded in many ways, with and without outer pipes. */
const tables = fc.integer({ min: 1, max: 4 }).chain((width) =>
  fc
    .record({
      header: fc.array(cell, { minLength: width, maxLength: width }),
      alignments: fc.array(alignments, { minLength: width, maxLength: width }),
      rows: fc.array(fc.array(cell, { minLength: width, maxLength: width }), { maxLength: 4 }),
      pads: fc.array(fc.nat(3), { minLength: 7, maxLength: 7 }),
      isClosed: fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }),
    })
    .map(({ header, alignments, rows, pads, isClosed }) => {
      let pad = 0;
      const blank = () => ' '.repeat(pads[pad++ % pads.length] ?? 0);
      const rule = alignments.map(
        (one) => `${one === 'left' || one === 'center' ? ':' : ''}-${one === 'right' || one === 'center' ? ':' : ''}`,
      );
      const lines = [header, rule, ...rows].map((cells, index) => {
        const inner = cells.map((text) => blank() + text + blank()).join('|');
        // An empty last cell needs the closing pipe; without the opening pipe, some cells would begin another block.
        const needsPipe = width === 1 || /^(?:[-<#]|$)/.test(cells[0] ?? '') || cells.at(-1) === '';
        return isClosed[index] || needsPipe ? `|${inner}|` : inner.trimStart();
      });
      return { source: lines.join('\n'), table: { header, alignments, rows } };
    })
    .filter(({ source, table }) => isSame(parseTable(source), table)),
);

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

const NAMES: readonly TableEdit[] = [
  ...(['add-row', 'add-column', 'delete-row', 'delete-column', 'row-up', 'row-down'] as const),
  ...(['column-left', 'column-right', 'align-left', 'align-center', 'align-right'] as const),
];

/** Returns a table's cells as they are expected after an edit. */
function expected({ header, alignments: all, rows }: Table, name: TableEdit, row: number, column: number): Table {
  const grid = (edit: <Cell>(cells: readonly Cell[], empty: Cell) => readonly Cell[]): Table => ({
    header: edit(header, ''),
    alignments: edit(all, null),
    rows: rows.map((cells) => edit(cells, '')),
  });
  const swap = <Cell>(cells: readonly Cell[], from: number, to: number) => {
    const [one, other] = [cells[from], cells[to]];
    return one === undefined || other === undefined ? cells : cells.with(from, other).with(to, one);
  };
  const align = (to: Alignment) => ({ header, rows, alignments: all.with(column, all[column] === to ? null : to) });
  switch (name) {
    case 'add-row':
      return {
        header,
        alignments: all,
        rows: rows.toSpliced(
          row + 1,
          0,
          header.map(() => ''),
        ),
      };
    case 'delete-row':
      return { header, alignments: all, rows: row < 0 ? rows : rows.toSpliced(row, 1) };
    case 'row-up':
      return { header, alignments: all, rows: row < 0 ? rows : swap(rows, row, row - 1) };
    case 'row-down':
      return { header, alignments: all, rows: row < 0 ? rows : swap(rows, row, row + 1) };
    case 'add-column':
      return grid((cells, empty) => cells.toSpliced(column + 1, 0, empty));
    case 'delete-column':
      return header.length < 2 ? grid((cells) => cells) : grid((cells) => cells.toSpliced(column, 1));
    case 'column-left':
      return grid((cells) => swap(cells, column, column - 1));
    case 'column-right':
      return grid((cells) => swap(cells, column, column + 1));
    default:
      return align(name === 'align-left' ? 'left' : name === 'align-right' ? 'right' : 'center');
  }
}

interface Case {
  /** The note, and the position of its table. */
  readonly note: string;
  readonly start: number;
  readonly table: Table;
  readonly name: TableEdit;
  readonly at: number;
  readonly row: number;
  readonly column: number;
}

const cases = fc
  .record({
    made: tables,
    name: fc.constantFrom(...NAMES),
    line: fc.nat(5),
    place: fc.nat(200),
    end: fc.constantFrom('', '\n\nend'),
  })
  .map(({ made: { source, table }, name, line, place, end }): Case => {
    const start = 'before\n\n'.length;
    const note = `before\n\n${source}${end}`;
    const lines = source.split('\n');
    const number = line % lines.length;
    const from = start + lines.slice(0, number).reduce((sum, one) => sum + one.length + 1, 0);
    const at = Math.max(start + 1, from + (place % ((lines[number]?.length ?? 0) + 1)));
    const position = tableAtCursor(stateAt(note, at))?.cell ?? { row: -1, column: 0 };
    return { note, start, table, name, at, ...position };
  })
  // The editor's parser splits wikilinks in headers where the server's does not.
  .filter(({ note, at }) => tableAtCursor(stateAt(note, at)) !== null);

/** Reads the table at an offset of a note; null if there is none. */
function tableIn(note: string, start: number): Table | null {
  return parseTable(note.slice(start).split('\n\n')[0]?.replace(/\n$/, '') ?? '');
}

test('a command edits the cells of a table as it says, and nothing before or after it', () => {
  fc.assert(
    fc.property(cases, ({ note, start, table, name, at, row, column }) => {
      const edited = after(note, at, editTable(name));
      assert.ok(edited.startsWith('before\n\n'));
      assert.equal(edited.endsWith('\n\nend'), note.endsWith('\n\nend'));
      assert.deepEqual(tableIn(edited, start), expected(table, name, row, column));
    }),
    { numRuns: 200 },
  );
});

test('a command of a table removes only blanks, dashes, and what it deletes or moves', () => {
  const letters = (text: string) => text.replace(/[\s|:-]/g, '').length;
  fc.assert(
    fc.property(cases, ({ note, table: { header, rows }, name, at, row, column }) => {
      let removed = '';
      changesOf(run(note, at, editTable(name))).iterChanges((from, to) => {
        removed += note.slice(from, to);
      });
      const columnOf = (index: number) => [header, ...rows].map((cells) => cells[index] ?? '');
      const longer = (one: readonly string[], other: readonly string[]) =>
        one.reduce((total, text, index) => total + Math.max(letters(text), letters(other[index] ?? '')), 0);
      const rowOf = (index: number) => [(rows[index] ?? []).join(' ')];
      const most: Partial<Record<TableEdit, number>> = {
        'delete-row': letters(rowOf(row).join('')),
        'delete-column': letters(columnOf(column).join('')),
        'row-up': longer(rowOf(row), rowOf(row - 1)),
        'row-down': longer(rowOf(row), rowOf(row + 1)),
        'column-left': longer(columnOf(column), columnOf(column - 1)),
        'column-right': longer(columnOf(column), columnOf(column + 1)),
      };
      assert.ok(letters(removed) <= (most[name] ?? 0), removed);
    }),
    { numRuns: 200 },
  );
});

/** Composes the changes of one or more transactions. */
function changesOf([first, ...rest]: readonly Transaction[]): ChangeSet {
  assert.ok(first !== undefined);
  return rest.reduce((sum, { changes }) => sum.compose(changes), first.changes);
}

/** Returns the text after one person ran a command while another typed a letter. */
function merged(note: string, command: readonly Transaction[], typedAt: number): readonly [string, string] {
  const [mine, theirs] = [new Doc(), new Doc()];
  mine.getText(TEXT).insert(0, note);
  applyUpdate(theirs, encodeStateAsUpdate(mine));
  theirs.getText(TEXT).insert(typedAt, LETTER);
  const text = mine.getText(TEXT);
  for (const { changes } of command) {
    let moved = 0;
    changes.iterChanges((from, to, _from, _to, insert) => {
      text.delete(from + moved, to - from);
      text.insert(from + moved, insert.toString());
      moved += insert.length - (to - from);
    });
  }
  applyUpdate(mine, encodeStateAsUpdate(theirs));
  applyUpdate(theirs, encodeStateAsUpdate(mine));
  return [text.toString(), theirs.getText(TEXT).toString()];
}

const LETTER = '☃';

test('a letter typed into a table during a command is kept once, in a cell, beside its neighbours', () => {
  fc.assert(
    fc.property(cases, fc.nat(500), ({ note, start, table, name, at, row, column }, place) => {
      const command = run(note, at, editTable(name));
      // The typed letter is between two letters of a cell.
      const end = note.endsWith('\n\nend') ? note.length - 5 : note.length;
      const places = [...note].flatMap((_char, index) =>
        index > start && index < end && isInText(note, index) && !isRule(note, index, start) ? [index] : [],
      );
      fc.pre(places.length > 0);
      const typedAt = places[place % places.length] ?? 0;
      const [mine, theirs] = merged(note, command, typedAt);
      assert.equal(mine, theirs);
      assert.equal(mine.split(LETTER).length, 2);
      const wanted = expected(table, name, row, column);
      const got = tableIn(mine, start);
      assert.equal(got?.header.length, wanted.header.length, mine);
      const cells = [got.header, ...got.rows].flat();
      assert.equal(cells.filter((text) => text.includes(LETTER)).length, 1, mine);
      // The letter is still between its neighbours, unless the command removed or rewrote them.
      const around = note.slice(typedAt - 1, typedAt) + LETTER + note.slice(typedAt, typedAt + 1);
      let isPreserved = true;
      changesOf(command).iterChangedRanges((from, to) => {
        isPreserved &&= from > typedAt || to < typedAt;
      });
      if (isPreserved) assert.ok(mine.includes(around), mine);
      if (name.startsWith('align') || name.startsWith('add')) assert.ok(isPreserved);
    }),
    { numRuns: 250 },
  );
});

function isInText(note: string, index: number): boolean {
  return /[a-z#語]/.test(note.charAt(index - 1)) && /[a-z#語]/.test(note.charAt(index));
}

function isRule(note: string, index: number, start: number): boolean {
  return note.slice(start, index).split('\n').length === 2;
}
