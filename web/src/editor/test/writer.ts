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
 * Somebody who edits a note, without a browser: a document of Yjs and the editor's own state with all its extensions,
 * bound to each other as the editor binds them. Commands take it for a view.
 */
export class Writer {
  readonly doc = new Doc();
  state: EditorState;
  /** The text that edits of this writer deleted since it was last emptied. */
  removed = '';
  readonly #text: Text;

  /** @param id orders what two writers write at the same place. */
  constructor(id: number, update: Uint8Array) {
    this.doc.clientID = id;
    applyUpdate(this.doc, update);
    this.#text = this.doc.getText('content');
    // Each edit is taken back by itself: what else belongs to it would depend on the clock.
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
    // Of a view, commands that run here need no more than this.
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

  /** Panels and what else is drawn are not there. */
  plugin(): null {
    return null;
  }

  /** Presses a key of the keymaps. */
  press(key: string): boolean {
    const bindings = this.state.facet(keymap).flat();
    return bindings.some((binding) => binding.key === key && (binding.run?.(this.view) ?? false));
  }

  /** Takes over what another writer wrote. */
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
