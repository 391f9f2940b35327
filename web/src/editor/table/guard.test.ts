import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ensureSyntaxTree } from '@codemirror/language';
import { EditorState, type TransactionSpec } from '@codemirror/state';
import fc from 'fast-check';
import { Doc, encodeStateAsUpdate } from 'yjs';
import { editorMode } from '../core/modes.ts';
import { noteLanguage } from '../syntax/markdown-language.ts';
import { Writer } from '../test/writer.ts';
import { rowsOf } from './cells.ts';
import { drawnTables, showSource } from './drawn-tables.ts';
import { editedTables } from './edited-tables.ts';
import { parseTable } from './model.ts';

function stateOf(doc: string, anchor = 0, head = anchor): EditorState {
  const state = EditorState.create({
    doc,
    extensions: [EditorState.lineSeparator.of('\n'), noteLanguage(null), editorMode.of('preview'), editedTables],
  });
  ensureSyntaxTree(state, doc.length, 5_000);
  // A second transaction is needed, because the tree was missing when the tables were first read.
  return state.update({ selection: { anchor, head } }).state;
}

const NOTE = 'before\n\n| a | bc |\n| --- | --: |\n| d | e |\n|f||\n\nafter';

/** Returns the note after a text replaced `⟨…⟩`, with the cursor as `^`. */
function edited(note: string, insert: string, userEvent = insert === '' ? 'delete.backward' : 'input.type'): string {
  const from = note.indexOf('⟨');
  const to = note.indexOf('⟩') - 1;
  const state = stateOf(note.replace(/[⟨⟩]/g, ''), to);
  const { doc, selection } = state.update({
    changes: { from, to, insert },
    selection: { anchor: from + insert.length },
    userEvent,
  }).state;
  return `${doc.sliceString(0, selection.main.head)}^${doc.sliceString(selection.main.head)}`;
}

const table = (cells: string) => `x\n\n| a | b |\n|---|---|\n${cells}\n\ny`;
const inTable = (cells: string, insert: string, userEvent?: string) =>
  edited(table(cells), insert, userEvent).replace('x\n\n| a | b |\n|---|---|\n', '').replace('\n\ny', '');

test('a pipe that is typed into a cell is escaped, and one that is escaped already is not', () => {
  assert.equal(inTable('| c⟨⟩ | d |', '|'), '| c\\|^ | d |');
  assert.equal(inTable('| c\\⟨⟩ | d |', '|'), '| c\\|^ | d |');
  assert.equal(inTable('| `c⟨⟩` | d |', '|'), '| `c\\|^` | d |');
});

test('what is written into a cell stays in it, whatever it is', () => {
  assert.equal(inTable('| c⟨⟩ | d |', '1\n2\n', 'input.paste'), '| c1<br>2^ | d |');
  assert.equal(inTable('|c⟨⟩|d|', '\\'), '|c\\^ |d|');
  assert.equal(inTable('| c\\⟨|⟩e | d |', ''), '| c^e | d |');
  assert.equal(inTable('| c⟨\\⟩|e | d |', ''), '| c^e | d |');
  assert.equal(inTable('|⟨ ⟩| d |', ''), '| ^| d |');
  assert.equal(inTable('|⟨⟩|d|', 'c'), '|c^|d|');
});

test('deleting between cells deletes their text and leaves the table', () => {
  assert.equal(inTable('| c⟨ | ⟩d |', ''), '| c | ^d |');
  assert.equal(inTable('| a⟨b | c⟩d |', ''), '| a^ | d |');
  assert.equal(inTable('| a⟨b | c⟩d |', 'X'), '| aX^ | d |');
  assert.equal(inTable('| a⟨b | c |\n| d | e⟩f |', ''), '| a^ |  |\n|  | f |');
});

test('deleting over the edge of a table leaves it, and a table that is selected as a whole goes', () => {
  const rest = '| a | b |\n|---|---|\n';
  assert.equal(edited(`te⟨xt\n\n${rest}| c⟩d | e |`, ''), 'te^\n|  |  |\n|---|---|\n| d | e |');
  assert.equal(edited(`text\n⟨${rest}| c | d |⟩\n\ny`, ''), 'text\n^\n\ny');
  assert.equal(edited(`text⟨\n⟩${rest}`, ''), `text\n^${rest}`);
  assert.equal(edited(`${rest}| c | d⟨e |\n\nte⟩xt`, ''), `${rest}| c | d^ |\n\nxt`);
});

test('Backspace after a table moves into its last cell, and keeps the blank line that ends it', () => {
  assert.equal(edited('| a | b |\n|---|---|\n| c | d |⟨\n⟩\ny', ''), '| a | b |\n|---|---|\n| c | d^ |\n\ny');
  assert.equal(edited('| a | b |\n|---|---|\n| c | d |\n⟨\n⟩y', ''), '| a | b |\n|---|---|\n| c | d^ |\n\ny');
});

test('a text that is typed in the blank line after a table is no row of it', () => {
  assert.equal(edited('| a |\n|---|\n| b |\n⟨⟩', 'x'), '| a |\n|---|\n| b |\n\nx^');
});

test('a table can be written by hand: pipes that end a cell are pipes', () => {
  assert.equal(inTable('| c ⟨⟩', '|'), '| c |^');
  assert.equal(inTable('| c | d ⟨⟩', '|'), '| c | d |^');
  assert.equal(edited('| a |\n|---|\n| b |\n⟨⟩', '|'), '| a |\n|---|\n| b |\n|^');
});

test('the cursor stands at texts of cells only, and the delimiter row is seen by whoever writes it', () => {
  const state = stateOf(NOTE);
  const at = (offset: number) => state.update({ selection: { anchor: offset }, userEvent: 'select' }).state;
  const header = NOTE.indexOf('| a');
  assert.equal(at(header).selection.main.head, header + 2);
  assert.equal(at(NOTE.indexOf('\n\nafter')).selection.main.head, NOTE.indexOf('|\n\nafter'));
  assert.equal(state.field(drawnTables).drawn.length, 1);
  const typed = state.update({ selection: { anchor: NOTE.indexOf('---') } }).state;
  assert.equal(typed.field(drawnTables).drawn.length, 0);
});

test('the source of a table is shown until the cursor leaves it', () => {
  const inside = stateOf(NOTE, NOTE.indexOf('bc'));
  const shown = inside.update({ effects: showSource.of(inside.selection.main.head) }).state;
  assert.equal(shown.field(drawnTables).drawn.length, 0);
  const other = shown.update({ changes: { from: 0, insert: 'somebody else\n' } }).state;
  assert.equal(other.field(drawnTables).drawn.length, 0);
  const left = other.update({ selection: { anchor: 0 } }).state;
  assert.equal(left.field(drawnTables).drawn.length, 1);
  assert.equal(
    left.update({ selection: { anchor: NOTE.indexOf('bc') + 14 } }).state.field(drawnTables).drawn.length,
    1,
  );
});

test('tables in quotes and lists, and texts that are none, are not drawn', () => {
  for (const note of [
    '> | a |\n> |---|\n> | b |',
    '- x\n\n  | a |\n  |---|',
    '```\n| a |\n|---|\n```',
    '| a |\n| b |',
  ]) {
    assert.equal(stateOf(note).field(drawnTables).drawn.length, 0, note);
  }
});

/** Random manual edits: a text replaces a range of the table. */
const handsWith = (marks: readonly string[]) =>
  fc.record({
    from: fc.nat(300),
    length: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat(3), fc.nat(40)),
    insert: fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(...marks, ' ', '\n', marks.join('\n'), '`', '') },
      fc.constant('☃'),
    ),
  });

/** Builds the transaction of a manual edit, with a different letter for each snowman. */
function handSpec(
  { doc }: EditorState,
  { from, length, insert }: Readonly<{ from: number; length: number; insert: string }>,
  letter: () => string,
): TransactionSpec {
  const start = from % (doc.length + 1);
  const to = Math.min(doc.length, start + length);
  const text = insert.replaceAll('☃', letter);
  return { changes: { from: start, to, insert: text }, userEvent: text === '' ? 'delete.selection' : 'input.type' };
}

/** Creates two writers of a note that have not exchanged anything. */
function writersOf(note: string, isAliceFirst: boolean): readonly [Writer, Writer] {
  const doc = new Doc();
  doc.clientID = 1;
  doc.getText('content').insert(0, note);
  const update = encodeStateAsUpdate(doc);
  return [new Writer(isAliceFirst ? 2 : 3, update), new Writer(isAliceFirst ? 3 : 2, update)];
}

function meet(alice: Writer, bob: Writer): void {
  // The repairs that both make after merging are exchanged too.
  for (const [one, other] of [
    [bob, alice],
    [alice, bob],
    [bob, alice],
  ] as const)
    one.take(other);
}

test('a backslash and a pipe that are typed at one place at once stay in their cell', () => {
  for (const isAliceFirst of [true, false]) {
    const [alice, bob] = writersOf(table('| c | d |'), isAliceFirst);
    const at = alice.text.indexOf('c') + 1;
    for (const [writer, insert] of [
      [alice, '\\'],
      [bob, '|'],
    ] as const) {
      writer.select(at);
      writer.dispatch({ ...writer.state.replaceSelection(insert), userEvent: 'input.type' });
    }
    assert.ok(bob.text.includes('| c\\| | d |'));
    meet(alice, bob);
    assert.equal(alice.text, bob.text);
    assert.ok(alice.text.includes(isAliceFirst ? '| c\\| | d |' : '| c\\|\\ | d |'), alice.text);
  }
});

test('a table edited by two people at once stays that table, and nothing is lost or doubled', () => {
  // No pipes and backslashes: the backslash that escapes a pipe may be an older one, which the other writer may delete.
  const cases = fc.record({
    isAliceFirst: fc.boolean(),
    both: fc.constantFrom(['|'], ['\\'], ['[[', ']]']).chain((marks) =>
      fc.record({
        first: fc.constant(
          `| a | b | c |\n| --- | :-: | --: |\n| d e f | \`g\` | |\n|h|i${marks[0] === '|' ? '\\|' : '\\'}j|k|\n| l | m | n |`,
        ),
        edits: fc.array(fc.tuple(fc.boolean(), handsWith(marks), fc.boolean()), { minLength: 1, maxLength: 12 }),
      }),
    ),
  });
  fc.assert(
    fc.property(cases, ({ isAliceFirst, both: { first, edits } }) => {
      const [alice, bob] = writersOf(first, isAliceFirst);
      let count = 0;
      const written: string[] = [];
      const removed = new Set<string>();
      const letter = () => {
        const one = String.fromCodePoint(0x3b1 + count++);
        written.push(one);
        return one;
      };
      for (const [isAlice, hand, isSynced] of edits) {
        const writer = isAlice ? alice : bob;
        const before = writer.text;
        // Deleting the whole table is excluded, because it is not an edit of cells.
        if (hand.from % (before.length + 1) === 0 && hand.length >= before.length) continue;
        writer.select(0);
        writer.dispatch(handSpec(writer.state, hand, letter));
        for (const one of before) if (!writer.text.includes(one)) removed.add(one);
        assert.deepEqual(shapeOf(writer.text), shapeOf(first), JSON.stringify({ before, hand, after: writer.text }));
        if (isSynced) meet(alice, bob);
      }
      const apart = [alice.text, bob.text];
      meet(alice, bob);
      assert.equal(alice.text, bob.text);
      assert.deepEqual(shapeOf(alice.text), shapeOf(first), JSON.stringify({ apart, text: alice.text }));
      for (const one of written) {
        const times = alice.text.split(one).length - 1;
        assert.equal(times, removed.has(one) ? times : 1, `${one} in ${alice.text}`);
        assert.ok(times <= 1);
      }
    }),
    { numRuns: Number(process.env.TEST_RUNS ?? 80) },
  );
});

/** Returns the alignments and the number of rows and columns of a table. */
function shapeOf(text: string): unknown {
  const parsed = parseTable(text);
  const [drawn] = stateOf(text).field(drawnTables).drawn;
  const cells = drawn === undefined ? [] : rowsOf(stateOf(text).doc, drawn).map((row) => row.cells.length);
  return { columns: parsed?.header.length, alignments: parsed?.alignments, rows: parsed?.rows.length, cells };
}
