import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Doc, encodeStateAsUpdate } from 'yjs';
import type { EditorCommand } from '../core/controller.ts';
import { pasteCells } from '../table/fill-table.ts';
import { Writer } from '../test/writer.ts';
import { COMMANDS } from './commands.ts';

/**
 * Allowed effect of a command on letters: writing marks between them, moving them, deleting the selection or the letter
 * beside the cursor, or undoing and redoing.
 */
type Effect = 'marks' | 'moves' | 'deletes' | 'history';

/** Effect of every command of the app; a missing command does not compile. */
const EFFECTS: Readonly<Record<EditorCommand, Effect>> = {
  bold: 'marks',
  italic: 'marks',
  strikethrough: 'marks',
  highlight: 'marks',
  code: 'marks',
  link: 'marks',
  'note-link': 'marks',
  insert: 'marks',
  'heading-1': 'marks',
  'heading-2': 'marks',
  'heading-3': 'marks',
  'heading-4': 'marks',
  'heading-5': 'marks',
  'heading-6': 'marks',
  'bullet-list': 'marks',
  'ordered-list': 'marks',
  'task-list': 'marks',
  quote: 'marks',
  callout: 'marks',
  'code-block': 'marks',
  table: 'marks',
  'table-row': 'marks',
  'table-column': 'marks',
  'table-delete-row': 'deletes',
  'table-delete-column': 'deletes',
  'table-row-up': 'moves',
  'table-row-down': 'moves',
  'table-column-left': 'moves',
  'table-column-right': 'moves',
  'table-align-left': 'marks',
  'table-align-center': 'marks',
  'table-align-right': 'marks',
  'toggle-task': 'marks',
  undo: 'history',
  redo: 'history',
  find: 'marks',
  fold: 'marks',
  unfold: 'marks',
  'fold-all': 'marks',
  'unfold-all': 'marks',
  properties: 'marks',
};

/** Keys that change the text by commands that the app cannot run by name. */
const KEYS = { Enter: 'deletes', Tab: 'deletes', Backspace: 'deletes', Delete: 'deletes' } as const;

interface Step {
  readonly effect: Effect;
  readonly name: string;
  readonly run: (writer: Writer, letter: () => string) => unknown;
}

const commandStep = fc.constantFrom(...(Object.keys(COMMANDS) as EditorCommand[])).map((name): Step => {
  return { name, effect: EFFECTS[name], run: ({ view }) => COMMANDS[name](view) };
});
const keyStep = fc.constantFrom(...(Object.keys(KEYS) as (keyof typeof KEYS)[])).map((name): Step => {
  return { name, effect: KEYS[name], run: (writer) => writer.press(name) };
});
/** Texts that a writer may type; `☃` becomes a letter that is not in the note yet. */
const typed = ['☃', '☃☃', '|', '\\', '`', ' ', '\n', '[[', ']]', '☃\n☃', '**', '- ☃', '# '];
const typeStep = fc.constantFrom(...typed).map((text): Step => {
  const run = ({ state, dispatch }: Writer, letter: () => string) =>
    dispatch({ ...state.replaceSelection(text.replaceAll('☃', letter)), userEvent: 'input.type' });
  return { name: `type ${JSON.stringify(text)}`, effect: 'deletes', run };
});
const pasteStep = fc.constantFrom('☃\t☃', '☃\n☃\n☃', '☃|\t☃\\').map((text): Step => {
  const run = ({ view }: Writer, letter: () => string) => pasteCells(view, text.replaceAll('☃', letter));
  return { name: `paste ${JSON.stringify(text)}`, effect: 'deletes', run };
});

/** Blocks of a random note; each `λ` becomes a different letter. */
const BLOCKS = [
  ...['λλ λλ', '# λλ', '### λλ', '- λλ', '  * λλ', '- [ ] λλ', '1. λλ', '> λλ', '> [!tip] λ', '', '**λλ** λ'],
  ...['*λ* ==λ==', '`λ` ~~λ~~', '[λλ](λ)', '```\nλλ\n```', '| λ | λ |\n| --- | --- |\n| λ | λ |'],
  '\n| λλ | λ |\n| --- | :-: |\n| λ |λλ|\n| λ\\|λ |  |\n| λ | λ |\n\n',
  '\nλ|λλ\n-|-\nλ|λ λ\nλλ|λ\n\n',
];

const cases = fc.record({
  blocks: fc.array(fc.constantFrom(...BLOCKS), { minLength: 1, maxLength: 4 }),
  isAliceFirst: fc.boolean(),
  steps: fc.array(
    fc.record({
      isAlice: fc.boolean(),
      at: fc.nat(200),
      length: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat(8)),
      step: fc.oneof({ weight: 3, arbitrary: commandStep }, keyStep, { weight: 2, arbitrary: typeStep }, pasteStep),
      isSynced: fc.boolean(),
    }),
    { minLength: 1, maxLength: 14 },
  ),
});

const NOT_LETTERS = /[^\u0400-\u052f]/gu;
const lettersOf = (text: string) => text.replace(NOT_LETTERS, '');
const sorted = (text: string) => [...text].sort().join('');

/** Two writers of a note, and the expected fate of each letter. */
class Pair {
  readonly alice: Writer;
  readonly bob: Writer;
  /** Writers that deleted or moved each letter. A letter that both moved appears twice, because Yjs has no moves. */
  readonly #movers = new Map<string, Set<Writer>>();
  readonly #owners = new Map<string, Writer>();
  #count = 0;

  constructor(blocks: readonly string[], isAliceFirst: boolean) {
    const doc = new Doc();
    doc.clientID = 1;
    doc.getText('content').insert(0, blocks.join('\n').replaceAll('λ', this.#letter));
    const update = encodeStateAsUpdate(doc);
    this.alice = new Writer(isAliceFirst ? 2 : 3, update);
    this.bob = new Writer(isAliceFirst ? 3 : 2, update);
    for (const letter of lettersOf(this.alice.text)) this.#owners.set(letter, this.alice);
  }

  readonly #letter = (): string => String.fromCodePoint(0x400 + this.#count++);

  run(writer: Writer, { name, effect, run }: Step, at: number, length: number): void {
    const from = at % (writer.state.doc.length + 1);
    writer.select(from, from + length);
    const before = writer.text;
    const first = this.#count;
    writer.removed = '';
    run(writer, this.#letter);
    const after = writer.text;
    const what = JSON.stringify({ name, before, after, from, length });
    assert.equal(writer.state.sliceDoc(), after, what);
    const [old, now] = [lettersOf(before), lettersOf(after)];
    // The kind of a callout counts as a mark, including letters typed into it.
    const kind = name === 'callout' ? lettersOf(/\[!.*?\]/.exec(writer.removed)?.[0] ?? '') : '';
    if (effect === 'marks') assert.equal(now, old.replace(kind, ''), what);
    if (effect === 'marks') assert.equal(lettersOf(writer.removed), kind, `${what} wrote letters anew`);
    if (effect === 'moves') assert.equal(sorted(now), sorted(old), what);
    for (let letter = first; letter < this.#count; letter++) {
      this.#owners.set(String.fromCodePoint(0x400 + letter), writer);
    }
    for (const letter of this.#owners.keys()) {
      const isIn = (text: string) => text.includes(letter);
      if (isIn(writer.removed) || isIn(before) !== isIn(after)) this.#moved(letter, writer);
      if (this.#isOneSided(letter)) assert.ok(timesIn(after, letter) <= 1, `${letter} twice: ${what}`);
      if (effect === 'deletes' && isIn(after)) assert.ok(isIn(before) || this.#owners.get(letter) === writer, what);
    }
  }

  /** Merges both documents, and asserts that no edit of either writer was lost or applied twice. */
  sync(): void {
    const before = new Map([this.alice, this.bob].map((writer) => [writer, writer.text]));
    this.alice.take(this.bob);
    this.bob.take(this.alice);
    const { text } = this.alice;
    assert.equal(text, this.bob.text);
    for (const writer of [this.alice, this.bob]) assert.equal(writer.state.sliceDoc(), text);
    for (const [letter, owner] of this.#owners) {
      const [mover = owner] = this.#movers.get(letter) ?? [];
      const wanted = timesIn(before.get(mover) ?? '', letter);
      const what = JSON.stringify({ letter, alice: before.get(this.alice), bob: before.get(this.bob), text });
      if (this.#isOneSided(letter)) assert.equal(timesIn(text, letter), wanted, what);
    }
  }

  #moved(letter: string, writer: Writer): void {
    const movers = this.#movers.get(letter) ?? new Set();
    this.#movers.set(letter, movers.add(writer));
  }

  #isOneSided(letter: string): boolean {
    return (this.#movers.get(letter)?.size ?? 0) < 2;
  }
}

const timesIn = (text: string, letter: string) => text.split(letter).length - 1;

test('every command of the table has an effect here that is tested', () => {
  assert.deepEqual(Object.keys(EFFECTS).sort(), Object.keys(COMMANDS).sort());
});

test('commands of two writers at once lose no letter, write none twice, and end in the same text', () => {
  fc.assert(
    fc.property(cases, ({ blocks, isAliceFirst, steps }) => {
      const pair = new Pair(blocks, isAliceFirst);
      for (const { isAlice, step, at, length, isSynced } of steps) {
        pair.run(isAlice ? pair.alice : pair.bob, step, at, length);
        if (isSynced) pair.sync();
      }
      pair.sync();
    }),
    { numRuns: Number(process.env.TEST_RUNS ?? 200) },
  );
});
