import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { FakeServer } from '../test/fake-server.ts';
import { MemoryStore } from '../test/memory-store.ts';
import { NoteSession, type SessionOptions } from './note-session.ts';
import { sendKept } from './send-kept.ts';
import { UnsentSender, type UnsentState } from './unsent-sender.ts';

/** A simulated browser with a copy of each note, in which tabs type offline and send. */
class Browser {
  readonly store = new MemoryStore();
  readonly servers = new Map<string, FakeServer>();
  readonly shown: UnsentState[] = [];
  isSameAccount = true;
  isUp = true;
  announced = 0;
  #writers = 0;
  #lock: Promise<unknown> = Promise.resolve();
  /** Calls waiting for their time. */
  readonly due: (() => void)[] = [];
  readonly open = new Set<string>();
  /** Notes that the server refuses, with its reason. */
  readonly ends = new Map<string, string>();

  constructor(...notes: readonly string[]) {
    for (const id of notes) this.servers.set(id, new FakeServer(`${id}:`));
  }

  options(id: string): SessionOptions {
    return {
      note: { id, vaultId: 'vault', path: `${id}.md` },
      open: (noteId, doc) => {
        const note = this.server(noteId).open(noteId, doc);
        setImmediate().then(() => {
          const end = this.ends.get(noteId);
          if (end !== undefined) note.end(end);
          else if (this.isUp) note.sync();
        });
        return note;
      },
      store: this.store,
      peers: null,
      writer: `writer ${this.#writers++}`,
      now: () => 0,
      delay: (call) => call(),
      every: () => () => undefined,
    };
  }

  server(id: string): FakeServer {
    const server = this.servers.get(id);
    if (server === undefined) throw new Error(`no note ${id}`);
    return server;
  }

  /** Types into a note whose connection is broken, and closes the note. */
  async typeOffline(id: string, text: string): Promise<void> {
    const session = new NoteSession(this.options(id));
    await runTasks();
    this.server(id).notes.at(-1)?.drop();
    session.text.insert(session.text.length, text);
    await runTasks();
    session[Symbol.dispose]();
  }

  sender(): UnsentSender {
    return new UnsentSender({
      store: this.store,
      send: (note, signal) => sendKept(this.options(note.id), signal),
      exclusively: (run) => {
        const next = this.#lock.then(run, run);
        this.#lock = next.catch(() => undefined);
        return next;
      },
      isSameAccount: async () => this.isSameAccount,
      isSentElsewhere: async ({ id }) => this.open.has(id),
      announce: () => this.announced++,
      show: (state) => this.shown.push(state),
      later: (call) => {
        this.due.push(call);
        return () => undefined;
      },
    });
  }

  /** Returns the listed unsent notes, each with its problem. */
  get left() {
    return this.shown.at(-1)?.notes.map(({ id, problem }) => [id, problem]);
  }
}

async function runTasks(): Promise<void> {
  for (let turn = 0; turn < 60; turn++) await setImmediate();
}

test('every note with unsent edits is counted while the server is away, and sent when it is reached', async () => {
  const browser = new Browser('one', 'two', 'three');
  await browser.typeOffline('one', ' a');
  await browser.typeOffline('three', ' c');
  using sender = browser.sender();
  sender.check();
  await runTasks();
  assert.deepEqual(browser.left, [
    ['one', null],
    ['three', null],
  ]);
  sender.connected();
  await runTasks();
  assert.deepEqual(browser.left, []);
  assert.deepEqual(
    [...browser.servers.values()].map(({ text }) => text),
    ['one: a', 'two:', 'three: c'],
  );
  assert.deepEqual([await browser.store.unsentNotes(), browser.announced], [[], 2]);
});

test('two tabs that send at once, and a note that is sent again, put each edit in once', async () => {
  const browser = new Browser('note');
  await browser.typeOffline('note', ' mine');
  browser.server('note').doc.getText('content').insert(0, 'theirs ');
  using first = browser.sender();
  using second = browser.sender();
  first.connected();
  second.connected();
  await runTasks();
  assert.equal(browser.server('note').text, 'theirs note: mine');
  assert.equal(await sendKept(browser.options('note'), new AbortController().signal), null);
  assert.equal(browser.server('note').text, 'theirs note: mine');
});

test('one note is sent by itself when that is asked for, and what was set aside never is', async () => {
  const browser = new Browser('one', 'two', 'aside');
  for (const id of ['one', 'two', 'aside']) await browser.typeOffline(id, ' x');
  await browser.store.stash('aside');
  browser.ends.set('one', 'note_deleted').set('two', 'note_deleted');
  using sender = browser.sender();
  sender.connected();
  await runTasks();
  browser.ends.clear();
  sender.sendNow('two');
  await runTasks();
  assert.equal(browser.server('one').text, 'one:');
  assert.equal(browser.server('two').text, 'two: x');
  assert.equal(browser.server('aside').text, 'aside:');
  assert.deepEqual(browser.left, [
    ['one', 'note-deleted'],
    ['stash 1', null],
  ]);
});

for (const [end, problem] of [
  ['note_deleted', 'note-deleted'],
  ['permission-denied', 'not-there'],
  ['foreign_lineage', 'foreign-lineage'],
] as const) {
  test(`after ${end} the edits stay on the device with the reason, and the other notes are sent`, async () => {
    const browser = new Browser('refused', 'fine');
    await browser.typeOffline('refused', ' x');
    await browser.typeOffline('fine', ' y');
    browser.ends.set('refused', end);
    using sender = browser.sender();
    sender.connected();
    await runTasks();
    assert.deepEqual(browser.left, [['refused', problem]]);
    assert.equal(browser.server('fine').text, 'fine: y');
    assert.deepEqual(
      (await browser.store.unsentNotes()).map(({ id }) => id),
      ['refused'],
    );
  });
}

test('what was not acknowledged when the connection broke is counted again, and sent by the next one', async () => {
  const browser = new Browser('one', 'two');
  await browser.typeOffline('one', ' a');
  await browser.typeOffline('two', ' b');
  browser.isUp = false;
  using sender = browser.sender();
  sender.connected();
  await runTasks();
  assert.equal(browser.shown.at(-1)?.isSending, true);
  sender.disconnected();
  await runTasks();
  assert.deepEqual([browser.left?.length, browser.shown.at(-1)?.isSending], [2, false]);
  browser.isUp = true;
  sender.connected();
  await runTasks();
  assert.deepEqual([browser.left, browser.server('two').text], [[], 'two: b']);
});

test('nothing is sent as another account, nor of a note that is open in this tab', async () => {
  const browser = new Browser('open', 'closed');
  await browser.typeOffline('open', ' a');
  await browser.typeOffline('closed', ' b');
  browser.open.add('open');
  browser.isSameAccount = false;
  using sender = browser.sender();
  sender.connected();
  await runTasks();
  assert.deepEqual(
    [browser.left, browser.server('open').text, browser.server('closed').text],
    [[['closed', null]], 'open:', 'closed:'],
  );
  browser.isSameAccount = true;
  for (const call of browser.due.splice(0)) call();
  await runTasks();
  assert.deepEqual(
    [browser.left, browser.server('open').text, browser.server('closed').text],
    [[], 'open:', 'closed: b'],
  );
});
