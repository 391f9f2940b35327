import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VaultId } from '@notevault/protocol/values/ids.ts';
import { onEachEngine, rawOf } from '../../../../test/kit/engines.ts';
import { type NotesServer, startNotes } from '../../../../test/kit/notes.ts';
import type { Embedder } from '../../../ports/embedder/embedder.ts';
import { EmbedderError, normalize } from '../../../ports/embedder/embedder.ts';
import type { TuningProgress } from './tuning.ts';

const NOTES = 40;
const DIMENSIONS = 64;
const WORDS = ['lantern', 'harbour', 'copper kettle', 'winter', 'barley field', 'meadow', 'granite', 'thunder'];

/** The case of the first letters of a word tells its note, which the words of the index do not. */
function marked(word: string, note: number): string {
  return [...word].map((letter, at) => ((note >> at) & 1 && at < 6 ? letter.toUpperCase() : letter)).join('');
}

const noteOf = (word: string) =>
  [...word.slice(0, 6)].reduce((note, letter, at) => note + (letter === letter.toUpperCase() ? 1 << at : 0), 0);

/** Texts of the same words, which differ in the case of letters alone. */
const alike = (note: number) => {
  const sentences = WORDS.map((words) =>
    words
      .split(' ')
      .map((word) => marked(word, note))
      .join(' and '),
  );
  const rare = `zebra${String.fromCharCode(97 + (note % 26), 97 + (note >> 3))}x`;
  return `${sentences.join(' once more. ')} again.\n\n${marked(rare, note)} under ${marked('lantern', note)} glass.\n`;
};

const SYLLABLES = ['bor', 'dul', 'fim', 'gat', 'kel', 'mop', 'run', 'sav'];

/** Texts that have no word in common. */
const distinct = (note: number) =>
  [0, 4].map((from) => `${[0, 1, 2, 3].map((at) => wordOf(note, from + at)).join(' ')}.\n`).join('');
const wordOf = (note: number, at: number) => `${SYLLABLES[note % 8]}${SYLLABLES[note >> 3]}${SYLLABLES[at]}en`;

/** An embedder that knows which note a word is of. */
function knowing(id: string, trust: number): Embedder {
  const vectorOf = (text: string) => {
    const vector = new Float32Array(DIMENSIONS);
    for (const word of text.match(/[a-z]{6,}/gi) ?? []) vector[noteOf(word)] = (vector[noteOf(word)] ?? 0) + 1;
    return normalize(vector);
  };
  return {
    name: id,
    space: async () => ({ id, dimensions: DIMENSIONS, maxTokens: 512, noise: 0.1, trust }),
    embedPassages: async (passages) => passages.map(({ text }) => vectorOf(text)),
    embedQuery: async (query) => vectorOf(query),
    [Symbol.asyncDispose]: async () => undefined,
  };
}

/** The note of `distinct` that has a word; `DIMENSIONS - 1`, which is none, for other words. */
function noteOfDistinct(word = ''): number {
  const [low, high] = [word.slice(0, 3), word.slice(3, 6)].map((syllable) => SYLLABLES.indexOf(syllable));
  return low === -1 || high === -1 ? DIMENSIONS - 1 : (low ?? 0) + 8 * (high ?? 0);
}

/**
 * An embedder for `distinct` texts that takes the last word of a query for all of it, so that one wrong word there names
 * another note. Its model can be changed.
 */
function misleading(id: string): Embedder & { id: string } {
  const vectorOf = (note: number) => Float32Array.from({ length: DIMENSIONS }, (_, at) => (at === note ? 1 : 0));
  const own = {
    ...knowing(id, 1),
    id,
    space: async () => ({ id: own.id, dimensions: DIMENSIONS, maxTokens: 512, noise: 0.1, trust: 1 }),
    embedPassages: async (passages: readonly { readonly text: string }[]) =>
      passages.map(({ text }) => vectorOf(noteOfDistinct(text.match(/[a-z]{6,}/)?.[0]))),
    embedQuery: async (query: string) => vectorOf(noteOfDistinct(query.split(' ').at(-1))),
  };
  return own;
}

onEachEngine('tuning of search', (open) => {
  const started = async (embedder: Embedder, textOf = alike, count = NOTES): Promise<NotesServer> => {
    const notes = await startNotes({ open, embedder });
    const batch = Array.from({ length: count }, (_, note) => ({ path: `${note}.md`, content: textOf(note), mtime: 1 }));
    const { status } = await notes.alice.caller.post(
      '/notes/batch',
      { notes: batch },
      { 'x-idempotency-key': 'notes' },
    );
    assert.equal(status, 200);
    return notes;
  };
  async function tune({ server, alice }: NotesServer, dryRun = false, progress: TuningProgress[] = []) {
    const vault = await server.app.vaults.openAsSystem(alice.vault as VaultId);
    assert.ok(vault !== null);
    return await server.app.search.tune(vault, { dryRun }, (own) => progress.push(own));
  }
  async function storedWeights({ server }: NotesServer): Promise<unknown[]> {
    await using raw = await rawOf(server.db);
    const rows = await raw.all('select model, weight from search_weights order by model');
    return rows.map(({ model, weight }) => [model, weight]);
  }
  /** A query whose words do not tell which note is meant, and the path of the best result. */
  async function bestFor({ alice }: NotesServer, note: number): Promise<string> {
    const query = `${marked('harbour', note)} ${marked('lantern', note)} unknown`;
    const { body } = await alice.caller.post('/search', { query });
    return body.results[0].path;
  }

  test('tune embeds the notes and keeps a higher weight that is better beyond chance, with which search then ranks', async () => {
    await using notes = await started(knowing('good', 0));
    const progress: TuningProgress[] = [];
    const before = await tune(notes, true, progress);
    assert.ok(before.weight > 0 && (before.higher?.p ?? 1) < 0.05, JSON.stringify(before));
    assert.deepEqual([before.saved, before.previousWeight, before.defaultWeight], [false, 0, 0]);
    assert.deepEqual(await storedWeights(notes), []);
    const last = progress.at(-1);
    assert.deepEqual(last, { step: 'queries', done: before.queries, total: before.queries });
    assert.deepEqual(progress[0], { step: 'vectors', done: 0, total: NOTES });

    const report = await tune(notes);
    assert.deepEqual({ ...report, saved: false }, before);
    assert.deepEqual(await storedWeights(notes), [['good', report.weight]]);
    for (const note of [3, 20, 37]) assert.equal(await bestFor(notes, note), `${note}.md`);
  });

  test('tune lowers the weight of a model that makes search worse, for that model alone', async () => {
    const embedder = misleading('bad');
    await using notes = await started(embedder, distinct);
    const report = await tune(notes);
    const { weight, qualities } = report;
    assert.ok(weight < report.defaultWeight, JSON.stringify(report));
    const meanOf = (of: number) => {
      const found = qualities.find((own) => own.weight === of);
      return (found?.choose ?? 0) + (found?.check ?? 0);
    };
    assert.ok(meanOf(weight) > meanOf(1));
    assert.deepEqual(await storedWeights(notes), [['bad', weight]]);
    embedder.id = 'other';
    assert.equal((await tune(notes, true)).previousWeight, 1);
  });

  test('tune refuses a vault with too few notes, and an embedder that fails', async () => {
    await using notes = await started(knowing('good', 0), alike, 3);
    await assert.rejects(tune(notes), {
      code: 'validation',
      details: { errors: { vault: ['has 3 notes that queries can be made of; at least 20 are needed'] } },
    });
    const failing = { ...knowing('x', 0), space: () => Promise.reject(new EmbedderError('unusable', 'No model.')) };
    await using broken = await started(failing, alike, 1);
    await assert.rejects(tune(broken), {
      code: 'validation',
      details: { errors: { embedder: ['failed: No model.'] } },
    });
  });
});
