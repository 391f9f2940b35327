import type { Extension } from '@codemirror/state';
import { DISPOSE } from '@notevault/client/dispose.ts';
import { LiveSocket } from '@notevault/client/live/live-socket.ts';
import type { App, EventRef, Plugin } from 'obsidian';
import { CopyStore, copiesOf } from '../live/copy-store.ts';
import { LiveNotes } from '../live/live-notes.ts';
import type { Connection } from '../sync/connect.ts';
import type { VaultSync } from '../sync/vault-sync.ts';

export interface LiveSessionOptions {
  readonly app: App;
  readonly sync: VaultSync;
  readonly connection: Connection;
  readonly deviceId: string;
  readonly deviceName: string;
  readonly indexedDb: IDBFactory;
  /** Extensions of every editor, registered once and replaced with each session. */
  readonly extensions: Extension[];
}

/** Maximum time that the end of a session waits for edits under way, in milliseconds. */
const SENT_MS = 2_000;

/** The notes that are edited here and elsewhere at once, for as long as this device syncs. */
export class LiveSession {
  readonly #options: LiveSessionOptions;
  readonly #socket: LiveSocket;
  readonly #live: LiveNotes;
  readonly #store: CopyStore;
  readonly #refs: EventRef[] = [];
  readonly #ends: (() => unknown)[] = [];

  /** Opens a session; resolves once the engine leaves the notes alone whose unsent edits are kept on this device. */
  static async open(options: LiveSessionOptions): Promise<LiveSession> {
    const store = new CopyStore(options.indexedDb, copiesOf(options.deviceId));
    options.sync.holds.reserve(await store.ids().catch(() => []));
    return new LiveSession(options, store);
  }

  private constructor(options: LiveSessionOptions, store: CopyStore) {
    const { app, sync, connection, deviceName } = options;
    this.#options = options;
    this.#store = store;
    this.#socket = new LiveSocket(connection.url, sync.tokens);
    this.#live = new LiveNotes({
      app,
      store,
      writer: sync.vault,
      open: (id, doc) => this.#socket.open(id, doc),
      keepBeside: async (path, text) => void (await sync.disk.kept.keep(path, new TextEncoder().encode(text))),
      now: () => Date.now(),
      name: deviceName,
      holds: sync.holds,
      isConnected: () => this.#socket.isConnected,
    });
    // A session ends before the plugin does, so it takes what it registers back itself.
    const session: Pick<Plugin, 'registerEditorExtension' | 'registerEvent' | 'register'> = {
      registerEditorExtension: (extension) => {
        options.extensions.push(extension);
        app.workspace.updateOptions();
      },
      registerEvent: (ref) => void this.#refs.push(ref),
      register: (end) => void this.#ends.push(end),
    };
    this.#live.register(session as Plugin);
    this.#ends.push(this.#socket.onConnection(() => this.#live.check()));
    // Without a document the socket would not connect.
    this.#socket.watch(connection.vaultId);
    void this.#live.recover();
  }

  /** Resolves once the server has what was typed, or cannot be reached; after a while in any case. */
  sent(): Promise<void> {
    return this.#live.sent(SENT_MS);
  }

  close(): void {
    const { app, extensions } = this.#options;
    for (const end of this.#ends.splice(0)) end();
    // An event does not say whose it is, and each of these forgets its own alone.
    for (const ref of this.#refs.splice(0)) for (const owner of [app.vault, app.workspace]) owner.offref(ref);
    this.#socket[DISPOSE]();
    this.#store.close();
    extensions.length = 0;
    app.workspace.updateOptions();
  }
}
