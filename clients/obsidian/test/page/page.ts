import { EditorState, type Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { LiveSocket } from '@notevault/client/live/live-socket.ts';
import { fixedToken } from '@notevault/client/tokens.ts';
import { Transport } from '@notevault/client/transport.ts';
import { VaultClient } from '@notevault/client/vault-client.ts';
import type { Plugin as TypedPlugin } from 'obsidian';
import { Doc, encodeStateAsUpdate } from 'yjs';
import { CopyStore } from '../../src/live/copy-store.ts';
import { LiveNotes } from '../../src/live/live-notes.ts';
import { failures } from '../stand-in/events.ts';
import type { TAbstractFile } from '../stand-in/files.ts';
import type { NestedEditor } from '../stand-in/markdown.ts';
import { Plugin } from '../stand-in/plugin.ts';
import { AppOnPage, type AppOptions } from './app-on-page.ts';
import { network } from './network.ts';
import { TestEngine } from './test-engine.ts';
import { type PluginOptions, WholePlugin } from './whole-plugin.ts';

export interface StartOptions extends AppOptions {
  /** Notes that both sides have, at the first start. */
  readonly notes?: readonly { readonly id: string; readonly path: string; readonly text: string }[];
}

const COPIES = 'notevault-live';

/** The app on this page, with the live notes of the plugin and nothing else of it. */
class PageDevice extends AppOnPage {
  readonly live: LiveNotes;
  readonly engine: TestEngine;
  /** Texts saved beside notes, by path. */
  readonly kept: [path: string, text: string][] = [];
  nested: NestedEditor | null = null;
  readonly keys: number[] = [];
  readonly changes: number[] = [];
  readonly #socket: LiveSocket;
  readonly #store = new CopyStore(indexedDB, COPIES);

  constructor(options: StartOptions) {
    super(options);
    const { device } = this.app;
    const tokens = fixedToken(options.token);
    const vault = new VaultClient(new Transport(options.server, tokens, { tries: 1 }), options.vault);
    this.#socket = new LiveSocket(options.server, tokens, { firstDelayMs: 20, longestDelayMs: 40 });
    this.engine = new TestEngine(this.app, vault);
    if (this.isFirst) {
      for (const { id, path, text } of options.notes ?? []) {
        device.disk.write(path, text);
        this.engine.agree(path, id, text);
      }
    }
    this.app.vault.on('rename', (file: TAbstractFile, from: string) => this.engine.renamed(from, file.path));
    this.live = new LiveNotes({
      app: this.app.asApp,
      store: this.#store,
      writer: vault,
      open: (id, doc) => this.#socket.open(id, doc),
      keepBeside: async (path, text) => void this.kept.push([path, text]),
      now: () => Date.now(),
      holds: this.engine,
      isConnected: () => this.#socket.isConnected,
      name: 'alice',
    });
    const plugin = new (class extends Plugin {})(this.app, { id: 'notevault', name: 'Notevault', version: '0' });
    plugin.load();
    this.live.register(plugin as unknown as TypedPlugin);
    this.#socket.onConnection(() => this.live.check());
    // The socket connects with the first note.
    this.#socket.watch(options.vault);
    this.app.start();
    this.engine.reserve(this.#store.ids());
    void this.live.recover();
  }

  /** Changes a file as another plugin does. */
  async process(path: string, change: (text: string) => string): Promise<void> {
    const file = this.app.vault.getFileByPath(path);
    if (file !== null) await this.app.vault.process(file, change);
  }

  /** Returns the notes of which this device keeps a copy, once everything that happened until now is kept. */
  copies(): Promise<readonly string[]> {
    return this.#store.ids();
  }

  /** Blocks writes of the device's copies until the returned function is called. */
  async blockCopies(): Promise<() => void> {
    const opening = indexedDB.open(COPIES);
    const database = await new Promise<IDBDatabase>((resolve) => {
      opening.onsuccess = () => resolve(opening.result);
    });
    const notes = database.transaction(['notes', 'updates'], 'readwrite').objectStore('notes');
    let isOver = false;
    await new Promise<void>((resolve) => {
      const goOn = () => {
        resolve();
        if (isOver) database.close();
        else notes.count().onsuccess = goOn;
      };
      notes.count().onsuccess = goOn;
    });
    return () => {
      isOver = true;
    };
  }

  /** Keeps a document with a text that the server did not begin, as if this device had edited it before. */
  async forgeCopy(id: string, path: string, text: string): Promise<void> {
    const doc = new Doc();
    doc.getText('content').insert(0, text);
    await this.#store.begin({ id, path, onDisk: text, foreign: [] }, encodeStateAsUpdate(doc));
  }

  /** Puts an extension of another plugin into every editor. */
  extend(extension: Extension): void {
    this.app.workspace.addExtension(extension);
  }

  /** Notes when keys go down, and when each letter is in the text, in milliseconds of the machine's clock. */
  listen(): void {
    const now = () => performance.timeOrigin + performance.now();
    const { cm } = this.view(0).editor;
    cm.contentDOM.addEventListener('keydown', () => this.keys.push(now()), { capture: true });
    this.extend(
      EditorView.updateListener.of(({ state, startState }) => {
        for (let letters = state.doc.length - startState.doc.length; letters > 0; letters--) this.changes.push(now());
      }),
    );
    cm.focus();
  }

  /** A plugin that lets nothing be written that has a word in it. */
  forbid(word: string): void {
    this.extend(
      EditorState.transactionFilter.of((transaction) =>
        transaction.newDoc.toString().includes(word) ? [] : transaction,
      ),
    );
  }

  cut(): void {
    network.cut();
  }

  restore(): void {
    network.restore();
    this.#socket.connectNow();
  }
}

declare global {
  interface Window {
    device: PageDevice;
    failures: unknown[];
    start(options: StartOptions): void;
    plugin: WholePlugin;
    startPlugin(options: PluginOptions): Promise<void>;
  }
}

window.failures = failures;
window.start = (options) => {
  window.device = new PageDevice(options);
};
window.startPlugin = async (options) => {
  window.plugin = new WholePlugin(options);
  await window.plugin.start();
};
