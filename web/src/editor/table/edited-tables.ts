import type { ChangeSpec, Extension, Text } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { ySyncAnnotation } from 'y-codemirror.next';
import { endsEscaping } from './cell-text.ts';
import { drawnTableAt, drawnTables } from './drawn-tables.ts';
import { tableGrid } from './grid.ts';
import { tableGuard } from './guard.ts';
import { tableBar } from './table-bar.ts';

/**
 * A backslash that one person types where another one types a pipe can come to stand before the one that escapes the
 * pipe, which would then end the cell. The backslash that came with the pipe goes: what both typed remains, and reads as
 * if it had been typed one after the other. Whoever sees this deletes the same character, so it goes once.
 */
const mendEscapes = EditorView.updateListener.of(({ view, state, transactions, changes }) => {
  if (!transactions.some((transaction) => transaction.docChanged && transaction.annotation(ySyncAnnotation))) return;
  const broken = new Set<number>();
  changes.iterChangedRanges((_from, _to, from, to) => {
    if (from === to || state.readOnly) return;
    for (const at of [from, to]) if (isBroken(state.doc, at) && drawnTableAt(state, at) !== null) broken.add(at);
  });
  const mended = [...broken].map((at): ChangeSpec => ({ from: at, to: at + 1 }));
  if (mended.length > 0) view.dispatch({ changes: mended, userEvent: 'input.table' });
});

/** Whether an escaped pipe begins at an offset, but for a backslash before it. */
function isBroken(doc: Text, at: number): boolean {
  return doc.sliceString(at, at + 2) === '\\|' && endsEscaping(doc.sliceString(doc.lineAt(at).from, at));
}

/** Tables that are drawn while editing, cell by cell. Their keys are with those of the editor. */
export const editedTables: Extension = [drawnTables, tableGrid, tableGuard, mendEscapes, tableBar];
