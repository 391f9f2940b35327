import { createHash, randomUUID } from 'node:crypto';
import { NotevaultClient } from '@notevault/client/notevault-client.ts';
import { fixedToken } from '@notevault/client/tokens.ts';
import { Transport } from '@notevault/client/transport.ts';
import type { VaultClient } from '@notevault/client/vault-client.ts';
import type { VaultTree } from '@notevault/protocol/sync.ts';
import { keysOf } from '../../../web/src/device/outbox/entry-keys.ts';
import { type Operation, type OutboxEntry, treeWith } from '../../../web/src/device/outbox/operation.ts';
import { Outbox, type OutboxStore, type Result, TabOutbox } from '../../../web/src/device/outbox/outbox.ts';
import { replay } from '../../../web/src/device/outbox/replay.ts';

/** The fate of a request: it works, is lost, its answer is lost, or it arrives long after its timeout. */
export type Network = () => 'works' | 'lost' | 'unanswered' | 'late';

/** A browser with one account: what is on its disk, and the tabs that come and go. */
export class OutboxBrowser {
  readonly vault: VaultClient;
  network: Network = () => 'works';
  /** Whether its disk takes nothing more. */
  isFull = false;
  /** The texts of notes that were made here, as their drafts have them. */
  readonly texts = new Map<string, string>();
  /** The tree as it was read last, and as it became since. */
  base: VaultTree = { change_seq: 0, folders: [], notes: [], attachments: [] };
  /** The tab that holds each entry, by entry id. */
  readonly held = new Map<string, OutboxTab>();
  /** The ids that the server gave to files that were added here. */
  readonly given = new Map<string, string>();
  readonly #url: string;
  readonly #key: string;
  #disk: readonly OutboxEntry[] = [];
  #turn: Promise<unknown> = Promise.resolve();
  #tabs: OutboxTab[] = [];
  #late: (() => Promise<Response>)[] = [];

  constructor(url: string, key: string, vaultId: string) {
    this.#url = url;
    this.#key = key;
    this.vault = this.client(this, vaultId);
  }

  /** The entries on the disk. */
  get entries(): readonly OutboxEntry[] {
    return this.#disk;
  }

  client(life: { readonly network: Network }, vaultId: string, entry?: string): VaultClient {
    const lossy: typeof fetch = async (input, init) => {
      const fate = life.network();
      if (fate === 'lost') throw new TypeError('lost');
      if (fate === 'late') {
        if (init?.method !== 'GET') this.#late.push(() => fetch(input, init));
        throw new TypeError('late');
      }
      const answer = await fetch(input, { ...init, redirect: 'manual' });
      if (fate === 'unanswered') throw new TypeError('unanswered');
      return answer;
    };
    const keyOf = entry === undefined ? {} : { keyOf: keysOf(entry) };
    const transport = new Transport(this.#url, fixedToken(this.#key), { fetch: lossy, tries: 1, ...keyOf });
    return new NotevaultClient(transport).vault(vaultId);
  }

  /** Delivers what was given up. */
  async deliver(): Promise<void> {
    for (const send of this.#late.splice(0)) await (await send()).arrayBuffer();
  }

  open(): OutboxTab {
    const tab = new OutboxTab(this);
    this.#tabs.push(tab);
    return tab;
  }

  /** Runs one function at a time; that of a tab that is killed ends with it. */
  exclusively<T>(run: () => Promise<T>, killed: Promise<never>): Promise<T> {
    const next = this.#turn.then(() => Promise.race([run(), killed]));
    this.#turn = next.catch(() => undefined);
    return next;
  }

  store(tab: OutboxTab): OutboxStore {
    return {
      isDurable: true,
      change: async (next) => {
        if (tab.isKilled) return new Promise(() => undefined);
        const entries = next(this.#disk);
        // What needs no more room than before can be written.
        const known = new Set(this.#disk.map(({ operation }) => operation));
        if (this.isFull && entries.some(({ operation }) => !known.has(operation))) throw new DOMException('full');
        this.#disk = entries;
        return entries;
      },
    };
  }

  announce(from: OutboxTab): void {
    for (const tab of this.#tabs) if (tab !== from && !tab.isKilled) queueMicrotask(() => tab.outbox.check());
  }

  done(entry: OutboxEntry, id: string | null): void {
    const { operation } = entry;
    if (operation.kind === 'file' && id !== null) this.given.set(operation.fileId, id);
    const made = operation.kind === 'file' && id !== null ? { ...operation, fileId: id } : operation;
    this.base = treeWith(this.base, [{ ...entry, operation: made, doneAt: null }], at);
  }
}

const NEW = { order: 0, problem: null, isTried: true, isForced: false, doneAt: null };

const at = () => new Date(0).toISOString();

/** A tab of a browser, until it is killed. */
export class OutboxTab {
  readonly outbox: Outbox;
  isKilled = false;
  readonly #browser: OutboxBrowser;
  readonly #killed = Promise.withResolvers<never>();
  #due: (() => void) | null = null;

  constructor(browser: OutboxBrowser) {
    this.#browser = browser;
    this.#killed.promise.catch(() => undefined);
    // A tab that is killed sends nothing any more, and what it has sent is not answered.
    const network = { network: () => (this.isKilled ? 'lost' : browser.network()) } as const;
    this.outbox = new Outbox({
      store: browser.store(this),
      spare: new TabOutbox(),
      newId: randomUUID,
      now: () => Date.now(),
      send: (entry, isFresh, record) =>
        replay(entry, {
          vault: browser.client(network, browser.vault.id, entry.id),
          isFresh,
          record,
          textOf: async (noteId, begun) => browser.texts.get(noteId) ?? begun,
          hashOf: async (bytes) =>
            createHash('sha256')
              .update(new Uint8Array(await bytes.arrayBuffer()))
              .digest('hex'),
        }),
      hold: async (id, run) => {
        browser.held.set(id, this);
        return Promise.race([run(), this.#killed.promise]).finally(() => browser.held.delete(id));
      },
      isHeld: async (id) => browser.held.get(id)?.isKilled === false,
      exclusively: (run) => browser.exclusively(run, this.#killed.promise),
      isSameAccount: async () => true,
      stateOfDraft: async ({ operation }) =>
        operation.kind === 'note' &&
        (browser.texts.get(operation.noteId) ?? operation.content) !== operation.sent?.content
          ? 'changed'
          : 'left',
      announce: () => browser.announce(this),
      done: (entry, id) => browser.done(entry, id),
      later: (call) => {
        this.#due = call;
        return () => {
          this.#due = null;
        };
      },
    });
  }

  /** Uploads a file beside what else waits, as the app does while the server answers. */
  async upload(operation: Extract<Operation, { kind: 'file' }>): Promise<Result> {
    const browser = this.#browser;
    const id = randomUUID();
    const network = { network: () => (this.isKilled ? 'lost' : browser.network()) } as const;
    const vault = browser.client(network, browser.vault.id, id);
    const { path, bytes, mtime } = operation;
    return this.outbox.runWith(browser.vault.id, operation, id, async () => {
      const file = await vault.putAttachment(path, { bytes: () => bytes, mtime, over: null });
      browser.done({ ...NEW, id, vault: browser.vault.id, operation }, file.id);
      return file.id;
    });
  }

  /** The tree as this tab shows it. */
  get tree(): VaultTree {
    return treeWith(this.#browser.base, this.outbox.state.get().entries, at);
  }

  /** Does what waits for a time. */
  wait(): void {
    this.#due?.();
  }

  kill(): void {
    this.isKilled = true;
    this.outbox[Symbol.dispose]();
    this.#killed.reject(new Error('killed'));
  }
}
