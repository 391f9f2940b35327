import { history, historyKeymap, redo, undo } from '@codemirror/commands';
import { Compartment, EditorState, type Extension, StateField } from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';
import { diff_match_patch as DiffMatchPatch } from 'diff-match-patch';
import type { TAbstractFile, TFile } from './files.ts';
import { FileView, type WorkspaceLeaf } from './workspace.ts';

interface Info {
  readonly file: TFile | null;
}

/** State field with an editor's note; nested editors have their host's note (relay PR#112). */
export const editorInfoField = StateField.define<Info>({ create: () => ({ file: null }), update: (info) => info });

/** Editor of the app's typings, as far as template plugins use it, and its CodeMirror view. */
export class Editor {
  readonly cm: EditorView;

  constructor(cm: EditorView) {
    this.cm = cm;
  }

  getValue(): string {
    return this.cm.state.doc.toString();
  }

  replaceSelection(text: string): void {
    this.cm.dispatch(this.cm.state.replaceSelection(text));
  }

  undo(): void {
    undo(this.cm);
  }

  redo(): void {
    redo(this.cm);
  }
}

/** Way in which a reused view receives another file's text: as a new state or as a change. */
export type Switching = 'state' | 'change';

/** A note in an editor (api: MarkdownView, TextFileView). */
export class MarkdownView extends FileView {
  static switching: Switching = 'state';
  /** A text view is saved this long after its first change (`requestSave`: api, TextFileView). */
  static saveMs = 2_000;
  /** Text that the app's own merge of an editor and a file dropped: its patches remove adjacent text. */
  static dropped = '';
  readonly containerEl: HTMLElement;
  readonly editor: Editor;
  /** Text of the file when this view last read or wrote it. */
  data = '';
  readonly #extensions = new Compartment();
  readonly #history = new Compartment();
  #isLoading = false;
  #isDirty = false;
  #saveTimer: number | undefined;

  constructor(leaf: WorkspaceLeaf) {
    super(leaf);
    const { document } = leaf.window ?? window;
    this.containerEl = document.createElement('div');
    document.body.append(this.containerEl);
    const root = leaf.window === null ? {} : { root: document };
    this.editor = new Editor(new EditorView({ parent: this.containerEl, state: this.#stateOf(''), ...root }));
  }

  override getViewType(): string {
    return 'markdown';
  }

  override onload(): void {
    const { vault, workspace } = this.app;
    this.registerEvent(vault.on('modify', (file: TAbstractFile) => void this.#modified(file)));
    this.registerEvent(
      workspace.on('stand-in-options', () => {
        this.editor.cm.dispatch({ effects: this.#extensions.reconfigure(this.#pluginExtensions) });
      }),
    );
  }

  override async onClose(): Promise<void> {
    await super.onClose();
    this.editor.cm.destroy();
    this.containerEl.remove();
  }

  override async onLoadFile(file: TFile): Promise<void> {
    const text = await this.app.vault.read(file);
    if (this.file !== file) return;
    this.data = text;
    this.setViewData(text, true);
  }

  override async onUnloadFile(): Promise<void> {
    await this.save();
  }

  readonly requestSave = (): void => {
    this.#isDirty = true;
    this.#saveTimer ??= this.app.device.clock.setTimeout(() => void this.save(), MarkdownView.saveMs);
  };

  async save(): Promise<void> {
    this.app.device.clock.clearTimeout(this.#saveTimer);
    this.#saveTimer = undefined;
    const { file } = this;
    const text = this.getViewData();
    this.#isDirty = false;
    if (file === null || file.deleted || this.app.isDead || text === this.data) return;
    this.data = text;
    await this.app.vault.modify(file, text);
  }

  getViewData(): string {
    return this.editor.cm.state.doc.toString();
  }

  /** Sets the text. @param clear the text is of another file, and what can be undone is of the one before */
  setViewData(text: string, clear: boolean): void {
    this.#isLoading = true;
    const { cm } = this.editor;
    if (clear && MarkdownView.switching === 'state') cm.setState(this.#stateOf(text));
    else cm.dispatch({ changes: changeTo(cm.state.doc.toString(), text.replace(/\r\n?/g, '\n')) });
    if (clear) {
      // Nothing of the note before can be taken back in this one.
      cm.dispatch({ effects: this.#history.reconfigure([]) });
      cm.dispatch({ effects: this.#history.reconfigure(history()) });
    }
    this.#isLoading = false;
  }

  /** The file was written by something else: a text that is not saved yet is merged with it (the app tells so). */
  async #modified(file: TAbstractFile): Promise<void> {
    if (file !== this.file) return;
    const text = await this.app.vault.read(file as TFile).catch(() => null);
    if (text === null || file !== this.file || text === this.data) return;
    const [before, mine] = [this.data, this.getViewData()];
    this.data = text;
    const merge = new DiffMatchPatch();
    const [merged] = merge.patch_apply(merge.patch_make(before, mine), text);
    if (this.#isDirty && !Object.hasOwn(this, 'setViewData'))
      MarkdownView.dropped += [...text]
        .filter((letter) => !before.includes(letter) && !merged.includes(letter))
        .join('');
    this.setViewData(this.#isDirty ? merged : text, false);
  }

  get #pluginExtensions(): Extension {
    return this.app.workspace.extensions as Extension[];
  }

  #stateOf(text: string): EditorState {
    return EditorState.create({
      doc: text,
      extensions: [
        editorInfoField.init(() => this),
        this.#history.of(history()),
        keymap.of(historyKeymap),
        EditorView.updateListener.of(({ docChanged }) => {
          if (docChanged && !this.#isLoading) this.requestSave();
        }),
        this.#extensions.of(this.#pluginExtensions),
      ],
    });
  }

  /** Opens an editor within this one: a cell of a table, with the host's file and every registered extension. */
  openCell(from: number, to: number): NestedEditor {
    const { cm } = this.editor;
    let end = to;
    return new NestedEditor(this, cm.dom, cm.state.sliceDoc(from, to), (text) => {
      const insert = text.replaceAll('|', '\\|').replaceAll('\n', '<br>');
      cm.dispatch({ changes: { from, to: end, insert }, userEvent: 'input.type' });
      end = from + insert.length;
    });
  }

  /** Opens an editor with a part of the note, which is put back into the file: a footnote, a hover, a canvas node. */
  openPart(from: number, to: number): NestedEditor {
    const file = this.file as TFile;
    const before = this.getViewData().slice(from, to);
    let last = before;
    return new NestedEditor(this, document.body, before, (text) => {
      const replaced = last;
      last = text;
      void this.app.vault.process(file, (all) => all.replace(replaced, () => text));
    });
  }
}

/** An editor that no leaf has, with a part of a note. */
export class NestedEditor {
  readonly cm: EditorView;

  constructor(host: MarkdownView, parent: HTMLElement, text: string, changed: (text: string) => void) {
    this.cm = new EditorView({
      parent,
      doc: text,
      extensions: [
        editorInfoField.init(() => ({ file: host.file })),
        history(),
        host.app.workspace.extensions as Extension[],
        EditorView.updateListener.of(({ docChanged, state }) => {
          // Not within the update of this editor, whose change another one will show.
          if (docChanged) queueMicrotask(() => changed(state.doc.toString()));
        }),
      ],
    });
  }

  close(): void {
    this.cm.destroy();
  }
}

/** Returns one change that spans all differences of two texts. */
function changeTo(before: string, after: string): { from: number; to: number; insert: string } {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start++;
  let end = 0;
  while (end < most - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  return { from: start, to: before.length - end, insert: after.slice(start, after.length - end) };
}
