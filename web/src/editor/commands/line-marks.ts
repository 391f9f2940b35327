import type { ChangeSpec } from '@codemirror/state';
import type { Command } from '@codemirror/view';
import { readCalloutHead } from '@notevault/note-html/callout.ts';
import { minimalChange } from '../core/source-change.ts';
import { selectedLines, withCursor } from './tasks.ts';

const HEADING = /^#{1,6}[ \t]+/;
const BULLET = /^([ \t]*)[-*+][ \t]+(?:\[[ xX]\][ \t]+)?/;
const NUMBER = /^([ \t]*)\d{1,9}[.)][ \t]+/;
const QUOTE = /^[ \t]*>[ \t]?/;

/** Turns the selected lines into headings of a level, or back into text if they are. */
export function toggleHeading(level: number): Command {
  const mark = `${'#'.repeat(level)} `;
  return changeLines((text) => {
    const old = HEADING.exec(text)?.[0] ?? '';
    return { length: old.length, insert: old.trim() === mark.trim() ? '' : mark };
  });
}

/** Turns the selected lines into list items, or back into text. */
export const toggleBullets: Command = changeLines((text) => {
  const bullet = BULLET.exec(text);
  if (bullet !== null) return { length: bullet[0].length, insert: bullet[1] ?? '' };
  const number = NUMBER.exec(text);
  const indent = number?.[1] ?? indentOf(text);
  return { length: number?.[0].length ?? indent.length, insert: `${indent}- ` };
});

/** Turns the selected lines into numbered items, or back into text. */
export const toggleNumbers: Command = changeLines((text, index) => {
  const number = NUMBER.exec(text);
  if (number !== null) return { length: number[0].length, insert: number[1] ?? '' };
  const bullet = BULLET.exec(text);
  const indent = bullet?.[1] ?? indentOf(text);
  return { length: bullet?.[0].length ?? indent.length, insert: `${indent}${index + 1}. ` };
});

/** Quotes the selected lines with the blank ones between them, or takes their quote marks away if all are quoted. */
export const toggleQuote: Command = (view) => {
  const { state } = view;
  if (state.readOnly) return false;
  const lines = selectedLines(state).map((number) => state.doc.line(number));
  const isBlank = (at: number) => lines[at]?.text.trim() === '';
  let [first, last] = [0, lines.length];
  while (first < last && isBlank(first)) first++;
  while (last > first && isBlank(last - 1)) last--;
  const quoted = first === last ? lines : lines.slice(first, last);
  const isQuote = quoted.every(({ text }) => QUOTE.test(text));
  const changes = quoted.map(({ from, text }): ChangeSpec => {
    const mark = QUOTE.exec(text)?.[0] ?? '';
    if (isQuote) return { from, to: from + mark.length };
    return { from, insert: mark !== '' ? '' : text.trim() === '' && quoted.length > 1 ? '>' : '> ' };
  });
  view.dispatch(withCursor(state, changes, 'input.format'));
  return true;
};

/** Turns the selected lines into a callout, or a callout whose first line is selected into a plain quote. */
export const toggleCallout: Command = (view) => {
  const { state } = view;
  const lines = selectedLines(state).map((number) => state.doc.line(number));
  const [first] = lines;
  if (state.readOnly || first === undefined) return false;
  const head = readCalloutHead(first.text);
  const quoted = lines.filter(({ text }) => !QUOTE.test(text));
  const changes: ChangeSpec[] =
    head === null
      ? [{ from: first.from, insert: '> [!note]\n' }, ...quoted.map(({ from }) => ({ from, insert: '> ' }))]
      : [{ from: first.from + head.markStart, to: first.from + head.markEnd }];
  view.dispatch(withCursor(state, changes, 'input.format'));
  return true;
};

/** Puts the selected lines between the fences of a code block. */
export const insertCodeBlock: Command = (view) => {
  const { state } = view;
  if (state.readOnly) return false;
  const { from, to } = state.selection.main;
  const [first, last] = [state.doc.lineAt(from), state.doc.lineAt(to)];
  view.dispatch({
    changes: [
      { from: first.from, insert: '```\n' },
      { from: last.to, insert: '\n```' },
    ],
    selection: { anchor: first.from + 3 },
    userEvent: 'input.format',
  });
  return true;
};

interface LineEdit {
  /** Number of characters replaced at the start of the line. */
  readonly length: number;
  readonly insert: string;
}

function changeLines(edit: (text: string, index: number) => LineEdit): Command {
  return (view) => {
    const { state } = view;
    if (state.readOnly) return false;
    const numbers = selectedLines(state);
    const filled = numbers.filter((number) => state.doc.line(number).text.trim() !== '');
    const changes = (filled.length === 0 ? numbers : filled).map((number, index): ChangeSpec => {
      const line = state.doc.line(number);
      const { length, insert } = edit(line.text, index);
      return minimalChange(line.from, line.text.slice(0, length), insert);
    });
    view.dispatch(withCursor(state, changes, 'input.format'));
    return true;
  };
}

function indentOf(text: string): string {
  return /^[ \t]*/.exec(text)?.[0] ?? '';
}
