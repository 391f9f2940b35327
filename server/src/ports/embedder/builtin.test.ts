import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import { systemClock } from '../clock/clock.ts';
import { builtinEmbedder, threadedBuiltin } from './builtin.ts';
import { dot, embedderContract } from './embedder.contract.ts';

embedderContract('the builtin embedder', async () => builtinEmbedder());
embedderContract('the builtin embedder in a thread', async () => threadedBuiltin(systemClock()));

const signal = new AbortController().signal;
const even = { signal, idf: async (words: readonly string[]) => words.map(() => 1) };

describe('the builtin embedder', () => {
  test('returns the same vectors in a thread as without', async () => {
    await using there = threadedBuiltin(systemClock());
    const texts = ['a river', 'знание', '知識の庭'].map((text) => ({ about: '', text }));
    assert.deepEqual(await there.embedPassages(texts, signal), await builtinEmbedder().embedPassages(texts, signal));
  });

  const nearness = async (query: string, ...texts: string[]) => {
    const embedder = builtinEmbedder();
    const vectors = await embedder.embedPassages(
      texts.map((text) => ({ about: '', text })),
      signal,
    );
    const asked = await embedder.embedQuery(query, even);
    return vectors.map((vector) => dot(asked, vector));
  };

  test('finds inflected, compounded and misspelt words', async () => {
    for (const [query, near, far] of [
      ['recovery', 'recovering files', 'a lantern of copper'],
      ['заметку', 'заметки и папки', 'медный фонарь'],
      ['knowlege', 'a garden of knowledge', 'a lantern of copper'],
      ['暗号', '暗号化された保管庫', 'ノートの一覧'],
      ['Haus', 'das Haustürschloss', 'ein Stück Kupfer'],
    ] as const) {
      const [nearer = 0, farther = 0] = await nearness(query, near, far);
      assert.ok(nearer > farther + 0.1, `${query}: ${nearer} and ${farther}`);
    }
  });
  test('ignores case, width and accents, but not the marks of kana', async () => {
    const [plain = 0] = await nearness('CAFÉ １２', 'cafe 12');
    assert.ok(plain > 0.999);
    const [marked = 0] = await nearness('がぎ', 'かき');
    assert.ok(marked < 0.5);
  });
  test('weighs rare words more, and asks for the idf of words, also in scripts without spaces', async () => {
    const embedder = builtinEmbedder();
    const texts = ['river river notes', 'lantern notes notes'];
    const [river, lantern] = await embedder.embedPassages(
      texts.map((text) => ({ about: '', text })),
      signal,
    );
    const asked: string[] = [];
    const query = await embedder.embedQuery('Notes about rivers 保管庫の暗号化', {
      signal,
      idf: async (words) => {
        asked.push(...words);
        return words.map((word) => (word === 'rivers' ? 5 : 0.1));
      },
    });
    assert.deepEqual(asked, ['notes', 'about', 'rivers', '保管', '庫', 'の', '暗号', '化']);
    assert.ok(river !== undefined && lantern !== undefined && dot(query, river) > dot(query, lantern) + 0.2);
  });
  test('asks for the idf of at most 64 words, in any script', async () => {
    for (const query of ['word '.repeat(500), '保管庫の暗号化'.repeat(200)]) {
      let count = 0;
      const idf = async (words: readonly string[]) => {
        count += words.length;
        return words.map(() => 1);
      };
      await builtinEmbedder().embedQuery(query, { signal, idf });
      assert.equal(count, 64);
    }
  });
  test('returns the same vectors everywhere, because they are stored: increase VERSION when this changes', async () => {
    const [vector = new Float32Array()] = await builtinEmbedder().embedPassages(
      [{ about: 'Títle > 見出し', text: 'Some words, заметки и 保管庫の暗号化。' }],
      signal,
    );
    const rounded = [...vector].map((value) => Math.round(value * 10_000)).join();
    assert.equal(createHash('sha256').update(rounded).digest('hex').slice(0, 16), 'c02a4246b9aec83c');
  });
});
