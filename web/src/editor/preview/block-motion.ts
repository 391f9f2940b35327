import { EditorSelection, type EditorState, Prec, type StateField } from '@codemirror/state';
import { type Command, type EditorView, keymap } from '@codemirror/view';
import type { BlockState } from './block-field.ts';

/**
 * Lets the up and down keys enter a rendered block at its nearest line. Without this, they would skip it, and the
 * keyboard could not reach its text.
 */
export function blockMotion(field: StateField<BlockState>) {
  return Prec.high(
    keymap.of([
      { key: 'ArrowDown', run: enter(field, 1) },
      { key: 'ArrowUp', run: enter(field, -1) },
    ]),
  );
}

function enter(field: StateField<BlockState>, direction: 1 | -1): Command {
  return (view) => {
    const { state } = view;
    const { main } = state.selection;
    if (!main.empty || state.readOnly) return false;
    const target = entryOf(state, state.field(field), direction);
    if (target === null || !leavesLine(view, direction)) return false;
    view.dispatch({ selection: EditorSelection.cursor(target), scrollIntoView: true, userEvent: 'select' });
    return true;
  };
}

/** Returns where the cursor enters a rendered block next to its line; null if there is none. */
export function entryOf(
  state: EditorState,
  { candidates }: Pick<BlockState, 'candidates'>,
  direction: 1 | -1,
): number | null {
  const line = state.doc.lineAt(state.selection.main.head);
  const beside = direction === 1 ? line.to + 1 : line.from - 1;
  if (beside < 0 || beside > state.doc.length) return null;
  const block = candidates.find(({ from, to }) => beside >= from && beside <= to);
  if (block === undefined || (line.from >= block.from && line.to <= block.to)) return null;
  return direction === 1 ? block.from : state.doc.lineAt(block.to).from;
}

/** Returns whether the next move leaves the line, which may wrap over several rows. */
function leavesLine(view: EditorView, direction: 1 | -1): boolean {
  const { head } = view.state.selection.main;
  const moved = view.moveVertically(view.state.selection.main, direction === 1);
  const line = view.state.doc.lineAt(head);
  return moved.head < line.from || moved.head > line.to || moved.head === head;
}
