import { Transaction } from '@codemirror/state';
import { type EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view';
import { ySyncAnnotation } from 'y-codemirror.next';
import type { UndoManager } from 'yjs';

/**
 * Makes every change except typing and deleting a separate undo step. Yjs alone merges changes within half a second, so
 * that undoing a paste would also remove the sentence before it. Must come before the binding, which records the
 * change.
 */
export function undoSteps(history: UndoManager) {
  return ViewPlugin.define((view) => new UndoSteps(view, history));
}

class UndoSteps {
  readonly #history: UndoManager;
  #wasAlone = false;
  /** End of the range being undone or redone. */
  #undone: number | null = null;
  readonly #show: () => void;

  constructor(view: EditorView, history: UndoManager) {
    this.#history = history;
    this.#show = () => {
      const anchor = this.#undone;
      this.#undone = null;
      // The binding only remembers selections of steps made in this editor.
      if (anchor !== null) view.dispatch({ selection: { anchor }, scrollIntoView: true });
    };
    history.on('stack-item-popped', this.#show);
  }

  update({ docChanged, transactions, changes }: ViewUpdate): void {
    if (!docChanged) return;
    if (this.#history.undoing || this.#history.redoing) {
      changes.iterChangedRanges((_from, _to, _start, end) => {
        this.#undone = end;
      });
    }
    if (transactions.some((transaction) => transaction.annotation(ySyncAnnotation) !== undefined)) return;
    const isAlone = !transactions.every(isTyping);
    if (isAlone || this.#wasAlone) this.#history.stopCapturing();
    this.#wasAlone = isAlone;
  }

  destroy(): void {
    this.#history.off('stack-item-popped', this.#show);
  }
}

/** Returns whether a transaction types or deletes with a key. Enter is `input` without a suffix. */
function isTyping(transaction: Transaction): boolean {
  const event = transaction.annotation(Transaction.userEvent) ?? '';
  return !transaction.docChanged || /^(?:input|input\.type(?:\..+)?|delete(?:\.(?!cut|dedent).+)?)$/.test(event);
}
