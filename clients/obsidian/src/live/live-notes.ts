import type { Extension } from '@codemirror/state';
import { type EditorView, type PluginValue, ViewPlugin, type ViewUpdate } from '@codemirror/view';
import type { SyncEngine } from '@notevault/sync/engine/engine.ts';
import type { MarkdownView, Plugin, TAbstractFile, TFile } from 'obsidian';
import { fromDocument, ownerOf } from './bound-editor.ts';
import { remoteCursors } from './cursors.ts';
import { type EndReason, type LiveDeps, LiveFile } from './live-file.ts';
import { inLineFeeds } from './texts.ts';

export interface LiveOptions extends LiveDeps {
  /** The engine's notes, of which those that are live are held. */
  readonly holds: Pick<SyncEngine['holds'], 'hold' | 'pathOf'>;
  /** The name of the person here, for others where the account has none. */
  readonly name: string;
  /** Returns whether the socket is connected. */
  isConnected(): boolean;
}

/** Interval for checking files of live notes, because external changes may raise no event, in milliseconds. */
const CHECK_MS = 5_000;
/** Time to wait for a note's document, in milliseconds; meanwhile the sync engine handles the note. */
const PATIENCE_MS = 10_000;
/** After it could not be live, a note is left to the engine for this long. */
const PAUSE_MS = 60_000;
/** Maximum texts remembered per editor while it is not connected. */
const MAX_SHOWN = 200;

/** An editor of the app, of whatever kind, and what it has shown since it has its file. */
class WatchedEditor {
  readonly view: EditorView;
  file: TFile | null = null;
  shown: EditorView['state']['doc'][] = [];

  constructor(view: EditorView) {
    this.view = view;
  }

  /** The file changes before the text: what was shown until now is of another file. */
  hasFile(file: TFile | null): void {
    if (file === this.file) return;
    this.file = file;
    this.shown = [this.view.state.doc];
  }

  hasText(): void {
    if (this.shown.length === MAX_SHOWN) this.shown.shift();
    this.shown.push(this.view.state.doc);
  }

  /** Returns whether the editor has shown a text from which its current text was typed. */
  hasShown(text: string): boolean {
    return this.shown.some((shown) => shown.length === text.length && shown.toString() === text);
  }
}

/** Live notes of this device: those open in an editor, and those with unsent edits. */
export class LiveNotes {
  readonly #options: LiveOptions;
  readonly #watched = new Map<EditorView, WatchedEditor>();
  readonly #live = new Map<TAbstractFile, LiveFile>();
  readonly #starting = new Set<TFile>();
  /** Time until which notes are left to the sync engine. */
  readonly #paused = new Map<TFile, number>();
  readonly #timer: number;
  #isDue = false;
  #isOver = false;

  constructor(options: LiveOptions) {
    this.#options = options;
    this.#timer = window.setInterval(() => this.#lookAtFiles(), CHECK_MS);
  }

  /** Editor extension that the app adds to every editor. */
  get extension(): Extension {
    const appeared = (view: EditorView) => {
      this.#watched.set(view, new WatchedEditor(view));
      this.check();
    };
    const edited = (update: ViewUpdate) => this.#edited(update);
    const went = (view: EditorView) => {
      this.#watched.delete(view);
      for (const live of this.#live.values()) live.unbind(view);
      this.check();
    };
    class Watcher implements PluginValue {
      readonly #view: EditorView;

      constructor(view: EditorView) {
        this.#view = view;
        appeared(view);
      }

      update(update: ViewUpdate): void {
        if (update.docChanged) edited(update);
      }

      destroy(): void {
        went(this.#view);
      }
    }
    return [
      ViewPlugin.fromClass(Watcher),
      remoteCursors((view) => this.#liveOf(view)?.note.awareness ?? null, this.#options.name),
    ];
  }

  /** Hears of what happens in the app until the plugin is unloaded. */
  register(plugin: Plugin): void {
    const { vault, workspace } = this.#options.app;
    plugin.registerEditorExtension(this.extension);
    plugin.registerEvent(vault.on('modify', (file) => this.#modified(file)));
    plugin.registerEvent(vault.on('rename', (file) => this.#live.get(file)?.moved()));
    plugin.registerEvent(vault.on('delete', (file) => this.#drop(file)));
    plugin.registerEvent(workspace.on('file-open', () => this.check()));
    plugin.registerEvent(workspace.on('layout-change', () => this.check()));
    plugin.register(() => this.close());
  }

  /**
   * Continues with the notes whose edits the server did not get before the app ended, or before they were left. The
   * engine leaves their texts alone meanwhile.
   */
  async recover(): Promise<void> {
    const { store, app, holds } = this.#options;
    for (const id of await store.ids()) {
      if (this.#isOver) return;
      if ([...this.#live.values()].some((live) => live.id === id)) continue;
      const path = holds.pathOf(id);
      // The note is in neither place any more.
      if (path === undefined) await store.remove(id);
      const file = path === undefined ? null : app.vault.getFileByPath(path);
      if (file !== null) void this.#start(file);
    }
  }

  /** Resolves once the server has the edits of all live notes; at once without a connection, and at most after `ms`. */
  async sent(ms: number): Promise<void> {
    if (!this.#options.isConnected()) return;
    let timer: number | undefined;
    const late = new Promise<void>((resolve) => {
      timer = window.setTimeout(resolve, ms);
    });
    await Promise.race([late, Promise.all([...this.#live.values()].map((live) => live.sent()))]);
    window.clearTimeout(timer);
  }

  /** Checks the open editors in the next task; call it whenever they may have changed. */
  check(): void {
    if (this.#isDue || this.#isOver) return;
    this.#isDue = true;
    // Views that are just made know their editors only after this.
    window.setTimeout(() => {
      this.#isDue = false;
      if (!this.#isOver) this.#checkEditors();
    }, 0);
  }

  /** Leaves all notes: what was not sent stays on this device. */
  close(): void {
    this.#isOver = true;
    window.clearInterval(this.#timer);
    for (const file of [...this.#live.keys()]) this.#drop(file);
  }

  #modified(file: TAbstractFile): void {
    void this.#live.get(file)?.check();
    this.check();
  }

  #edited({ view, transactions }: ViewUpdate): void {
    this.#watched.get(view)?.hasText();
    const live = this.#liveOf(view);
    const editor = live?.editors.get(view);
    if (live === undefined || editor === undefined) return;
    for (const transaction of transactions) {
      if (!transaction.docChanged || transaction.annotation(fromDocument) === true) continue;
      if (editor.isCurrent && editor.typed(transaction)) continue;
      live.unbind(view);
      this.check();
      return;
    }
  }

  #liveOf(view: EditorView): LiveFile | undefined {
    return [...this.#live.values()].find(({ editors }) => editors.has(view));
  }

  #checkEditors(): void {
    for (const watched of this.#watched.values()) {
      const owner = ownerOf(this.#options.app, watched.view);
      watched.hasFile(owner?.file ?? null);
      if (owner === null || owner.file === null || owner.file.extension !== 'md') continue;
      const live = this.#live.get(owner.file);
      if (live === undefined) void this.#start(owner.file);
      else if (live.isReady && !live.editors.has(watched.view)) void this.#bind(live, owner, watched);
    }
    for (const live of [...this.#live.values()]) {
      for (const [view, editor] of [...live.editors]) if (!editor.isCurrent) live.unbind(view);
      if (live.editors.size === 0) void live.close();
    }
  }

  async #bind(live: LiveFile, owner: MarkdownView, watched: WatchedEditor): Promise<void> {
    const { view, file } = watched;
    const now = view.state.doc;
    let shown = now.toString();
    if (!live.knows(shown)) {
      const text = await this.#options.app.vault.read(live.file).then(inLineFeeds, () => null);
      // Until the text of the file was shown, the editor has that of another one.
      if (text === null || !watched.hasShown(text)) return;
      // What the app set meanwhile is no text that somebody typed.
      if (view.state.doc !== now) {
        this.check();
        return;
      }
      live.read(text);
      shown = text;
    }
    const isSame = ownerOf(this.#options.app, view) === owner && owner.file === live.file && watched.file === file;
    if (!isSame || live.editors.has(view) || this.#live.get(live.file) !== live || !live.isReady) return;
    live.bind(owner, view, shown);
  }

  async #start(file: TFile): Promise<void> {
    if (this.#starting.has(file) || this.#live.has(file)) return;
    if ((this.#paused.get(file) ?? 0) > this.#options.now()) return;
    this.#starting.add(file);
    try {
      const onDisk = inLineFeeds(await this.#options.app.vault.read(file));
      const { path } = file;
      const hold = await this.#options.holds.hold(path, onDisk);
      if (hold === null) return;
      const copy = await this.#options.store.load(hold.id).catch(() => null);
      // From here on a live note hears of it.
      if (file.path !== path) hold.moved(file.path);
      if (this.#isOver || (copy === null && !this.#options.isConnected())) {
        hold.release();
        return;
      }
      const live = new LiveFile(this.#options, file, hold, { copy, onDisk }, (ended, why) => this.#ended(ended, why));
      this.#live.set(file, live);
      await this.#opened(live, copy !== null);
      await live.check();
      this.check();
    } catch {
      // The file is gone, or the server does not answer: the engine has the note.
      this.#paused.set(file, this.#options.now() + PAUSE_MS);
    } finally {
      this.#starting.delete(file);
    }
  }

  /**
   * Waits for the note's document. If the server is unreachable, a note without a local copy is left to the sync
   * engine.
   */
  async #opened(live: LiveFile, hasCopy: boolean): Promise<void> {
    // Editors can show a copy at once.
    if (hasCopy) this.check();
    const patience = new AbortController();
    const timer = window.setTimeout(() => patience.abort(new Error('no answer')), PATIENCE_MS);
    try {
      await live.note.synced(patience.signal);
    } catch (error) {
      if (hasCopy && patience.signal.aborted) {
        live.continueAlone();
        return;
      }
      this.#drop(live.file);
      throw error;
    } finally {
      window.clearTimeout(timer);
    }
    if (live.isReady) return;
    await live.giveBack();
    this.#live.delete(live.file);
    throw new Error('not a text that can be edited here');
  }

  #ended({ file }: LiveFile, reason: EndReason): void {
    this.#live.delete(file);
    if (reason === 'refused') this.#paused.set(file, this.#options.now() + PAUSE_MS);
    else this.check();
  }

  #drop(file: TAbstractFile): void {
    this.#live.get(file)?.leave();
    this.#live.delete(file);
  }

  #lookAtFiles(): void {
    for (const live of this.#live.values()) void live.check();
    this.check();
    void this.recover().catch(() => undefined);
  }
}
