import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { chunksOf } from '@notevault/note-text/chunks.ts';
import { matrixOf, recall } from '../../../../../packages/search-index/test/kit/vectors.ts';
import { builtinEmbedder } from '../../../engines/embedder/builtin.ts';

const vaults = fileURLToPath(new URL('../../../../../../shared/vaults', import.meta.url));
const files = globSync('**/*.md', { cwd: vaults }).sort();

test('VectorMatrix loses less than 1 in 50 of the first 10 chunks of real notes', {
  skip: files.length === 0 && 'no vaults here',
}, async (context) => {
  const embedder = builtinEmbedder();
  const { signal } = new AbortController();
  const texts = files.flatMap((file) => {
    const content = readFileSync(join(vaults, file), 'utf8');
    return chunksOf(content, 100).map(({ start, end, headings }) => ({
      about: [file, ...headings].join(' '),
      text: content.slice(start, end),
    }));
  });
  const vectors = await embedder.embedPassages(texts, signal);
  const matrix = matrixOf(vectors);
  assert.ok(vectors.length >= 10_000);
  const asked = { signal, rarity: async (words: readonly string[]) => words.map((word) => Math.min(6, word.length)) };
  const names = files.filter((_, index) => index % 10 === 0).map((file) => file.replace(/^.*\/|\.md$/g, ''));
  const queries = await Promise.all(names.map((name) => embedder.embedQuery(name, asked)));
  // Few numbers: all are looked at. The vector of a whole chunk has many.
  assert.equal(recall(matrix, queries, 10), 1);
  const whole = vectors.filter((_, index) => index % 50 === 0);
  const share = recall(matrix, whole, 10);
  context.diagnostic(
    `recall of the first 10 of ${vectors.length} chunks over ${whole.length} queries: ${share.toFixed(4)}`,
  );
  assert.ok(share > 0.98, `recall ${share}`);
});
