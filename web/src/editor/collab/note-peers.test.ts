import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { Random } from '../../../../server/test/kit/random.ts';
import { NoteBrowser, type NoteTab } from '../test/note-browser.ts';
import { runTabs } from '../test/note-browser-run.ts';
import { TabStore } from './tab-store.ts';

/** Lets everything happen that waits for the store. */
async function runTasks(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await setImmediate();
}

/** Tabs that were connected, and are offline now. */
async function offlineTabs(browser: NoteBrowser, stores: readonly (TabStore | undefined)[] = [undefined, undefined]) {
  const tabs: NoteTab[] = [];
  for (const store of stores) {
    const tab = browser.open(store);
    await runTasks();
    tab.note.sync();
    tab.keep();
    await runTasks();
    browser.deliver();
    await runTasks();
    tabs.push(tab);
  }
  for (const tab of tabs) tab.note.drop();
  const [first, second] = tabs;
  if (first === undefined || second === undefined) throw new Error('two tabs');
  return [first, second] as const;
}

async function type(browser: NoteBrowser, tab: NoteTab, text: string): Promise<void> {
  tab.type(text);
  tab.keep();
  await runTasks();
  browser.deliver();
  await runTasks();
}

test('two tabs show each other what is typed offline, and the one that is left sends the edits of both', async () => {
  const browser = new NoteBrowser('note:');
  const [first, second] = await offlineTabs(browser);
  await type(browser, first, ' one');
  await type(browser, second, ' two');
  assert.deepEqual([first.text, second.text], ['note: one two', 'note: one two']);
  assert.deepEqual([first.session.state.word, second.session.state.word], ['offline-kept', 'offline-kept']);
  first.kill();
  second.note.sync();
  await runTasks();
  assert.deepEqual([browser.server.text, second.session.state.word], ['note: one two', 'saved']);
  assert.deepEqual(await browser.store.unsentNotes(), []);
});

test('undo in one tab takes back nothing that was typed in another one', async () => {
  const browser = new NoteBrowser('note:');
  const [first, second] = await offlineTabs(browser);
  await type(browser, first, ' one');
  await type(browser, second, ' two');
  second.session.undo.undo();
  assert.equal(second.text, 'note: one');
});

test('a tab says Saved only when the server has what another tab typed, and records it as sent', async () => {
  const browser = new NoteBrowser('note:');
  const [first, second] = await offlineTabs(browser);
  second.note.sync();
  await type(browser, first, ' one');
  assert.equal(second.session.state.word, 'saving');
  second.note.acknowledge();
  await runTasks();
  assert.deepEqual([second.session.state.word, browser.server.text], ['saved', 'note: one']);
  assert.deepEqual(await browser.store.unsentNotes(), []);
});

for (const hasChannel of [true, false]) {
  test(`a tab reads unannounced edits of a closed one, ${hasChannel ? 'with' : 'without'} a channel`, async () => {
    const browser = new NoteBrowser('note:');
    browser.hasChannel = hasChannel;
    const [first, second] = await offlineTabs(browser);
    first.type(' one');
    first.keep();
    await runTasks();
    first.kill();
    second.note.sync();
    const [copy] = await browser.store.unsentNotes();
    assert.equal(await second.session.sends(copy?.unsent ?? []), true);
    assert.deepEqual([second.text, second.session.state.word], ['note: one', 'saving']);
    second.note.acknowledge();
    await runTasks();
    assert.deepEqual([browser.server.text, await browser.store.unsentNotes()], ['note: one', []]);
  });
}

test('a tab does not claim to send edits of a copy with another history', async () => {
  const browser = new NoteBrowser('note:');
  const [first, second] = await offlineTabs(browser);
  first.kill();
  second.note.sync();
  const note = { id: 'note', vaultId: 'vault', path: 'note.md' };
  await browser.store.append(note, '9.0', new Uint8Array([0, 0]), { writer: 'old', upTo: 1 });
  assert.equal(await second.session.sends([{ writer: 'old', upTo: 1 }]), false);
});

test('a tab keeps what another one could not, and both say so', async () => {
  const browser = new NoteBrowser('note:');
  const [first, second] = await offlineTabs(browser);
  browser.store.failure = new Error('full');
  await type(browser, first, ' one');
  assert.deepEqual(
    [first, second].map(({ session }) => session.state.word),
    Array(2).fill('offline-not-saved'),
  );
  browser.store.failure = null;
  await type(browser, second, ' two');
  assert.equal(second.session.state.word, 'offline-kept');
  for (const tab of [first, second]) tab.kill();
  const third = browser.open();
  await runTasks();
  assert.deepEqual([third.text, third.session.state.word], ['note: one two', 'offline-kept']);
});

test('where nothing is kept, each tab has what the other one typed, also after it left the note', async () => {
  const browser = new NoteBrowser('note:');
  const stores = [new TabStore(), new TabStore()] as const;
  const [first, second] = await offlineTabs(browser, stores);
  await type(browser, first, ' one');
  assert.deepEqual([second.text, second.session.state.word], ['note: one', 'offline-not-saved']);
  first.kill();
  second.session[Symbol.dispose]();
  await runTasks();
  assert.equal((await stores[1].unsentNotes()).length, 1);
  const again = browser.open(stores[1]);
  await runTasks();
  again.note.sync();
  await runTasks();
  assert.deepEqual([browser.server.text, await stores[1].unsentNotes()], ['note: one', []]);
});

test('a text that one tab sets aside or gives up is sent by no other one', async () => {
  for (const end of ['startOver', 'forget'] as const) {
    const browser = new NoteBrowser('note:');
    const [first, second] = await offlineTabs(browser);
    await type(browser, first, ' one');
    await first.session[end]();
    browser.deliver();
    await runTasks();
    second.note.sync();
    await runTasks();
    assert.deepEqual([browser.server.text, second.text, second.session.state.word], ['note:', 'note:', 'saved']);
    const left = await browser.store.unsentNotes();
    assert.deepEqual(
      left.map(({ asideOf }) => asideOf),
      end === 'startOver' ? ['note'] : [],
    );
  }
});

test('edits that came before what they follow are not taken for sent when that arrives from the server', async () => {
  const browser = new NoteBrowser('note:');
  const [first, second] = await offlineTabs(browser);
  second.note.sync();
  browser.server.doc.getText('content').insert(0, 'theirs ');
  first.note.sync();
  first.keep();
  await runTasks();
  first.note.drop();
  first.session.text.insert(3, 'X');
  first.keep();
  await runTasks();
  // Updates that the server sent to the first tab are not passed on.
  second.skip();
  browser.deliver();
  await runTasks();
  assert.equal(second.session.state.word, 'saving');
  const before = second.note;
  before.receive();
  before.acknowledge();
  await runTasks();
  assert.deepEqual([second.text, browser.server.text], ['theXirs note:', 'theirs note:']);
  assert.equal((await browser.store.unsentNotes()).length, 1);
  assert.notEqual(second.note, before);
  second.note.sync();
  await runTasks();
  assert.deepEqual([browser.server.text, await browser.store.unsentNotes()], ['theXirs note:', []]);
});

test('whatever tabs do, crash and tell each other late, no edit is lost, doubled, or called sent too early', async () => {
  for (let seed = 1; seed <= 15; seed++) await runTabs(new Random(seed));
});
