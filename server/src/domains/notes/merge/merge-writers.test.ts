import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { minimalDiff } from '@notevault/note-text/diff/diff.ts';
import {
  drawBase,
  linesOf,
  type SeenVersion,
  type SharedNote,
  writeInTurns,
} from '../../../../test/kit/content/writers.ts';
import { Random } from '../../../../test/kit/random.ts';
import { editDocument, loadDocument, seedDocument, snapshotOf, stateOf, stateVectorMap, textOf } from './document.ts';
import { mergeText } from './merge.ts';

const SERVER = 4_000_000_001;

/** A note in memory: writes that name the present version replace its text, others are merged, repeated ones known. */
class NoteInMemory implements SharedNote {
  #state: Uint8Array;
  readonly #versions: { readonly text: string; readonly snapshot: Uint8Array }[] = [];
  readonly #known = new Set<string>();
  readonly #boundaries: number[] = [];

  constructor(text: string) {
    const doc = seedDocument(SERVER, text);
    this.#state = stateOf(doc);
    this.#versions.push({ text, snapshot: snapshotOf(doc) });
  }

  async read(): Promise<SeenVersion> {
    return { version: this.#versions.length, text: this.#versions.at(-1)?.text ?? '' };
  }

  async send(text: string, version: number): Promise<SeenVersion> {
    const request = `${version}:${text}`;
    if (this.#known.has(request)) return this.read();
    this.#known.add(request);
    const doc = loadDocument(this.#state);
    const [base, before] = [this.#versions[version - 1], textOf(doc)];
    assert.ok(base);
    const from = stateVectorMap(doc, SERVER);
    if (version === this.#versions.length) editDocument(doc, SERVER, minimalDiff(before, text));
    else assert.ok(mergeText(doc, SERVER, base, text, this.#boundaries));
    if (textOf(doc) === before) return this.read();
    for (const clock of [from, stateVectorMap(doc, SERVER)]) {
      if (clock !== this.#boundaries.at(-1)) this.#boundaries.push(clock);
    }
    this.#state = stateOf(doc);
    this.#versions.push({ text: textOf(doc), snapshot: snapshotOf(doc) });
    return this.read();
  }
}

describe('writers who splice lines of their own into a text that they have seen', () => {
  it('writers who splice lines into a text find every line once, however their requests interleave, are repeated, or lose their answers', async () => {
    for (let seed = 1; seed <= 800; seed++) {
      const random = new Random(seed);
      const base = drawBase(random);
      const note = new NoteInMemory(base);
      const written = await writeInTurns(note, random, 4 + random.below(20));
      const { text } = await note.read();
      assert.deepEqual(linesOf(text), linesOf([base, ...written].join('\n')), `seed ${seed}: ${text}`);
    }
  });

  it('double nothing when one of them writes on without having seen a merged answer', async () => {
    const note = new NoteInMemory('base');
    for (const text of ['base\nB1', 'base\nA1', 'base\nA1\nA2', 'base\nA1\nA2\nA3', 'base\nB1\nB2'])
      await note.send(text, 1);
    assert.equal((await note.read()).text, 'base\nA1\nA2\nA3\nB1\nB2');
  });

  it('writers who splice lines into a text keep lines of different blocks that merely read alike, and have one equal block once', async () => {
    const merged = async (...texts: string[]) => {
      const note = new NoteInMemory('base\n');
      for (const text of texts) await note.send(`base\n${text}`, 1);
      return (await note.read()).text;
    };
    for (const shared of ['}', '---', '', 'return null;', 'milk', 'constructor']) {
      const [a, b] = [`a\n${shared}\n`, `b\n${shared}\n`];
      assert.equal(await merged(a, 'c\n', b), `base\n${b}c\n${a}`);
    }
    assert.equal(await merged('}\n', 'c\n', '}\n'), 'base\nc\n}\n');
    assert.equal(await merged('1\n', 'c\n', '12\n'), 'base\n12\nc\n1\n', 'a word is not cut');
  });
});
