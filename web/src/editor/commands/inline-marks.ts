import { startCompletion } from '@codemirror/autocomplete';
import { EditorSelection, type EditorState, type SelectionRange, type TransactionSpec } from '@codemirror/state';
import type { Command } from '@codemirror/view';

/** Returns a command that adds or removes marks around the selection, or around the word at the cursor. */
export function toggleMark(mark: string): Command {
  return (view) => {
    if (view.state.readOnly) return false;
    view.dispatch(toggleMarkSpec(view.state, mark));
    return true;
  };
}

/** The transaction of `toggleMark`. */
export function toggleMarkSpec(state: EditorState, mark: string): TransactionSpec {
  const change = state.changeByRange((range) => {
    const { from, to } = range.empty ? (state.wordAt(range.head) ?? range) : range;
    return isMarked(state, from, to, mark) ? unmark(from, to, mark, range) : addMarks(from, to, mark, range);
  });
  return { ...change, userEvent: 'input.format', scrollIntoView: true };
}

function isMarked(state: EditorState, from: number, to: number, mark: string): boolean {
  const char = mark.charAt(0);
  const before = runBefore(state, from, char);
  const after = runAfter(state, to, char);
  // `**` around a word is bold and not italic; `***` is both.
  const fits = (length: number) =>
    mark.length === 1 && char === '*' ? length === 1 || length === 3 : length >= mark.length;
  return fits(before) && fits(after);
}

function runBefore({ doc }: EditorState, at: number, char: string): number {
  const text = doc.sliceString(Math.max(0, at - 3), at);
  let length = 0;
  while (length < text.length && text.charAt(text.length - 1 - length) === char) length++;
  return length;
}

function runAfter({ doc }: EditorState, at: number, char: string): number {
  const text = doc.sliceString(at, at + 3);
  let length = 0;
  while (length < text.length && text.charAt(length) === char) length++;
  return length;
}

function unmark(from: number, to: number, { length }: string, range: SelectionRange) {
  const changes = [
    { from: from - length, to: from, insert: '' },
    { from: to, to: to + length, insert: '' },
  ];
  return { changes, range: EditorSelection.range(range.anchor - length, range.head - length) };
}

function addMarks(from: number, to: number, mark: string, range: SelectionRange) {
  const changes = [
    { from, insert: mark },
    { from: to, insert: mark },
  ];
  return { changes, range: EditorSelection.range(range.anchor + mark.length, range.head + mark.length) };
}

/** Returns whether `toggleMark` would remove the marks around the whole main selection. */
export function hasMark(state: EditorState, mark: string): boolean {
  const { from, to } = state.selection.main;
  return isMarked(state, from, to, mark);
}

/** Turns the selection into a link to a note with that text, and opens the list of notes. */
export const insertNoteLink: Command = (view) => {
  const { state } = view;
  if (state.readOnly) return false;
  const { from, to, head } = state.selection.main;
  const isLabel = from !== to && !/[[\]|\n]/.test(state.sliceDoc(from, to));
  const changes = isLabel
    ? [
        { from, insert: '[[|' },
        { from: to, insert: ']]' },
      ]
    : { from: head, insert: '[[]]' };
  const anchor = (isLabel ? from : head) + 2;
  view.dispatch({ changes, selection: { anchor }, userEvent: 'input.format', scrollIntoView: true });
  startCompletion(view);
  return true;
};

/** Makes a markdown link of the selection, with the cursor where the address goes. */
export const insertLink: Command = (view) => {
  const { state } = view;
  if (state.readOnly) return false;
  view.dispatch({
    ...state.changeByRange(({ from, to }) => {
      const label = state.sliceDoc(from, to);
      const isUrl = /^https?:\/\/\S+$/.test(label);
      const [before, after] = isUrl ? ['[](', ')'] : ['[', ']()'];
      const cursor = isUrl || label === '' ? from + 1 : to + before.length + after.length - 1;
      const changes = [
        { from, insert: before },
        { from: to, insert: after },
      ];
      return { changes, range: EditorSelection.cursor(cursor) };
    }),
    userEvent: 'input.format',
  });
  return true;
};
