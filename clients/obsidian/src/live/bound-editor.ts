import { Annotation, type ChangeSpec, Transaction } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';
import { minimalDiff } from '@notevault/note-text/diff/diff.ts';
import { type App, MarkdownView, type TFile } from 'obsidian';
import type { Text as DocumentText, YTextEvent } from 'yjs';
import { inLineFeeds } from './texts.ts';

/** Marks what comes from the document, so that it does not go back. */
export const fromDocument = Annotation.define<true>();

/**
 * Returns the view of the app that has an editor as its own; null for every other one. Cells of tables, footnotes,
 * hovers and nodes of a canvas are editors too, with a part of a note and the note's name: what is not known is left to
 * the app.
 */
export function ownerOf(app: App, view: EditorView): MarkdownView | null {
  let owner: MarkdownView | null = null;
  app.workspace.iterateAllLeaves(({ view: shown }) => {
    if (shown instanceof MarkdownView && editorOf(shown) === view) owner = shown;
  });
  return owner;
}

/** Returns the editor of a view, which every editor extension of the app relies on and the typings leave out. */
export function editorOf(owner: MarkdownView): EditorView | null {
  return (owner.editor as { readonly cm?: EditorView } | undefined)?.cm ?? null;
}

export interface EditorHooks {
  /** Called with the new text when the app reads the file again. */
  readonly replaced: (text: string) => void;
  /** Resolves once the device keeps what the file has, which the app may then save over; null where it does. */
  readonly kept: () => Promise<void> | null;
}

/** An editor that shows the text of a document: both are the same from one change to the next. */
export class BoundEditor {
  readonly view: EditorView;
  readonly owner: MarkdownView;
  readonly #app: App;
  readonly #file: TFile;
  readonly #text: DocumentText;
  readonly #restore: readonly (() => void)[];
  #isOver = false;

  constructor(app: App, owner: MarkdownView, view: EditorView, text: DocumentText, { replaced, kept }: EditorHooks) {
    if (owner.file === null) throw new Error('the view has no file');
    this.#app = app;
    this.owner = owner;
    this.view = view;
    this.#file = owner.file;
    this.#text = text;
    const isTaken = (data: string) => {
      if (!this.isCurrent || inLineFeeds(data) === this.#text.toJSON()) return false;
      replaced(inLineFeeds(data));
      owner.requestSave();
      return true;
    };
    this.#restore = [
      intercepted(owner, 'setViewData', (before) => (data, clears) => {
        if (!isTaken(data)) before(data, clears);
      }),
      intercepted(owner, 'save', (before) => async (clears) => {
        const keeping = this.isCurrent ? kept() : null;
        if (keeping !== null) await keeping;
        await before(clears);
      }),
    ];
    this.paint();
  }

  /**
   * Whether the view still shows this file in this editor. The app reuses views: a view's file changes first, and the
   * other file's text arrives once it was read.
   */
  get isCurrent(): boolean {
    return !this.#isOver && this.owner.file === this.#file && ownerOf(this.#app, this.view) === this.owner;
  }

  /** Takes over what was typed here. Returns whether editor and document are the same after it. */
  typed(transaction: Transaction): boolean {
    const { changes, startState, newDoc } = transaction;
    if (startState.doc.length !== this.#text.length) return false;
    this.#text.doc?.transact(() => {
      let moved = 0;
      changes.iterChanges((from, to, _from, _to, inserted) => {
        if (to > from) this.#text.delete(from + moved, to - from);
        if (inserted.length > 0) this.#text.insert(from + moved, inserted.toString());
        moved += inserted.length - (to - from);
      });
    }, this);
    return newDoc.length === this.#text.length;
  }

  /** Shows a change of the document. */
  changed({ delta }: YTextEvent): void {
    const changes: { from: number; to?: number; insert?: string }[] = [];
    let at = 0;
    for (const { retain = 0, delete: removed = 0, insert = '' } of delta) {
      at += retain;
      if (removed > 0) changes.push({ from: at, to: at + removed });
      if (typeof insert === 'string' && insert !== '') changes.push({ from: at, insert });
      at += removed;
    }
    this.#show(changes);
  }

  /** Shows the text of the document, whatever the editor has. */
  paint(): void {
    const edits = minimalDiff(this.view.state.doc.toString(), this.#text.toJSON());
    this.#show(edits.map(({ at, remove, insert }) => ({ from: at, to: at + remove, insert })));
  }

  /** The editor is the app's own again. */
  release(): void {
    this.#isOver = true;
    for (const restore of this.#restore) restore();
  }

  #show(changes: readonly ChangeSpec[]): void {
    if (changes.length === 0) return;
    this.view.dispatch({
      changes: [...changes],
      // Undo takes back what was typed here and nothing else.
      annotations: [fromDocument.of(true), Transaction.addToHistory.of(false), Transaction.remote.of(true)],
      // A filter of another plugin would make editor and document differ.
      filter: false,
    });
    // Other views of the file learn of it from the disk.
    this.owner.requestSave();
  }
}

type InterceptedView = Pick<MarkdownView, 'setViewData' | 'save'>;

/** Wraps a method of a view. Returns a function that ends it, also after another plugin did the same. */
function intercepted<Name extends keyof InterceptedView>(
  owner: InterceptedView,
  name: Name,
  wrap: (before: InterceptedView[Name]) => InterceptedView[Name],
): () => void {
  const isOwn = Object.hasOwn(owner, name);
  const method = owner[name];
  const before = method.bind(owner) as InterceptedView[Name];
  const wrapped = wrap(before);
  let isOver = false;
  const mine = ((...args: unknown[]): unknown =>
    Reflect.apply(isOver ? before : wrapped, owner, args)) as InterceptedView[Name];
  owner[name] = mine;
  return () => {
    isOver = true;
    if (owner[name] !== mine) return;
    if (isOwn) owner[name] = method;
    else Reflect.deleteProperty(owner, name);
  };
}
