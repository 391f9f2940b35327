import { ensureSyntaxTree } from '@codemirror/language';
import { EditorState, type Transaction, type TransactionSpec } from '@codemirror/state';
import { EditorView, keymap, type ViewUpdate } from '@codemirror/view';
import { ySyncAnnotation, ySyncFacet } from 'y-codemirror.next';
import { applyUpdate, Doc, encodeStateAsUpdate, encodeStateVector, type Text, UndoManager, type YTextEvent } from 'yjs';
import { textBinding } from '../collab/binding.ts';
import { createLanguage, editingExtensions, sharedExtensions } from '../core/base-extensions.ts';
import { modeExtensions } from '../core/modes.ts';
import { livePreview } from '../preview/preview.ts';

/**
 * Simulated writer without a browser: a Yjs document bound to an editor state with all extensions, as in the editor.
 * Commands accept it as a view.
 */
export class Writer {
  readonly doc = new Doc();
  state: EditorState;
  /** Text that this writer deleted since it was last cleared. */
  removed = '';
  readonly #text: Text;

  /** @param id decides the order of concurrent insertions at one position. */
  constructor(id: number, update: Uint8Array) {
    this.doc.clientID = id;
    applyUpdate(this.doc, update);
    this.#text = this.doc.getText('content');
    // Each edit is a separate undo step; merged steps would depend on the clock.
    const history = new UndoManager(this.#text, { captureTimeout: 0 });
    this.state = EditorState.create({
      doc: this.#text.toString(),
      extensions: [
        textBinding(this.#text, history, null, ''),
        createLanguage(),
        sharedExtensions,
        editingExtensions,
        modeExtensions('preview', true, livePreview),
      ],
    });
    history.addTrackedOrigin(this.state.facet(ySyncFacet));
    this.#text.observe(this.#onText);
    this.select(0);
  }

  get text(): string {
    return this.#text.toString();
  }

  get view(): EditorView {
    // Commands that run here need only this part of a view.
    return this as unknown as EditorView;
  }

  readonly dispatch = (...specs: (TransactionSpec | Transaction)[]): void => {
    for (const spec of specs) {
      const transaction = isTransaction(spec) ? spec : this.state.update(spec);
      this.state = transaction.state;
      this.#write(transaction);
      const { state, changes } = transaction;
      const update = { view: this.view, state, changes, transactions: [transaction] };
      for (const listen of state.facet(EditorView.updateListener)) listen(update as unknown as ViewUpdate);
    }
  };

  lineBlockAt(at: number): { readonly from: number; readonly to: number } {
    return this.state.doc.lineAt(at);
  }

  select(anchor: number, head = anchor): void {
    ensureSyntaxTree(this.state, this.state.doc.length, 5_000);
    const { length } = this.state.doc;
    const selection = { anchor: Math.min(anchor, length), head: Math.min(head, length) };
    this.dispatch({ selection, userEvent: 'select' });
  }

  /** Returns null: the writer has no rendered plugins. */
  plugin(): null {
    return null;
  }

  /** Presses a key of the keymaps. */
  press(key: string): boolean {
    const bindings = this.state.facet(keymap).flat();
    return bindings.some((binding) => binding.key === key && (binding.run?.(this.view) ?? false));
  }

  /** Merges the edits of another writer. */
  take(other: Writer): void {
    applyUpdate(this.doc, encodeStateAsUpdate(other.doc, encodeStateVector(this.doc)), 'remote');
  }

  #write(transaction: Transaction): void {
    const { docChanged, changes, startState } = transaction;
    const binding = this.state.facet(ySyncFacet);
    if (!docChanged || transaction.annotation(ySyncAnnotation) === binding) return;
    this.doc.transact(() => {
      let moved = 0;
      changes.iterChanges((from, to, _from, _to, insert) => {
        this.removed += startState.sliceDoc(from, to);
        if (to > from) this.#text.delete(from + moved, to - from);
        if (insert.length > 0) this.#text.insert(from + moved, insert.toString());
        moved += insert.length - (to - from);
      });
    }, binding);
  }

  readonly #onText = ({ delta }: YTextEvent, { origin }: { readonly origin: unknown }): void => {
    const binding = this.state.facet(ySyncFacet);
    if (origin === binding) return;
    const changes: { from: number; to: number; insert: string }[] = [];
    let at = 0;
    for (const { retain = 0, delete: removed = 0, insert = '' } of delta) {
      at += retain;
      changes.push({ from: at, to: at + removed, insert: String(insert) });
      at += removed;
    }
    this.dispatch({ changes, annotations: [ySyncAnnotation.of(binding)] });
  };
}

function isTransaction(spec: TransactionSpec | Transaction): spec is Transaction {
  return 'newDoc' in spec;
}
