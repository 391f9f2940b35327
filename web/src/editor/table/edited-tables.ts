import type { ChangeSpec, Extension, Text } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { ySyncAnnotation } from 'y-codemirror.next';
import { endsEscaping } from './cell-text.ts';
import { drawnTableAt, drawnTables } from './drawn-tables.ts';
import { tableGrid } from './grid.ts';
import { tableGuard } from './guard.ts';
import { tableBar } from './table-bar.ts';

/**
 * Repairs escaped pipes after merges. If one person types a backslash where another types a pipe, it may land before
 * the backslash that escapes the pipe; the pipe would then end the cell. The escape is removed, as if both had been
 * typed one after the other. Every client deletes the same character, so it is deleted once.
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

/** Returns whether an escaped pipe at an offset is broken by a backslash before it. */
function isBroken(doc: Text, at: number): boolean {
  return doc.sliceString(at, at + 2) === '\\|' && endsEscaping(doc.sliceString(doc.lineAt(at).from, at));
}

/** Tables edited as grids. Their keys are among the editor's keymaps. */
export const editedTables: Extension = [drawnTables, tableGrid, tableGuard, mendEscapes, tableBar];
