import type { LocalStore } from '../collab/local-store.ts';
import type { NotePeers, PeerMessage } from '../collab/note-peers.ts';
import { NoteSession, type SessionOptions } from '../collab/note-session.ts';
import { sendKept } from '../collab/send-kept.ts';
import { type FakeNote, FakeServer } from './fake-server.ts';
import { MemoryStore } from './memory-store.ts';

/** Simulated browser with tabs that have one note open. Messages between tabs are delivered when the test says so. */
export class NoteBrowser {
  readonly server: FakeServer;
  readonly store: LocalStore & { failure?: Error | null };
  /** Whether the browser has a channel between tabs. */
  hasChannel = true;
  tabs: NoteTab[] = [];
  #count = 0;

  constructor(text: string, store: LocalStore = new MemoryStore()) {
    this.server = new FakeServer(text);
    this.store = store;
  }

  open(store: LocalStore = this.store): NoteTab {
    const tab = new NoteTab(this, store, `tab ${++this.#count}`);
    this.tabs.push(tab);
    return tab;
  }

  /** Delivers all pending messages. */
  deliver(): void {
    for (const tab of this.tabs) while (tab.receive(0));
  }

  /** Sends the note's stored edits from a tab that does not show the note. */
  async sendKept(): Promise<void> {
    const options: SessionOptions = {
      ...COMMON,
      open: (id, doc) => {
        const note = this.server.open(id, doc);
        queueMicrotask(() => note.sync());
        return note;
      },
      store: this.store,
      peers: null,
      writer: 'sender',
      delay: (call) => call(),
    };
    await sendKept(options, new AbortController().signal);
  }
}

const COMMON = {
  note: { id: 'note', vaultId: 'vault', path: 'note.md' },
  now: () => 0,
  every: () => () => undefined,
};

/** A tab with the note open, until it is killed. */
export class NoteTab {
  readonly options: SessionOptions;
  readonly session: NoteSession;
  readonly #browser: NoteBrowser;
  /** Messages to this tab, by sender. */
  readonly #inbox = new Map<NoteTab, PeerMessage[]>();
  #listener: (message: PeerMessage) => void = () => undefined;
  #note: FakeNote | null = null;
  #due: (() => void)[] = [];
  #isKilled = false;

  constructor(browser: NoteBrowser, store: LocalStore, writer: string) {
    this.#browser = browser;
    this.options = {
      ...COMMON,
      open: (id, doc) => {
        this.#note = browser.server.open(id, doc);
        return this.#note;
      },
      store: this.#until(store),
      peers: browser.hasChannel ? this.#peers() : null,
      writer,
      delay: (call) => void this.#due.push(call),
    };
    this.session = new NoteSession(this.options);
  }

  get note(): FakeNote {
    if (this.#note === null) throw new Error('the session has not connected yet');
    return this.#note;
  }

  get isConnecting(): boolean {
    return this.#note !== null;
  }

  get text(): string {
    return this.session.text.toString();
  }

  type(text: string): void {
    this.session.text.insert(this.text.length, text);
  }

  /** Writes the pending updates to the store. */
  keep(): void {
    for (const call of this.#due.splice(0)) call();
  }

  /** Delivers the next message of one sender; returns false if there is none. */
  receive(from: number): boolean {
    const senders = [...this.#inbox.values()].filter((messages) => messages.length > 0);
    const message = senders[from % senders.length]?.shift();
    if (message !== undefined) this.#listener(message);
    return message !== undefined;
  }

  /** Drops the next message. */
  skip(): void {
    for (const messages of this.#inbox.values()) messages.shift();
  }

  /** Ends the tab as a crash does. */
  kill(): void {
    this.#isKilled = true;
    this.#browser.tabs = this.#browser.tabs.filter((tab) => tab !== this);
  }

  #peers(): NotePeers {
    return {
      post: (message) => {
        if (this.#isKilled) return;
        for (const tab of this.#browser.tabs) {
          if (tab !== this) tab.#inbox.set(this, [...(tab.#inbox.get(this) ?? []), structuredClone(message)]);
        }
      },
      listen: (listener) => {
        this.#listener = listener;
      },
      [Symbol.dispose]: () => undefined,
    };
  }

  /** Wraps a store so that its calls never settle after the tab is killed. */
  #until(store: LocalStore): LocalStore {
    return new Proxy(store, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) => (this.#isKilled ? new Promise(() => undefined) : value.apply(target, args));
      },
    });
  }
}
