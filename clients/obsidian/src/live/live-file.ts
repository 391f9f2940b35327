import type { EditorView } from '@codemirror/view';
import { DISPOSE } from '@notevault/client/dispose.ts';
import type { LiveNote, LiveNoteState } from '@notevault/client/live/live-note.ts';
import { mergeTexts } from '@notevault/note-text/merge/merge-texts.ts';
import type { Hold } from '@notevault/sync/engine/holds.ts';
import type { App, MarkdownView, TFile } from 'obsidian';
import {
  applyUpdate,
  Doc,
  type Text as DocumentText,
  encodeStateAsUpdate,
  type Transaction,
  type YTextEvent,
} from 'yjs';
import { BoundEditor } from './bound-editor.ts';
import type { CopyStore, NoteCopy } from './copy-store.ts';
import { ForeignTexts, type NoteWriter } from './foreign-texts.ts';
import { isBegun, TEXT } from './lineage.ts';
import { editTo, inLineFeeds, MAX_CANDIDATES, RecentTexts } from './texts.ts';

/** Dependencies of a live note. */
export interface LiveDeps {
  readonly app: App;
  readonly store: CopyStore;
  readonly writer: NoteWriter;
  /** Opens a note over the socket. */
  open(id: string, doc: Doc): LiveNote;
  /** Keeps a text of this device beside the note: its document is another one on the server. */
  keepBeside(path: string, text: string): Promise<void>;
  readonly now: () => number;
}

/** Why a note is no longer live here. */
export type EndReason = 'closed' | 'foreign_lineage' | 'refused';

/** Origins of changes that are no edit: the copy of this device, and a text that came by the file. */
const FROM_COPY = { name: 'copy' };
const FROM_FILE = { name: 'file' };

/** Maximum time for which the app's save waits until edits are stored on the device, in milliseconds. */
const KEPT_MS = 2_000;

/** Time after a file change in which the app may still set its merged text, in milliseconds. */
const REREAD_MS = 3_000;

/**
 * Note that is edited live on several devices. Meanwhile only its shared document is written by this device: typing
 * goes into the document, external changes of the file are sent as separate writes and come back through the document,
 * and the app saves its editors' text. At the end the sync engine takes over the text that both sides have.
 */
export class LiveFile {
  readonly file: TFile;
  readonly id: string;
  readonly editors = new Map<EditorView, BoundEditor>();
  readonly #parts: LiveDeps;
  readonly #hold: Hold;
  readonly #doc = new Doc();
  readonly #text: DocumentText;
  readonly #recent: RecentTexts;
  readonly #foreign: ForeignTexts;
  readonly #note: LiveNote;
  readonly #ended: (file: LiveFile, reason: EndReason) => void;
  #isCopied = false;
  readonly #keeping = new Set<Promise<void>>();
  /** Number of replaced editor texts that are not processed yet. */
  #replacing = 0;
  /** Time of the last file change that did not come from the only editor that shows it. */
  #changedAt = 0;
  /** Data to store together with the next document change, because the app may be killed at any time. */
  #keptWith: Pick<NoteCopy, 'foreign'> | null = null;
  #isOver = false;
  #isClosing = false;
  /** Whether edits go into the document without the server: it was reached before, or was given up. */
  #isAlone = false;
  /** The last text that the server has acknowledged as a whole. */
  #acknowledged: string;

  /**
   * @param copy what this device kept of the note when the app ended
   * @param onDisk the text of the file now
   */
  constructor(
    parts: LiveDeps,
    file: TFile,
    hold: Hold,
    { copy, onDisk }: { readonly copy: NoteCopy | null; readonly onDisk: string },
    ended: (file: LiveFile, reason: EndReason) => void,
  ) {
    this.#parts = parts;
    this.file = file;
    this.id = hold.id;
    this.#hold = hold;
    this.#ended = ended;
    this.#text = this.#doc.getText(TEXT);
    this.#recent = new RecentTexts(copy?.onDisk ?? hold.text, parts.now);
    this.#acknowledged = hold.text;
    this.#replay(copy, onDisk);
    this.#text.observe((event, transaction) => this.#show(event, transaction));
    this.#doc.on('update', (update: Uint8Array, origin: unknown, _doc: Doc, transaction: Transaction) => {
      if (origin !== FROM_COPY) this.#keep(update, transaction.local);
    });
    this.#note = parts.open(hold.id, this.#doc);
    this.#foreign = new ForeignTexts({
      id: hold.id,
      note: this.#note,
      writer: parts.writer,
      waiting: copy?.foreign ?? [],
      // In one with what the file has: alone, that would say that nothing of it waits.
      changed: (foreign) => this.#change({ foreign, onDisk: this.#recent.onDisk }),
      apply: ({ base, text }, others) => {
        if (!this.#isAlone || !isBegun(this.#doc)) return false;
        this.#keptWith = { foreign: others };
        this.#edit(mergeTexts(base, text, this.text));
        this.#keptWith = null;
        return true;
      },
      done: () => this.#release(),
    });
    this.#note.onState((state) => this.#follow(state));
    this.#foreign.send();
  }

  get text(): string {
    return this.#text.toJSON();
  }

  get note(): LiveNote {
    return this.#note;
  }

  /** Whether there is a text that editors can show. */
  get isReady(): boolean {
    return !this.#isOver && isBegun(this.#doc) && !this.text.includes('\r') && this.#note.state.canWrite !== false;
  }

  /** Returns whether a text is of this note as this device knows it. */
  knows(text: string): boolean {
    return text === this.text || this.#recent.has(text);
  }

  /**
   * Connects an editor to the document. Text that only the editor has was typed before, and is applied as an edit.
   *
   * @param shown text of the editor before that edit
   */
  bind(owner: MarkdownView, view: EditorView, shown: string): void {
    const typed = view.state.doc.toString();
    if (!this.knows(typed)) this.#edit(mergeTexts(shown, typed, this.text));
    const editor = new BoundEditor(this.#parts.app, owner, view, this.#text, {
      replaced: (text) => void this.#replaced(text),
      kept: () => (this.#keeping.size === 0 ? null : this.#kept()),
    });
    this.editors.set(view, editor);
    this.#recent.add(view.state.doc);
    // From now on the app saves what the document has.
    if (!this.#isCopied && !this.#recent.isOnDisk(this.text)) void this.#beginCopy();
  }

  unbind(view: EditorView): void {
    this.editors.get(view)?.release();
    // The app saves what it no longer shows.
    if (this.editors.delete(view)) this.#changedAt = this.#parts.now();
  }

  /** A text of the file that the app or another plugin gives: an echo of what the document had, or an edit of nobody here. */
  read(text: string): void {
    // Before there is a document, nothing can be told from what it had.
    if (this.#isOver || !isBegun(this.#doc)) return;
    // Systems show a file that is being written as empty: who empties a note does so in an editor.
    if (text === '' && this.text !== '') return;
    const base = this.knows(text) ? null : this.#recent.baseOf(text);
    const isNew = !this.#recent.isOnDisk(text);
    this.#recent.wasRead(text);
    if (isNew && base === null) void this.#change({ onDisk: text });
    if (base !== null || (isNew && this.editors.size > 1)) this.#changedAt = this.#parts.now();
    if (base !== null) this.#foreign.add({ base, text, sent: null });
    else this.#release();
  }

  /** Checks the file, because events for its changes may be missing. */
  check(): Promise<void> {
    const check = async () => {
      const text = await this.#parts.app.vault.read(this.file).catch(() => null);
      if (text !== null) this.read(inLineFeeds(text));
    };
    return this.#keepingBy(check());
  }

  /** Marks the file's text as being read and stored until `work` ends. */
  async #keepingBy(work: Promise<void>): Promise<void> {
    this.#keeping.add(work);
    await work.catch(() => undefined);
    this.#keeping.delete(work);
  }

  /** Resolves when what the file had is kept: the app may end right after it has saved over it. */
  async #kept(): Promise<void> {
    const until = this.#parts.now() + KEPT_MS;
    let timer: number | undefined;
    const late = new Promise<void>((resolve) => {
      timer = window.setTimeout(resolve, KEPT_MS);
    });
    while (this.#keeping.size > 0 && this.#parts.now() < until) await Promise.race([late, ...this.#keeping]);
    window.clearTimeout(timer);
  }

  /**
   * The app or a plugin sets the text of an editor. The app does so after something else has changed the file, with the
   * change merged into what it had not saved: then the file says what has changed, and counts. It may merge what the editor
   * has already, of another pane or of this note's close, and then would have it twice.
   */
  async #replaced(text: string): Promise<void> {
    this.#replacing += 1;
    await this.check();
    this.#replacing -= 1;
    if (this.#parts.now() - this.#changedAt > REREAD_MS) this.read(text);
  }

  /** The server could not be reached: what changes the file goes into the document without it. */
  continueAlone(): void {
    this.#isAlone = true;
    this.#foreign.send();
  }

  moved(): void {
    this.#hold.moved(this.file.path);
    void this.#change({ path: this.file.path });
  }

  /** Resolves once the server has all edits, or live editing has ended. */
  sent(): Promise<void> {
    return new Promise((resolve) => {
      let end = (): void => undefined;
      const check = () => {
        const { isSaved, end: ended } = this.#note.state;
        if (!isSaved && ended === null && !this.#isOver) return;
        end();
        resolve();
      };
      end = this.#note.onState(check);
      check();
    });
  }

  /** Gives a text that no editor can show to the engine; one with unsent edits stays here until they are sent. */
  async giveBack(): Promise<void> {
    if (this.#note.state.isSaved) await this.#end('refused', this.text);
    else this.leave();
  }

  /** Stops live editing. Once both sides have the note's text, the sync engine takes over again. */
  async close(): Promise<void> {
    if (this.#isClosing) return;
    this.#isClosing = true;
    try {
      await this.check();
      if (this.#isUsed || !this.#isSettledButDisk()) return;
      await this.#writeFile();
      if (this.#isUsed || !this.#isSettled()) return;
      await this.#end('closed', this.text);
    } finally {
      this.#isClosing = false;
    }
  }

  get #isUsed(): boolean {
    return this.#isOver || this.editors.size > 0 || this.#replacing > 0;
  }

  /** The file gets the text of the document, as it is when the app writes: it may wait for another write until then. */
  async #writeFile(): Promise<void> {
    const write = (onDisk: string) => {
      // Another program may have written since: then the file is read once more. An editor saves by itself.
      if (this.#isUsed || !this.#recent.has(inLineFeeds(onDisk))) return onDisk;
      this.#changedAt = this.#parts.now();
      return withEndsOf(onDisk, this.text);
    };
    await this.#parts.app.vault
      .process(this.file, write)
      .then((onDisk) => this.read(inLineFeeds(onDisk)))
      .catch(() => undefined);
  }

  /**
   * Leaves everything as it is: what was not sent is in the copy of this device. With a copy the engine leaves the text
   * alone until the note is live again: the file has the unsent edits too, and the vault would get them twice.
   */
  leave(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const view of [...this.editors.keys()]) this.unbind(view);
    this.#foreign.stop();
    this.#note[DISPOSE]();
    if (this.#isCopied) this.#hold.reserve();
    else this.#hold.release();
    this.#doc.destroy();
  }

  /**
   * Each state that the document had: what the app saved of it is no edit, and what was typed last and saved, but not kept
   * any more, was made from one of the latest.
   */
  #replay(copy: NoteCopy | null, onDisk: string): void {
    if (copy === null) return;
    this.#isCopied = true;
    // The document had it before the first change that was kept.
    this.#recent.add(copy.onDisk);
    let isFound = false;
    for (const [at, update] of copy.updates.entries()) {
      applyUpdate(this.#doc, update, FROM_COPY);
      const isOnDisk: boolean = !isFound && this.#text.length === onDisk.length && this.text === onDisk;
      if (isOnDisk || at >= copy.updates.length - MAX_CANDIDATES) this.#recent.add(this.text);
      isFound ||= isOnDisk;
    }
    if (isFound) this.#recent.wasRead(onDisk);
  }

  #show(event: YTextEvent, { origin }: Transaction): void {
    for (const [view, editor] of [...this.editors]) {
      if (editor === origin) continue;
      if (editor.isCurrent) editor.changed(event);
      else this.unbind(view);
    }
    const [shown] = this.editors.values();
    this.#recent.add(shown?.view.state.doc ?? this.text);
  }

  #edit(target: string): void {
    if (target === this.text) return;
    this.#doc.transact(() => editTo(this.#text, target), FROM_FILE);
  }

  /**
   * Keeps the document on this device while the server or the file lacks some of it: what the app has saved is then told
   * from an edit by the states that the document had.
   */
  #keep(update: Uint8Array, isLocal: boolean): void {
    const { store } = this.#parts;
    if (this.#isCopied) void store.append(this.id, update, this.#keptWith).catch(() => undefined);
    else if (isLocal || this.editors.size > 0) void this.#beginCopy();
  }

  #beginCopy(): Promise<void> {
    this.#isCopied = true;
    const row = {
      id: this.id,
      path: this.file.path,
      onDisk: this.#recent.onDisk,
      foreign: this.#foreign?.waiting ?? [],
    };
    return this.#keepingBy(this.#parts.store.begin(row, encodeStateAsUpdate(this.#doc)));
  }

  async #change(changed: Partial<Omit<NoteCopy, 'updates'>>): Promise<void> {
    if (this.#isCopied) await this.#keepingBy(this.#parts.store.change(this.id, changed));
    else if ((changed.foreign?.length ?? 0) > 0) await this.#beginCopy();
  }

  #follow({ isSynced, isSaved, isRejected, canWrite, end }: LiveNoteState): void {
    if (this.#isOver) return;
    if (isSynced) this.#isAlone = true;
    if (isSaved) this.#acknowledged = this.text;
    if (end === 'foreign_lineage') void this.#keepBeside();
    else if (end !== null || isRejected || canWrite === false) void this.#end('refused', this.#acknowledged);
    else {
      this.#foreign.send();
      this.#release();
    }
  }

  #isSettledButDisk(): boolean {
    return this.#note.state.isSaved && this.#foreign.waiting.length === 0;
  }

  #isSettled(): boolean {
    return this.#isSettledButDisk() && this.#recent.isOnDisk(this.text);
  }

  /** Server, document and file have the same text: the base of the engine moves, and no copy is needed. */
  #release(): void {
    if (this.#isOver || !this.#isSettled()) return;
    const text = this.text;
    void this.#hold.agree(text).then(() => {
      if (this.#isOver || !this.#isCopied || text !== this.text || !this.#isSettled()) return;
      this.#isCopied = false;
      void this.#parts.store.remove(this.id).catch(() => undefined);
    });
  }

  async #keepBeside(): Promise<void> {
    const { text } = this;
    this.#isOver = true;
    // A copy of which the server knows everything is worth nothing beside the note.
    if (this.#isCopied) await this.#parts.keepBeside(this.file.path, text);
    // What is kept beside is no edit of the note.
    const write = (onDisk: string) => withEndsOf(onDisk, text);
    await this.#parts.app.vault.process(this.file, write).catch(() => undefined);
    this.#isOver = false;
    await this.#end('foreign_lineage', text);
  }

  async #end(reason: EndReason, agreed: string): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    await this.#hold.agree(agreed);
    this.#isCopied = false;
    await this.#parts.store.remove(this.id).catch(() => undefined);
    this.#isOver = false;
    this.leave();
    this.#ended(this, reason);
  }
}

/** Returns a text with the line ends that the file has. */
function withEndsOf(file: string, text: string): string {
  return file.includes('\r\n') ? text.replaceAll('\n', '\r\n') : text;
}
