import { EditorState } from '@codemirror/state';
import { type Command, EditorView, type Panel, showPanel } from '@codemirror/view';
import { drawnTables } from './drawn-tables.ts';

/**
 * Bar at the bottom of the editor with tools for the rows and columns of the edited table. Above the table it would
 * cover text.
 */
export const tableBar = showPanel.compute([drawnTables, 'selection', EditorState.readOnly], (state) => {
  const { head } = state.selection.main;
  const isInTable = state.field(drawnTables).all.some(({ from, to }) => from <= head && head <= to);
  return isInTable && !state.readOnly ? createBar : null;
});

function createBar(view: EditorView): Panel {
  const dom = document.createElement('div');
  dom.className = 'nv-bar nv-table-bar';
  void import('./bar-tools.ts').then(({ addTools }) => {
    addTools(view, dom);
    // The bar covers the last visible rows.
    if (dom.isConnected) view.dispatch({ effects: EditorView.scrollIntoView(view.state.selection.main.head) });
  });
  return { dom };
}

/** Moves the focus to the bar of the table. */
export const focusTableBar: Command = (view) => {
  const first = view.dom.querySelector<HTMLElement>('.nv-table-bar [tabindex="0"]');
  first?.focus();
  return first !== null;
};
