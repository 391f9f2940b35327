import type { ChangeSpec, EditorState, TransactionSpec } from '@codemirror/state';
import type { Command, EditorView } from '@codemirror/view';
import { canWriteNote } from '../core/modes.ts';

const TASK = /^((?:[ \t]*>)*[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+)\[([ xX])\](?=[ \t]|$)/;
const ITEM = /^((?:[ \t]*>)*[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+)/;

/** The change that ticks or unticks the task on a line; null when the line has none. */
export function toggleTaskChange(state: EditorState, at: number): ChangeSpec | null {
  const line = state.doc.lineAt(at);
  const match = TASK.exec(line.text);
  if (match === null) return null;
  const [, before = '', mark = ''] = match;
  const from = line.from + before.length + 1;
  return { from, to: from + 1, insert: mark === ' ' ? 'x' : ' ' };
}

/**
 * Ticks or unticks the task on the line at an offset, also while reading.
 *
 * @param wasDone whether the task was shown as done; if that has changed meanwhile, nothing happens.
 */
export function toggleTaskAt(view: EditorView, at: number, wasDone: boolean): boolean {
  const { state } = view;
  const changes = state.facet(canWriteNote) ? toggleTaskChange(state, at) : null;
  if (changes === null || isDone(state, at) !== wasDone) return false;
  view.dispatch({ changes, userEvent: 'input.task' });
  return true;
}

function isDone({ doc }: EditorState, at: number): boolean {
  return /[xX]/.test(TASK.exec(doc.lineAt(at).text)?.[2] ?? '');
}

/** Ticks or unticks the tasks of the selected lines; other lines become tasks. */
export const toggleTask: Command = (view) => {
  const { state } = view;
  if (state.readOnly) return false;
  const changes: ChangeSpec[] = [];
  const numbers = selectedLines(state);
  for (const number of numbers) {
    const line = state.doc.line(number);
    const toggle = toggleTaskChange(state, line.from);
    if (toggle !== null) {
      changes.push(toggle);
      continue;
    }
    const item = ITEM.exec(line.text);
    if (item !== null) changes.push({ from: line.from + item[0].length, insert: '[ ] ' });
    else if (line.text.trim() !== '' || numbers.length === 1)
      changes.push({ from: line.from + indentOf(line.text), insert: '- [ ] ' });
  }
  if (changes.length === 0) return false;
  view.dispatch(withCursor(state, changes, 'input.task'));
  return true;
};

/** Returns the transaction of changes that insert marks at the cursor, and moves the cursor behind them. */
export function withCursor(state: EditorState, specs: readonly ChangeSpec[], userEvent: string): TransactionSpec {
  const changes = state.changes(specs);
  return { changes, selection: state.selection.map(changes, 1), userEvent };
}

/** Returns the numbers of the lines that the selection touches, in order. */
export function selectedLines(state: EditorState): number[] {
  const numbers = new Set<number>();
  for (const { from, to } of state.selection.ranges) {
    const last = state.doc.lineAt(to).number;
    for (let number = state.doc.lineAt(from).number; number <= last; number++) numbers.add(number);
  }
  return [...numbers];
}

function indentOf(text: string): number {
  return text.length - text.trimStart().length;
}
