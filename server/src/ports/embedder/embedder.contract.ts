import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Embedder, EmbedOptions } from './embedder.ts';

const signal = new AbortController().signal;
const options: EmbedOptions = { signal, idf: async (words) => words.map(() => 1) };
const passage = (text: string, about = '') => ({ about, text });

/** The contract suite of embedders. @param open returns a new one, closed by the suite. */
export function embedderContract(title: string, open: () => Promise<Embedder>): void {
  const withOne = (name: string, check: (embedder: Embedder) => Promise<void>) =>
    test(name, async () => {
      await using embedder = await open();
      await check(embedder);
    });

  describe(`${title} is an embedder`, () => {
    withOne('has a name, and a space that describes its vectors', async (embedder) => {
      const space = await embedder.space(signal);
      assert.ok(embedder.name.length > 0 && space.id.length > 0);
      assert.ok(Number.isInteger(space.dimensions) && space.dimensions > 0);
      assert.ok(space.maxTokens >= 8);
      assert.deepEqual(await embedder.space(signal), space);
    });
    withOne('returns a unit vector of the space for each passage', async (embedder) => {
      const { dimensions } = await embedder.space(signal);
      const vectors = await embedder.embedPassages(
        [passage('a river'), passage('знание', 'Заметки'), passage('知識')],
        signal,
      );
      assert.equal(vectors.length, 3);
      for (const vector of [...vectors, await embedder.embedQuery('a river', options)]) {
        assert.ok(vector instanceof Float32Array);
        assert.equal(vector.length, dimensions);
        assert.ok(Math.abs(dot(vector, vector) - 1) < 1e-3);
      }
    });
    withOne('returns no vectors for no passages', async (embedder) => {
      assert.deepEqual(await embedder.embedPassages([], signal), []);
    });
    withOne('returns equal vectors for equal texts, whatever they are sent with', async (embedder) => {
      const [alone] = await embedder.embedPassages([passage('a river of stone')], signal);
      const many = Array.from({ length: 40 }, (_, index) => passage(`other ${index}`));
      const vectors = await embedder.embedPassages([...many, passage('a river of stone')], signal);
      assert.ok(alone !== undefined && dot(alone, vectors[40] ?? new Float32Array()) > 0.999);
    });
    withOne('puts a query nearest to a passage with the same words', async (embedder) => {
      const texts = ['the river runs to the sea', 'a lantern of copper', '知識の庭', 'река течёт к морю'];
      const vectors = await embedder.embedPassages(
        texts.map((text) => passage(text)),
        signal,
      );
      for (const [index, text] of texts.entries()) {
        const query = await embedder.embedQuery(text, options);
        const scores = vectors.map((vector) => dot(query, vector));
        assert.equal(scores.indexOf(Math.max(...scores)), index, text);
      }
    });
    withOne('takes title and headings of a passage into account', async (embedder) => {
      const [plain, titled] = await embedder.embedPassages(
        [passage('a lantern'), passage('a lantern', 'River')],
        signal,
      );
      const query = await embedder.embedQuery('river', options);
      assert.ok(plain !== undefined && titled !== undefined && dot(query, titled) > dot(query, plain));
    });
    withOne('returns vectors for empty text, signs alone and ill-formed text', async (embedder) => {
      const vectors = await embedder.embedPassages(
        [passage(''), passage('*** --- ***'), passage('\ud800x\u0000')],
        signal,
      );
      for (const vector of vectors) assert.ok(vector.every(Number.isFinite));
      assert.ok((await embedder.embedQuery('***', options)).every(Number.isFinite));
    });
    withOne('takes the end of a long passage into account', async (embedder) => {
      const { maxTokens } = await embedder.space(signal);
      const filler = 'lantern '.repeat(maxTokens * 2);
      const [without, withEnd] = await embedder.embedPassages([passage(filler), passage(`${filler} river`)], signal);
      const query = await embedder.embedQuery('river', options);
      assert.ok(without !== undefined && withEnd !== undefined && dot(query, withEnd) > dot(query, without));
    });
    withOne('rejects a call with the reason of its aborted signal', async (embedder) => {
      const reason = new Error('enough');
      await assert.rejects(embedder.embedPassages([passage('a')], AbortSignal.abort(reason)), reason);
    });
  });
}

export function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);
}
