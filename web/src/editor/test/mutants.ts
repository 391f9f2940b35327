/** A mutation of the editor that removes a guard of concurrent edits. */
export interface Mutant {
  readonly name: string;
  /** Path below web/src/editor. */
  readonly file: string;
  readonly guard: string;
  readonly without: string;
  /** Test file that must fail. */
  readonly test: string;
}

const COMMANDS = 'commands/two-writers.test.ts';
const CELLS = 'table/guard.test.ts';
const TABLES = 'table/commands.test.ts';

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'marks are taken away without being there',
    file: 'commands/inline-marks.ts',
    guard: 'return fits(before) && fits(after);',
    without: 'return fits(before);',
    test: COMMANDS,
  },
  {
    name: 'a mark replaces the word',
    file: 'commands/inline-marks.ts',
    guard:
      '    { from, insert: mark },\n    { from: to, insert: mark },\n  ];\n  return { changes, range: EditorSelection.range(range.anchor + mark',
    without:
      "    { from, to, insert: mark + '' },\n    { from: to, insert: mark },\n  ];\n  return { changes, range: EditorSelection.range(range.anchor + mark",
    test: COMMANDS,
  },
  {
    name: 'a task takes the line for its mark',
    file: 'commands/tasks.ts',
    guard: 'return { from, to: from + 1, insert:',
    without: 'return { from, to: from + 5, insert:',
    test: COMMANDS,
  },
  {
    name: 'a quote takes away more than its mark',
    file: 'commands/line-marks.ts',
    guard: 'if (isQuote) return { from, to: from + mark.length };',
    without: 'if (isQuote) return { from, to: Math.min(state.doc.length, from + mark.length + 1) };',
    test: COMMANDS,
  },
  {
    name: 'a row moves without what it says',
    file: 'table/edits.ts',
    guard: 'insert: lineEnd + upper.text }',
    without: 'insert: lineEnd + upper.text.slice(0, 3) }',
    test: COMMANDS,
  },
  {
    name: 'a column that moves leaves its cells behind',
    file: 'table/edits.ts',
    guard: '{ from: left.to, to: right.to },',
    without: '{ from: left.to, to: left.to },',
    test: COMMANDS,
  },
  {
    name: 'alignment takes a text for blanks',
    file: 'table/layout.ts',
    guard: "blanks(textFrom + text.length, to, 1 + missing - before, 'end')]",
    without: "blanks(textFrom, to, 1 + missing - before, 'end')]",
    test: COMMANDS,
  },
  {
    name: 'a column is cut beside its pipes',
    file: 'table/edits.ts',
    guard: 'if (before !== undefined) return [{ from: before.to, to: cell.to }];',
    without: 'if (before !== undefined) return [{ from: cell.from, to: cell.to + 1 }];',
    test: TABLES,
  },
  {
    name: 'hands may delete what parts cells',
    file: 'table/guard.ts',
    guard: '!BY_HAND.test(userEvent)',
    without: 'userEvent !== ""',
    test: CELLS,
  },
  {
    name: 'a line end breaks its row',
    file: 'table/cell-text.ts',
    guard: '.replace(/\\r?\\n/g, CELL_BREAK)',
    without: '',
    test: CELLS,
  },
  {
    name: 'a backslash comes to stand before the pipe',
    file: 'table/cell-text.ts',
    guard: '/\\\\/.test(source) && !/[ \\t]$/.test(source) ?',
    without: 'false ?',
    test: CELLS,
  },
  {
    name: 'the last blank of a cell may go',
    file: 'table/guard.ts',
    guard: 'to: isToEnd ? to - 1 : to, insert: text',
    without: 'to, insert: text',
    test: CELLS,
  },
  {
    name: 'half of an escaped pipe is deleted',
    file: 'table/guard.ts',
    guard: '.map((change) => unsplit(state, change))\n',
    without: '\n',
    test: CELLS,
  },
  {
    name: 'a link ends in another cell',
    file: 'table/cell-text.ts',
    guard: ".replace(/(?<!\\[\\[(?:(?!\\]\\]).)*)\\](?=\\])/g, ']\\\\')",
    without: '',
    test: CELLS,
  },
  {
    name: 'a backslash of somebody else breaks an escape',
    file: 'table/mend-escapes.ts',
    guard: 'if (mended.length > 0)',
    without: 'if (mended.length < 0)',
    test: CELLS,
  },
];
