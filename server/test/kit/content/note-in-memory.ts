import assert from 'node:assert/strict';
import { minimalDiff } from '@notevault/note-text/diff/diff.ts';
import {
  editDocument,
  loadDocument,
  seedDocument,
  snapshotOf,
  stateOf,
  stateVectorMap,
  textOf,
} from '../../../src/domains/content/notes/merge/document.ts';
import { mergeText } from '../../../src/domains/content/notes/merge/merge.ts';
import type { Random } from '../random.ts';
import { drawBase, linesOf, type SeenVersion, type SharedNote, writeInTurns } from './writers.ts';

const SERVER = 4_000_000_001;

/** A note in memory: writes that name the present version replace its text, others are merged, repeated ones known. */
export class NoteInMemory implements SharedNote {
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

/** Lets some writers write in turns into a note in memory, and fails if a line is lost or doubled. */
export async function assertLinesKept(random: Random, seed: number): Promise<void> {
  const base = drawBase(random);
  const note = new NoteInMemory(base);
  const written = await writeInTurns(note, random, 4 + random.below(20));
  const { text } = await note.read();
  assert.deepEqual(linesOf(text), linesOf([base, ...written].join('\n')), `seed ${seed}: ${text}`);
}
