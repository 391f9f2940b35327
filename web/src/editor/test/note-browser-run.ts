import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import type { Random } from '../../../../server/test/kit/random.ts';
import { NoteBrowser, type NoteTab } from './note-browser.ts';

const STEPS = 60;

/**
 * Simulates one user typing into a note in up to three tabs that open, close, crash, lose their connections and receive
 * messages late. In the end, the server has every word that a tab reported as kept or saved exactly once, and no edit
 * was recorded as sent that the server lacks.
 */
export async function runTabs(random: Random): Promise<void> {
  const run = new Run(random);
  try {
    for (let step = 0; step < STEPS; step++) await run.step();
    await run.end();
  } catch (error) {
    throw new Error(`seed ${random.seed}, after ${run.steps.join(', ')}`, { cause: error });
  }
}

class Run {
  readonly steps: string[] = [];
  readonly #browser: NoteBrowser;
  readonly #random: Random;
  /** Words that a tab reported as stored on this device or the server. */
  readonly #kept = new Set<string>();
  readonly #typed: string[] = [];

  constructor(random: Random) {
    this.#random = random;
    this.#browser = new NoteBrowser('note:');
    this.#browser.hasChannel = random.chance(0.8);
    this.#browser.open();
  }

  async step(): Promise<void> {
    const { tabs } = this.#browser;
    const tab = tabs.length === 0 ? null : this.#random.pick(tabs);
    const [name, act] = this.#random.pick(this.#choices(tab));
    this.steps.push(name);
    await act();
    if (this.#random.chance(0.7)) await runTasks();
    this.#note();
    await this.#check();
  }

  #choices(tab: NoteTab | null): readonly (readonly [string, () => unknown])[] {
    const browser = this.#browser;
    const random = this.#random;
    const open = ['open', () => browser.open()] as const;
    if (tab === null) return [open];
    const { options, session } = tab;
    const of = (name: string, act: () => unknown) => [`${name} ${options.writer}`, act] as const;
    const hear = of('hear', () => tab.receive(random.below(3)));
    const choices = [
      of('keep', () => tab.keep()),
      of('receive', () => session.state.isConnected && tab.note.receive()),
      of('acknowledge', () => session.state.isConnected && tab.note.acknowledge()),
      of('look', async () => session.sends((await browser.store.unsentNotes())[0]?.unsent ?? [])),
      of('drop', () => tab.isConnecting && tab.note.drop()),
      of('connect', () => tab.isConnecting && tab.note.sync()),
      of('crash', () => random.chance(0.5) && tab.kill()),
      of('close', () => {
        tab.keep();
        session[Symbol.dispose]();
        browser.tabs = browser.tabs.filter((one) => one !== tab);
      }),
      of('leave', async () => {
        tab.keep();
        await runTasks();
        tab.kill();
      }),
    ];
    const word = `<${this.#typed.length}>`;
    const type = of(`type ${word}`, () => {
      if (!session.isReady) return;
      this.#typed.push(word);
      // The position is never inside another word.
      tab.type(word);
    });
    return [...choices, hear, hear, hear, type, type, type, ...(browser.tabs.length < 3 ? [open] : [])];
  }

  /** Records the save states that tabs report now. */
  #note(): void {
    for (const { session, text } of this.#browser.tabs) {
      if (!session.state.isOnDevice && session.state.word !== 'saved') continue;
      for (const word of this.#typed) if (text.includes(word)) this.#kept.add(word);
    }
  }

  async #check(): Promise<void> {
    const { server, store, tabs } = this.#browser;
    const isMissing = (word: string) => !server.text.includes(word);
    for (const { session, text, options } of tabs) {
      if (session.state.word !== 'saved' || !session.state.isConnected) continue;
      const missing = this.#typed.filter((word) => text.includes(word) && isMissing(word));
      assert.deepEqual(missing, [], `${options.writer} says Saved`);
    }
    if ((await store.unsentNotes()).length > 0) return;
    assert.deepEqual([...this.#kept].filter(isMissing), [], 'nothing counts as unsent');
  }

  /** Reconnects the remaining tabs. If there are none, another tab sends the stored edits. */
  async end(): Promise<void> {
    const browser = this.#browser;
    for (const tab of browser.tabs) tab.keep();
    await runTasks();
    browser.deliver();
    await runTasks();
    this.#note();
    // A tab reconnects after receiving what it had missed.
    for (let round = 0; round < 2; round++) {
      for (const tab of browser.tabs) tab.note.sync();
      await runTasks();
      const { unsent = [] } = (await browser.store.unsentNotes())[0] ?? {};
      for (const { session, note } of browser.tabs) if (await session.sends(unsent)) note.acknowledge();
      await runTasks();
      for (const tab of browser.tabs) tab.note.receive();
      await runTasks();
    }
    if (browser.tabs.length === 0) await browser.sendKept();
    assert.deepEqual(await browser.store.unsentNotes(), []);
    const { text } = browser.server;
    for (const word of this.#kept) assert.equal(text.split(word).length - 1, 1, `${word} in ${text}`);
    for (const tab of browser.tabs) assert.equal(tab.text, text);
  }
}

async function runTasks(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await setImmediate();
}
