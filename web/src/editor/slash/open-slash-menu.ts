import { startCompletion } from '@codemirror/autocomplete';
import type { Command } from '@codemirror/view';

/** Types the slash that opens the menu, after a space if needed. */
export const openSlashMenu: Command = (view) => {
  const { state } = view;
  if (state.readOnly) return false;
  const { head } = state.selection.main;
  const before = state.sliceDoc(Math.max(0, head - 1), head);
  const insert = before === '' || /\s/.test(before) ? '/' : ' /';
  const selection = { anchor: head + insert.length };
  view.dispatch({ changes: { from: head, insert }, selection, userEvent: 'input', scrollIntoView: true });
  startCompletion(view);
  return true;
};
