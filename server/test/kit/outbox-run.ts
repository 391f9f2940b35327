import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { ApiError } from '@notevault/client/transport.ts';
import type { VaultTree } from '@notevault/protocol/sync.ts';
import { seenOf } from '../../../web/src/device/outbox/entry-facts.ts';
import { isAt, type Operation, type OutboxEntry } from '../../../web/src/device/outbox/operation.ts';
import { OutboxBrowser, type OutboxTab } from './outbox-browser.ts';
import type { Random } from './random.ts';

/** A server with an account. */
export interface OutboxHost {
  readonly url: string;
  readonly key: string;
  readonly vaultId: string;
}

interface RunOptions {
  /** Whether somebody else changes the vault too. */
  readonly hasOthers: boolean;
  /** Whether two tabs are used in turn. */
  readonly hasTwo: boolean;
}

const STEPS = 40;

/**
 * Somebody writes, renames, moves, deletes, restores and uploads in one or two tabs of a browser, while their
 * connections and the tabs come and go and its disk is full at times. In the end nothing that was typed is lost or
 * doubled; and if nobody else changed the vault, the server has exactly what the tabs showed.
 */
export async function outboxRun(host: OutboxHost, random: Random, options: RunOptions): Promise<void> {
  const browser = new OutboxBrowser(host.url, host.key, host.vaultId);
  const run = new Run(browser, random, options);
  for (let step = 0; step < STEPS; step++) await run.step();
  await run.end();
}

class Run {
  readonly #browser: OutboxBrowser;
  readonly #random: Random;
  readonly #hasOthers: boolean;
  readonly #written = new Map<string, string>();
  /** Uploaded files, by their bytes. */
  readonly #files = new Map<string, string>();
  /** Words that somebody deleted with the note, here or elsewhere, before or after it was sent. */
  readonly #deleted = new Set<string>();
  /** Notes that somebody deleted here, which another tab may still show and type into until it hears of that. */
  readonly #deletedNotes = new Set<string>();
  /** Whether a full disk kept something from the other tab: then nothing is lost, but more is asked. */
  #wasFull = false;
  #tabs: OutboxTab[];
  /** The one that is used now. */
  #tab: OutboxTab;
  #second: OutboxTab | null = null;
  #deletedIds: string[] = [];
  #count = 0;
  /** A request of a tab that is killed may arrive after those of the next: then nothing is lost, but more is asked. */
  readonly #hasKills: boolean;

  constructor(browser: OutboxBrowser, random: Random, { hasOthers, hasTwo }: RunOptions) {
    this.#browser = browser;
    this.#random = random;
    this.#hasOthers = hasOthers;
    this.#hasKills = random.chance(0.5);
    this.#tab = browser.open();
    this.#tabs = hasTwo ? [this.#tab, browser.open()] : [this.#tab];
  }

  async step(): Promise<void> {
    const choices = [this.#create, this.#create, this.#type, this.#move, this.#remove, this.#folder, this.#upload];
    const events = [this.#connect, this.#connect, this.#lose, this.#kill, this.#fill, this.#restore, this.#deliver];
    const all = this.#hasOthers ? [...choices, ...events, this.#other, this.#other] : [...choices, ...events];
    // One tab draws nothing, so that seeds that failed before there were two are repeated.
    if (this.#tabs.length > 1) this.#tab = this.#random.pick(this.#tabs);
    // A person sees what they did in the other tab: who moves one folder twice without seeing that is asked about it.
    if (this.#tabs.length > 1 && !this.#hasOthers) await this.#tab.outbox.load();
    await this.#random.pick(all).call(this);
    for (let turn = this.#random.below(30); turn > 0; turn--) await setImmediate();
  }

  /** Everything works again; until nothing waits. */
  async end(): Promise<void> {
    const browser = this.#browser;
    browser.isFull = false;
    browser.network = () => 'works';
    this.#second?.kill();
    for (const tab of this.#tabs) tab.outbox.setConnected(true);
    for (let turn = 0; ; turn++) {
      for (const tab of this.#tabs) {
        tab.outbox.check();
        tab.wait();
      }
      await new Promise((resolve) => setTimeout(resolve, 5));
      if (this.#tabs.every(isDone)) break;
      assert.ok(turn < 2_000, `still waiting: ${JSON.stringify(this.#entries)}`);
    }
    await browser.deliver();
    await this.#check();
  }

  /** The entries waiting on the disk and in the tabs. */
  get #entries(): readonly OutboxEntry[] {
    return this.#tabs.flatMap(({ outbox }) => outbox.state.get().entries);
  }

  async #check(): Promise<void> {
    const { vault } = this.#browser;
    const tree = await vault.tree();
    const texts = await Promise.all(tree.notes.map(async ({ id }) => (await vault.readNoteById(id))?.content ?? ''));
    const entries = this.#entries;
    const waiting = entries.flatMap(({ operation }) =>
      operation.kind === 'note' ? [this.#browser.texts.get(operation.noteId) ?? operation.content] : [],
    );
    for (const word of this.#written.keys()) {
      const found = texts.filter((text) => text.includes(word)).length;
      const times = texts.reduce((sum, text) => sum + text.split(word).length - 1, 0);
      assert.ok(times <= 1, `${word} is there ${times} times, in ${found} notes`);
      const isPreserved = times === 1 || this.#deleted.has(word) || waiting.some((text) => text.includes(word));
      assert.ok(isPreserved, `${word} is lost, of ${this.#written.get(word)}`);
    }
    await this.#checkFiles(tree);
    if (this.#hasOthers || this.#hasKills || (this.#wasFull && this.#tabs.length > 1)) return;
    assert.deepEqual(
      entries.filter(({ problem }) => problem !== null),
      [],
    );
    for (const tab of this.#tabs) assert.deepEqual(pathsOf(tree), pathsOf(tab.tree));
  }

  /** Each file that was added is there once, with its bytes. */
  async #checkFiles(tree: VaultTree): Promise<void> {
    const { vault } = this.#browser;
    const bytes = await Promise.all(
      tree.attachments.map(async ({ path }) => new Response((await vault.readAttachment(path))?.bytes).text()),
    );
    const waiting = await Promise.all(
      this.#entries.map(({ operation }) => (operation.kind === 'file' ? operation.bytes.text() : '')),
    );
    for (const [word, fileId] of this.#files) {
      const times = bytes.filter((one) => one === word).length;
      assert.ok(times <= 1, `the file ${word} is there ${times} times`);
      assert.ok(
        times === 1 || this.#deleted.has(word) || waiting.includes(word),
        `the file ${word} is lost: ${fileId}`,
      );
    }
    assert.deepEqual(
      bytes.filter((one) => !this.#files.has(one)),
      [],
      'files of other bytes than were added',
    );
  }

  async #create(): Promise<void> {
    const word = this.#word();
    const noteId = randomUUID();
    const path = this.#path('md');
    this.#written.set(word, noteId);
    await this.#run({ kind: 'note', noteId, path, content: `${word}\n`, attempt: null, sent: null });
  }

  /** Writes on in a note that the server does not have yet. */
  async #type(): Promise<void> {
    const drafts = this.#tab.outbox.state
      .get()
      .entries.flatMap(({ operation, doneAt }) => (operation.kind === 'note' && doneAt === null ? [operation] : []));
    const draft = drafts.length === 0 ? null : this.#random.pick(drafts);
    // One that was deleted meanwhile is not open any more.
    if (draft === null || !this.#tab.tree.notes.some(({ id }) => id === draft.noteId)) return;
    const word = this.#word();
    this.#written.set(word, draft.noteId);
    if (this.#deletedNotes.has(draft.noteId)) this.#deleted.add(word);
    this.#browser.texts.set(draft.noteId, `${this.#browser.texts.get(draft.noteId) ?? draft.content}${word}\n`);
  }

  async #move(): Promise<void> {
    const { tree } = this.#tab;
    const rows = [
      ...tree.notes.map(({ id, path }) => ({ kind: 'note' as const, id, from: path })),
      ...tree.attachments.map(({ id, path }) => ({ kind: 'attachment' as const, id, from: path })),
      ...tree.folders.flatMap(({ name }) => (name === '' ? [] : [{ kind: 'folder' as const, id: null, from: name }])),
    ];
    if (rows.length === 0) return;
    const row = this.#random.pick(rows);
    const to = this.#path(row.kind === 'note' ? 'md' : row.kind === 'attachment' ? 'txt' : '');
    if (row.kind === 'folder' && isAt(to, row.from)) return;
    await this.#run({ kind: 'move', moves: [{ ...row, to }] });
  }

  async #remove(): Promise<void> {
    const { tree } = this.#tab;
    const waiting = new Set(
      this.#tab.outbox.state
        .get()
        .entries.flatMap(({ operation }) =>
          operation.kind === 'note' ? [operation.noteId] : operation.kind === 'file' ? [operation.fileId] : [],
        ),
    );
    const rows = [...tree.notes, ...tree.attachments];
    if (rows.length === 0) return;
    const row = this.#random.pick(rows);
    const { id, path, updated_at } = row;
    const kind = tree.notes.some((note) => note.id === id) ? 'note' : 'attachment';
    const isDraft = waiting.has(id) || updated_at === new Date(0).toISOString();
    for (const [word, noteId] of this.#written) if (noteId === id) this.#deleted.add(word);
    for (const [word, fileId] of this.#files) {
      if (fileId === id || this.#browser.given.get(fileId) === id) this.#deleted.add(word);
    }
    this.#deletedIds.push(id);
    this.#deletedNotes.add(id);
    await this.#run({ kind: 'delete', deleted: [{ kind, id, path, known: { [id]: isDraft ? null : seenOf(row) } }] });
  }

  /** Takes the last deletion back, if the server has done it. */
  async #restore(): Promise<void> {
    const id = this.#deletedIds.pop();
    const { entries } = this.#tab.outbox.state.get();
    if (id === undefined || entries.length > 0 || this.#hasOthers) return;
    const isThere = await this.#browser.vault.trash().then(
      ({ items }) => items.find((item) => item.id === id),
      () => undefined,
    );
    if (isThere === undefined || (await this.#isTaken(isThere.path))) return;
    await this.#run({ kind: 'restore', ids: [id], path: isThere.path });
    // What is restored is shown once the tree was read again.
    this.#browser.base = {
      ...this.#browser.base,
      ...(isThere.type === 'note'
        ? { notes: [...this.#browser.base.notes, { id, path: isThere.path, created_at: '', updated_at: at() }] }
        : {
            attachments: [
              ...this.#browser.base.attachments,
              { id, path: isThere.path, size_bytes: 0, mtime: 0, updated_at: at(), mime_type: null },
            ],
          }),
    };
  }

  async #isTaken(path: string): Promise<boolean> {
    const { tree } = this.#tab;
    return [...tree.notes, ...tree.attachments].some((row) => row.path === path);
  }

  async #folder(): Promise<void> {
    await this.#run({ kind: 'folder', path: this.#path('') });
  }

  async #upload(): Promise<void> {
    const word = this.#word();
    const bytes = new Blob([word]);
    const fileId = randomUUID();
    this.#files.set(word, fileId);
    const operation = { kind: 'file', fileId, path: this.#path('txt'), bytes, mtime: 1 } as const;
    if (this.#random.chance(0.5)) return this.#run(operation);
    // Whoever asked for it is told that it was refused.
    this.#tab.upload(operation).catch((error: unknown) => {
      if (error instanceof ApiError) this.#deleted.add(word);
    });
    await setImmediate();
  }

  async #connect(): Promise<void> {
    this.#browser.network = () => 'works';
    this.#tab.outbox.setConnected(this.#random.chance(0.7));
    this.#tab.wait();
  }

  /** Loses some requests, and the answers of others. */
  async #lose(): Promise<void> {
    const random = this.#random;
    this.#browser.network = () => (random.chance(0.5) ? 'works' : random.pick(['lost', 'unanswered', 'late'] as const));
    this.#tab.outbox.setConnected(true);
  }

  async #deliver(): Promise<void> {
    await this.#browser.deliver();
  }

  /** Another tab goes on; at times both were there. */
  async #kill(): Promise<void> {
    if (!this.#hasKills) return;
    if (this.#random.chance(0.3)) {
      this.#second?.kill();
      this.#second = this.#browser.open();
      this.#second.outbox.setConnected(true);
      return;
    }
    // What the disk did not take is in the tab, which asks before it is closed.
    if (await this.#tab.outbox.hasUnkept()) return;
    this.#tab.kill();
    const next = this.#browser.open();
    this.#tabs = this.#tabs.map((tab) => (tab === this.#tab ? next : tab));
    this.#tab = next;
    this.#tab.outbox.check();
    while (this.#tab.outbox.state.get().entries.length < this.#browser.entries.length) await setImmediate();
  }

  async #fill(): Promise<void> {
    this.#browser.isFull = this.#random.chance(0.5);
    this.#wasFull ||= this.#browser.isFull;
  }

  /** Somebody else changes the vault. */
  async #other(): Promise<void> {
    const { vault } = this.#browser;
    const works = this.#browser.network;
    this.#browser.network = () => 'works';
    try {
      const { notes } = await vault.tree();
      const choice = this.#random.below(4);
      const note = notes.length === 0 ? undefined : this.#random.pick(notes);
      const path = this.#path('md');
      if (choice === 0) await vault.upsertNote({ path, content: `${this.#word()} by others\n`, version: 0, mtime: 1 });
      if (note === undefined) return;
      if (choice === 1) await vault.renameNote(note.path, path);
      if (choice === 2) {
        await vault.deleteNote(note.id);
        for (const [word, noteId] of this.#written) if (noteId === note.id) this.#deleted.add(word);
      }
      const { content, version } = (choice === 3 ? await vault.readNoteById(note.id) : null) ?? {
        content: '',
        version: 0,
      };
      if (version > 0) await vault.upsertNote({ ...note, content: `others\n${content}`, version, mtime: 1 });
    } catch {
      // A path that is taken by chance.
    } finally {
      this.#browser.network = works;
    }
  }

  /** Does something, and waits until it is kept. */
  async #run(operation: Operation): Promise<void> {
    void this.#tab.outbox.run(this.#browser.vault.id, operation);
    await setImmediate();
  }

  #word(): string {
    return `word${++this.#count}x`;
  }

  /** A path that nothing shown here has. */
  #path(ending: string): string {
    const folders = this.#tab.tree.folders
      .map(({ name }) => name)
      .filter((name) => name !== '' && name.split('/').length < 3);
    const folder = folders.length > 0 && this.#random.chance(0.5) ? `${this.#random.pick(folders)}/` : '';
    const name = this.#hasOthers ? `p${this.#random.below(12)}` : `p${++this.#count}`;
    return `${folder}${name}${ending === '' ? '' : `.${ending}`}`;
  }
}

const at = () => new Date(0).toISOString();

/** Whether nothing waits in a tab but what needs a decision. */
function isDone({ outbox }: OutboxTab): boolean {
  const { entries, isSending } = outbox.state.get();
  return !isSending && (entries.length === 0 || entries.some(({ problem }) => problem !== null));
}

/** Returns the paths of notes and folders. */
function pathsOf({ notes, attachments, folders }: VaultTree): readonly string[] {
  const explicit = folders.map(({ name }) => `${name}/`).filter((name) => name !== '/');
  const inFolders = new Set(attachments.flatMap(({ path }) => foldersOf(path)));
  const derived = notes.flatMap(({ path }) => foldersOf(path));
  const paths = notes.map(({ path }) => path);
  return [...new Set([...explicit.filter((path) => !inFolders.has(path)), ...derived, ...paths])]
    .filter((path) => !inFolders.has(path))
    .sort();
}

function foldersOf(path: string): readonly string[] {
  const names = path.split('/').slice(0, -1);
  return names.map((_, index) => `${names.slice(0, index + 1).join('/')}/`);
}
