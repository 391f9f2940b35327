import { EditorSelection, type EditorState, Prec, type StateField } from '@codemirror/state';
import { type Command, type EditorView, keymap } from '@codemirror/view';
import type { BlockState } from './block-field.ts';

/**
 * Up and down enter a block that is drawn in place of its source, at the line next to the cursor; without this they
 * pass it, and its text could not be reached by the keyboard.
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

/** Where the cursor enters the block beside its line; null when the line beside is not a drawn block. */
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

/** Whether the next move leaves the line, which may be wrapped over several rows. */
function leavesLine(view: EditorView, direction: 1 | -1): boolean {
  const { head } = view.state.selection.main;
  const moved = view.moveVertically(view.state.selection.main, direction === 1);
  const line = view.state.doc.lineAt(head);
  return moved.head < line.from || moved.head > line.to || moved.head === head;
}
