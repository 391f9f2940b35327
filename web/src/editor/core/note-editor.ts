import { Annotation, Compartment, EditorState, type Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import type { Text, UndoManager } from 'yjs';
import { type AwarenessLike, textBinding } from '../collab/binding.ts';
import { COMMANDS, canRun } from '../commands/commands.ts';
import { insertFiles } from '../files/insert-files.ts';
import { foldClosedCallouts } from '../preview/callout-folds.ts';
import { type DrawNote, drawNote, embedDepth } from '../preview/nested.ts';
import { livePreview } from '../preview/preview.ts';
import { refreshPreview } from '../preview/preview-state.ts';
import { noteTitle } from '../preview/title.ts';
import {
  appearanceExtensions,
  createLanguage,
  DEFAULT_APPEARANCE,
  editingExtensions,
  frontmatterWatch,
  sharedExtensions,
} from './base-extensions.ts';
import { firstSelection, type KeptCaret, keepCaret } from './caret.ts';
import type { EditorAppearance, EditorCommand, EditorController } from './controller.ts';
import { factPlugin } from './fact-plugin.ts';
import { FactStore } from './facts.ts';
import { markPlace } from './found-place.ts';
import { applyTransactions, heldWhileResized } from './held-place.ts';
import { type EditorMode, modeExtensions } from './modes.ts';
import { printView } from './printing.ts';
import { type EditorServices, services } from './services.ts';
import { anchorPosition } from './text-facts.ts';
import { type TopPlace, topPlace } from './top-place.ts';

/** Renders a text in reading mode: an embedded note or a hover preview. */
const drawReadingView: DrawNote = (parent, text, app, depth) => {
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        services.of(app),
        drawNote.of(drawReadingView),
        embedDepth.of(depth),
        EditorState.lineSeparator.of('\n'),
        createLanguage(),
        sharedExtensions,
        modeExtensions('reading', false, livePreview),
      ],
    }),
  });
  foldClosedCallouts(view);
  return { [Symbol.dispose]: () => view.destroy() };
};

export interface NoteEditorOptions {
  /** The text of the note in its Yjs document, already loaded. */
  readonly text: Text;
  /** The only history of edits. */
  readonly undo: UndoManager;
  /** The presence of others; null without a connection. */
  readonly awareness: AwarenessLike | null;
  readonly services: EditorServices;
  readonly mode: EditorMode;
  readonly canWrite: boolean;
  /** Title of the note, for screen readers and above its properties. */
  readonly label: string;
  /** Cursor of an earlier editor of the note; without it, the cursor starts after the frontmatter. */
  readonly caret?: KeptCaret | undefined;
}

/** An editor in an element of the page. */
export class NoteEditor implements EditorController {
  readonly #view: EditorView;
  readonly facts = new FactStore();
  readonly #modes = new Compartment();
  readonly #labels = new Compartment();
  readonly #appearance = new Compartment();
  readonly #vim = new Compartment();
  readonly #language = new Compartment();
  readonly #text: Text;
  readonly #undo: UndoManager;
  readonly #top: TopPlace;
  readonly #stopLinks: () => void;
  #mode: EditorMode;
  #canWrite: boolean;
  #keepsKeys = false;
  #wantsVim: boolean | null = null;
  /** Line that the pending scroll moves to the top. */
  #pendingTop: number | null = null;

  constructor(parent: HTMLElement, options: NoteEditorOptions) {
    this.#mode = options.mode;
    this.#canWrite = options.canWrite;
    this.#text = options.text;
    this.#undo = options.undo;
    this.#view = new EditorView({
      parent,
      state: EditorState.create({
        doc: options.text.toString(),
        selection: firstSelection(options.text, options.caret),
        extensions: this.#extensions(options),
      }),
      dispatchTransactions: (transactions, view) =>
        applyTransactions(view, transactions, options.undo.undoing || options.undo.redoing),
    });
    this.#top = topPlace(this.#view);
    this.#stopLinks = options.services.links.onChange(() => {
      this.#view.dispatch({ effects: refreshPreview.of(null) });
    });
    for (const event of ['stack-item-added', 'stack-item-popped', 'stack-cleared'] as const) {
      options.undo.on(event, this.#onHistory);
    }
    this.#onHistory();
    foldClosedCallouts(this.#view);
    // Tests and the app wait for this mark, after which keys reach the text.
    this.#view.dom.dataset.editorReady = 'true';
  }

  get top(): HTMLElement {
    return this.#top.element;
  }

  get mode(): EditorMode {
    return this.#mode;
  }

  setMode(mode: EditorMode): void {
    if (mode === this.#mode) return;
    this.#mode = mode;
    this.#reconfigureMode();
  }

  setCanWrite(canWrite: boolean): void {
    if (canWrite === this.#canWrite) return;
    this.#canWrite = canWrite;
    // A user who was typing may press more keys for a moment.
    this.#keepsKeys = !canWrite && this.#view.hasFocus;
    if (this.#keepsKeys) this.#view.contentDOM.addEventListener('blur', this.#onBlur, { once: true });
    this.#reconfigureMode();
  }

  setAppearance(appearance: EditorAppearance): void {
    this.#view.dispatch({ effects: this.#appearance.reconfigure(appearanceExtensions(appearance)) });
  }

  async setVim(isOn: boolean): Promise<void> {
    this.#wantsVim = isOn;
    const extension = isOn ? (await import('./vim.ts')).vimKeys() : [];
    // The setting may have changed, or the editor have closed, while the keys were loaded.
    if (this.#wantsVim === isOn) this.#view.dispatch({ effects: this.#vim.reconfigure(extension) });
  }

  setLabel(label: string): void {
    this.#view.dispatch({ effects: this.#labels.reconfigure(labelled(label)) });
  }

  focus(): void {
    this.#view.focus();
    this.#view.dispatch({ effects: EditorView.scrollIntoView(this.#view.state.selection.main.head) });
  }

  caret(): KeptCaret {
    return keepCaret(this.#text, this.#view.state.selection.main);
  }

  text(): string {
    return this.#view.state.sliceDoc();
  }

  canRun(command: EditorCommand): boolean {
    return canRun(command, this.#view.state);
  }

  run(command: EditorCommand): boolean {
    const isDone = COMMANDS[command](this.#view);
    if (isDone && command !== 'find') this.#view.focus();
    return isDone;
  }

  goTo(offset: number, scroll: 'top' | 'nearest' = 'top'): void {
    const at = Math.max(0, Math.min(offset, this.#view.state.doc.length));
    const effects = EditorView.scrollIntoView(at, { y: scroll === 'top' ? 'start' : scroll, yMargin: 16 });
    this.#view.dispatch({ selection: { anchor: at }, effects });
    this.#view.focus();
  }

  showPlace(from: number, to: number): void {
    this.#view.dispatch({
      selection: { anchor: from },
      effects: [markPlace.of({ from, to }), EditorView.scrollIntoView(from, { y: 'center' })],
    });
    this.#view.focus();
  }

  goToAnchor(anchor: string): boolean {
    const at = anchorPosition(this.#view.state, anchor);
    if (at !== null) this.goTo(at);
    return at !== null;
  }

  insert(text: string, cursor = text.length): void {
    const { readOnly, selection } = this.#view.state;
    if (readOnly) return;
    const { from, to } = selection.main;
    const changes = { from, to, insert: text };
    const anchor = from + cursor;
    this.#view.dispatch({ changes, selection: { anchor }, scrollIntoView: true, userEvent: 'input.paste' });
  }

  insertFiles(files: readonly File[]): Promise<void> {
    if (this.#view.state.readOnly) return Promise.resolve();
    return insertFiles(this.#view, files, this.#view.state.selection.main.head);
  }

  print(): Promise<void> {
    return printView(this.#view);
  }

  [Symbol.dispose](): void {
    this.#wantsVim = null;
    this.#stopLinks();
    for (const event of ['stack-item-added', 'stack-item-popped', 'stack-cleared'] as const) {
      this.#undo.off(event, this.#onHistory);
    }
    this.#top[Symbol.dispose]();
    this.#view.destroy();
  }

  readonly #onBlur = (): void => {
    if (!this.#keepsKeys) return;
    this.#keepsKeys = false;
    this.#reconfigureMode();
  };

  readonly #onHistory = (): void => {
    const { undoStack, redoStack } = this.#undo;
    const canUndo = undoStack.length > 0;
    this.facts.update({ canUndo, canRedo: redoStack.length > 0, isDirty: this.facts.get().isDirty || canUndo });
  };

  #extensions(options: NoteEditorOptions): Extension {
    return [
      // First of all extensions, because vim's keys take precedence.
      this.#vim.of([]),
      services.of(options.services),
      drawNote.of(drawReadingView),
      textBinding(options.text, options.undo, options.awareness, options.services.strings.noName),
      this.#language.of(createLanguage()),
      frontmatterWatch(this.#language, createLanguage),
      sharedExtensions,
      editingExtensions,
      EditorState.phrases.of({ ...options.services.strings.phrases }),
      this.#appearance.of(appearanceExtensions(DEFAULT_APPEARANCE)),
      this.#labels.of(labelled(options.label)),
      this.#modes.of(modeExtensions(options.mode, options.canWrite, livePreview)),
      factPlugin(this.facts),
      heldWhileResized,
    ];
  }

  #reconfigureMode(): void {
    const top = this.#pendingTop ?? this.#topLine();
    this.#pendingTop = top;
    this.#view.dispatch({
      effects: [
        this.#modes.reconfigure(modeExtensions(this.#mode, this.#canWrite, livePreview, this.#keepsKeys)),
        // The top line keeps its position, although the heights above it have changed.
        EditorView.scrollIntoView(top, { y: 'start', yMargin: top === 0 ? ABOVE_FIRST_LINE : 0 }),
      ],
      annotations: modeChange.of(this.#mode),
    });
    // A second change before the lines are measured must not read their intermediate positions.
    const settle = () => {
      requestAnimationFrame(() => {
        this.#pendingTop = null;
      });
    };
    this.#view.requestMeasure({ read: settle });
  }

  #topLine(): number {
    const { scrollDOM, documentTop } = this.#view;
    return this.#view.lineBlockAtHeight(Math.max(0, scrollDOM.getBoundingClientRect().top - documentTop)).from;
  }
}

/** Scroll margin above the first line in pixels; larger than anything above it, so that all of it becomes visible. */
const ABOVE_FIRST_LINE = 1000;

const modeChange = Annotation.define<EditorMode>();

function labelled(label: string): Extension {
  return [noteTitle.of(label), EditorView.contentAttributes.of({ 'aria-label': label })];
}
