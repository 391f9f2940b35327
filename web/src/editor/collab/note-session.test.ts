import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { Doc, UndoManager } from 'yjs';
import { FakeServer } from '../test/fake-server.ts';
import { MemoryStore } from '../test/memory-store.ts';
import { KeptSteps } from './kept-steps.ts';
import { TEXT } from './lineage.ts';
import type { LocalStore } from './local-store.ts';
import { NoteSession } from './note-session.ts';
import { STALLED_MS } from './save-state.ts';
import { TabStore } from './tab-store.ts';

/** A session whose clock stands still until it is moved. */
function sessionOf(
  server: FakeServer,
  store: LocalStore,
  writer = 'tab 1',
  delay: (call: () => void) => void = (call) => call(),
  steps = new KeptSteps(1),
) {
  const clock: { now: number; tick(): void } = { now: 0, tick: () => undefined };
  const session = new NoteSession({
    note: { id: 'note', vaultId: 'vault', path: 'note.md' },
    open: server.open,
    store,
    peers: null,
    writer,
    now: () => clock.now,
    delay,
    steps,
    every: (_milliseconds, call) => {
      clock.tick = call;
      return () => undefined;
    },
  });
  return { session, clock, note: () => server.notes.at(-1) };
}

/** Lets everything happen that waits for the store. */
async function runTasks(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await setImmediate();
}

test('a session is ready once the server began its document, and Saved once that acknowledged', async () => {
  const server = new FakeServer('hello');
  const { session, note } = sessionOf(server, new MemoryStore());
  await runTasks();
  assert.deepEqual([session.isReady, session.state.word], [false, null]);
  note()?.sync();
  assert.deepEqual([session.isReady, session.text.toString(), session.state.word], [true, 'hello', 'saved']);
  session.text.insert(5, '!');
  assert.equal(session.state.word, 'saving');
  note()?.acknowledge();
  assert.deepEqual([session.state.word, server.text], ['saved', 'hello!']);
});

test('a session reads its copy from this device, and sends what it has', async () => {
  const server = new FakeServer('hello');
  const store = new MemoryStore();
  const first = sessionOf(server, store);
  await runTasks();
  first.note()?.sync();
  first.note()?.drop();
  first.session.text.insert(0, 'offline ');
  await runTasks();
  assert.equal(first.session.state.word, 'offline-kept');
  first.session[Symbol.dispose]();
  const second = sessionOf(server, store, 'tab 2');
  await runTasks();
  assert.deepEqual([second.session.text.toString(), second.session.state.word], ['offline hello', 'offline-kept']);
  second.note()?.sync();
  await runTasks();
  assert.deepEqual([server.text, second.session.state.word], ['offline hello', 'saved']);
  assert.deepEqual(await store.unsentNotes(), []);
});

/** A store that lists what was appended to it, and a session with it that keeps only when it is told to. */
async function gathering(server: FakeServer) {
  const appended: unknown[] = [];
  class RecordingStore extends MemoryStore {
    override async append(...edit: Parameters<MemoryStore['append']>): Promise<void> {
      appended.push(edit[3]);
      await super.append(...edit);
    }
  }
  const store = new RecordingStore();
  let keep: () => void = () => undefined;
  const made = sessionOf(server, store, 'tab 1', (call) => {
    keep = call;
  });
  await runTasks();
  made.note()?.sync();
  await made.session.kept();
  appended.length = 0;
  return { ...made, store, appended, keep: () => keep() };
}

test('a session keeps in one what is typed within a moment, and claims it only then', async () => {
  const server = new FakeServer('');
  const { session, note, store, appended, keep } = await gathering(server);
  note()?.drop();
  for (const letter of 'abc') session.text.insert(session.text.length, letter);
  await runTasks();
  assert.deepEqual([appended, session.state.word], [[], 'offline-not-saved']);
  keep();
  await runTasks();
  assert.deepEqual([appended, session.state.word], [[{ writer: 'tab 1', upTo: 3 }], 'offline-kept']);
  const again = sessionOf(server, store, 'tab 2');
  await runTasks();
  assert.equal(again.session.text.toString(), 'abc');
});

test('a session keeps what it has gathered before it marks it as sent, and when it is left', async () => {
  const { session, note, store, appended, keep } = await gathering(new FakeServer(''));
  session.text.insert(0, 'a');
  note()?.acknowledge();
  keep();
  await runTasks();
  assert.deepEqual([appended.length, await store.unsentNotes()], [1, []]);
  session.text.insert(1, 'b');
  session[Symbol.dispose]();
  await runTasks();
  assert.deepEqual([appended.length, (await store.unsentNotes()).length], [2, 1]);
});

test('a session says not saved while the device refuses, and kept again once it took the whole document', async () => {
  const server = new FakeServer('a');
  const store = new MemoryStore();
  const { session, note } = sessionOf(server, store);
  await runTasks();
  note()?.sync();
  note()?.drop();
  await runTasks();
  store.failure = new Error('full');
  session.text.insert(1, 'b');
  await runTasks();
  assert.equal(session.state.word, 'offline-not-saved');
  store.failure = null;
  session.text.insert(2, 'c');
  await runTasks();
  assert.equal(session.state.word, 'offline-kept');
  const again = sessionOf(server, store, 'tab 2');
  await runTasks();
  assert.equal(again.session.text.toString(), 'abc');
});

test('a session kept only in the tab never claims that edits are on the device, and is found again there', async () => {
  const server = new FakeServer('a');
  const store = new TabStore();
  const { session, note } = sessionOf(server, store);
  await runTasks();
  note()?.sync();
  note()?.drop();
  session.text.insert(0, 'x');
  await runTasks();
  assert.equal(session.state.word, 'offline-not-saved');
  session[Symbol.dispose]();
  const again = sessionOf(server, store, 'session 2');
  await runTasks();
  assert.deepEqual([again.session.text.toString(), again.session.state.word], ['xa', 'offline-not-saved']);
});

test('what was set aside for the note of the server can be brought back, and is never sent meanwhile', async () => {
  const server = new FakeServer('text');
  const store = new MemoryStore();
  const { session, note } = sessionOf(server, store);
  await runTasks();
  note()?.sync();
  session.text.insert(0, 'mine ');
  note()?.change({ canWrite: false });
  const stashed = await session.startOver();
  note()?.sync();
  await runTasks();
  assert.deepEqual([session.text.toString(), server.text], ['text', 'text']);
  assert.deepEqual(
    (await store.unsentNotes()).map(({ unsent: _, ...note }) => note),
    stashed,
  );
  assert.deepEqual(
    stashed.map(({ asideOf }) => asideOf),
    ['note'],
  );
  await session.unstash(stashed);
  assert.equal(session.text.toString(), 'mine text');
  assert.deepEqual(
    (await store.unsentNotes()).map(({ id }) => id),
    ['note'],
  );
  note()?.sync();
  assert.equal(server.text, 'mine text');
});

test('a copy of another lineage without edits gives way to the note of the server', async () => {
  const store = new MemoryStore();
  const old = sessionOf(new FakeServer('old text', 1), store);
  await runTasks();
  old.note()?.sync();
  await runTasks();
  old.session[Symbol.dispose]();
  const server = new FakeServer('new text', 2);
  const { session, note } = sessionOf(server, store, 'tab 2');
  await runTasks();
  assert.equal(session.text.toString(), 'old text');
  const generation = session.generation;
  note()?.sync();
  await runTasks();
  note()?.sync();
  assert.equal(session.text.toString(), 'new text');
  assert.ok(session.generation > generation);
  assert.equal(server.text, 'new text');
});

for (const end of ['foreign_lineage', 'note_deleted', 'note_too_large']) {
  test(`after ${end} the session keeps the text and its copy, until it is told to start over`, async () => {
    const server = new FakeServer('text');
    const store = new MemoryStore();
    const { session, note } = sessionOf(server, store);
    await runTasks();
    note()?.sync();
    session.text.insert(0, 'mine ');
    note()?.end(end);
    await runTasks();
    assert.deepEqual([session.state.word, session.state.isLoud], ['cannot-save', true]);
    assert.equal(session.text.toString(), 'mine text');
    assert.equal(store.copies.size, 1);
    await session.startOver();
    note()?.sync();
    assert.deepEqual([session.text.toString(), session.state.word], ['text', 'saved']);
  });
}

test('a refused edit and a lost right are shown, and the text stays', async () => {
  const server = new FakeServer('text');
  const { session, note } = sessionOf(server, new MemoryStore());
  await runTasks();
  note()?.sync();
  session.text.insert(0, 'x');
  note()?.change({ canWrite: false });
  assert.deepEqual([session.state.problem, session.canWrite], ['no-permission', false]);
  note()?.change({ canWrite: true });
  assert.equal(session.state.word, 'saving');
  // Somebody who may only read is told of that, and not that the server refused something.
  note()?.change({ canWrite: false, isRejected: true });
  assert.deepEqual([session.state.problem, session.isLowered], ['no-permission', true]);
  note()?.change({ canWrite: true, isRejected: true });
  assert.deepEqual([session.state.problem, session.text.toString()], ['edit-refused', 'xtext']);
});

test('a connection that acknowledges nothing is made anew with the same document', async () => {
  const server = new FakeServer('text');
  const { session, clock, note } = sessionOf(server, new MemoryStore());
  await runTasks();
  note()?.sync();
  session.text.insert(0, 'x');
  const stuck = note();
  clock.now = STALLED_MS;
  clock.tick();
  assert.ok(stuck?.isLeft);
  assert.notEqual(note(), stuck);
  assert.equal(session.text.toString(), 'xtext');
  note()?.sync();
  assert.deepEqual([server.text, session.state.word], ['xtext', 'saved']);
});

test('undo takes back edits made here and none of others', async () => {
  const server = new FakeServer('text');
  const { session, note } = sessionOf(server, new MemoryStore());
  await runTasks();
  note()?.sync();
  session.text.doc?.transact(() => session.text.insert(4, ' mine'), null);
  server.doc.getText('content').insert(0, 'theirs ');
  note()?.sync();
  session.undo.undo();
  assert.equal(session.text.toString(), 'theirs text');
});

/** Sessions of one note after another, which hand on what can be undone. */
function goingBack(server: FakeServer, store: LocalStore) {
  const steps = new KeptSteps(1);
  return async () => {
    const made = sessionOf(server, store, 'tab 1', undefined, steps);
    await runTasks();
    made.note()?.sync();
    await runTasks();
    return made.session;
  };
}

test('edits can be undone after the note was left, with what others wrote meanwhile', async () => {
  const server = new FakeServer('text');
  const open = goingBack(server, new MemoryStore());
  const first = await open();
  first.text.insert(4, ' mine');
  first.undo.stopCapturing();
  first.text.insert(9, '!');
  first.undo.undo();
  first[Symbol.dispose]();
  await runTasks();
  server.doc.getText('content').insert(0, 'theirs ');
  const second = await open();
  assert.equal(second.text.toString(), 'theirs text mine');
  second.undo.redo();
  assert.equal(second.text.toString(), 'theirs text mine!');
  second.undo.undo();
  second.undo.undo();
  assert.equal(second.text.toString(), 'theirs text');
  second[Symbol.dispose]();
  await runTasks();
  const third = await open();
  assert.equal(third.text.toString(), 'theirs text');
  third.undo.redo();
  await runTasks();
  assert.equal(third.text.toString(), 'theirs text mine');
  assert.equal(third.state.hasUnsent, true);
});

test('a document is not gone on with when the copy on the device lacks some of it', async () => {
  const server = new FakeServer('text');
  const store = new MemoryStore();
  const open = goingBack(server, store);
  const first = await open();
  store.failure = new Error('full');
  first.text.insert(4, ' lost');
  await runTasks();
  first[Symbol.dispose]();
  await runTasks();
  store.failure = null;
  const second = await open();
  assert.deepEqual([second.text.toString(), second.undo.canUndo()], ['text', false]);
});

test('undo steps are kept for the notes left last, and dropped once a note’s session went on', () => {
  const steps = new KeptSteps(2);
  const left = (text: string) => {
    const doc = new Doc();
    const undo = new UndoManager(doc.getText(TEXT));
    doc.getText(TEXT).insert(0, text);
    return { doc, undo };
  };
  const [a, b, c] = [left('a'), left('b'), left('c')];
  steps.keep('a', a);
  steps.keep('b', b);
  steps.keep('c', c);
  assert.deepEqual([steps.take('a'), steps.take('b'), steps.take('b'), steps.take('c')], [null, b, null, c]);
});
