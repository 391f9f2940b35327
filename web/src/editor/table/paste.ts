import { EditorView } from '@codemirror/view';
import { isPlainPaste } from '../paste/plain-paste.ts';
import { drawnTableAt } from './drawn-tables.ts';

/** Pastes cells of a spreadsheet into a table, starting at the cell with the cursor. */
export const tablePaste = EditorView.domEventHandlers({
  paste({ clipboardData }, view) {
    const { state } = view;
    const text = clipboardData?.getData('text/plain').replace(/\r\n?/g, '\n') ?? '';
    const isFromSheet = /<table[\s>]/i.test(clipboardData?.getData('text/html') ?? '');
    const isCells = text.includes('\t') || (isFromSheet && text.trimEnd().includes('\n'));
    const isHere = drawnTableAt(state, state.selection.main.head) !== null;
    if (!isCells || !isHere || state.readOnly || isPlainPaste(view)) return false;
    void import('./fill-table.ts').then(({ pasteCells }) => view.dom.isConnected && pasteCells(view, text));
    return true;
  },
});
