import assert from 'node:assert/strict';
import { matrixOf, recall } from '../../../../packages/search-index/test/kit/vectors.ts';
import { builtinEmbedder } from '../../../src/ports/embedder/builtin.ts';

interface Passage {
  readonly about: string;
  readonly text: string;
}

/**
 * Makes vectors of passages and searches them by the title of every tenth path and by whole passages. Fails when a
 * search by title misses a result; returns the recall of the first ten for whole passages.
 */
export async function recallOfPrefilter(
  passages: readonly Passage[],
  paths: readonly string[],
): Promise<{ readonly share: number; readonly queries: number }> {
  const embedder = builtinEmbedder();
  const { signal } = new AbortController();
  const vectors = await embedder.embedPassages(passages, signal);
  const matrix = matrixOf(vectors);
  const asked = { signal, idf: async (words: readonly string[]) => words.map((word) => Math.min(6, word.length)) };
  const titles = paths.filter((_, index) => index % 10 === 0).map((path) => path.replace(/^.*\/|\.md$/g, ''));
  const questions = await Promise.all(titles.map((title) => embedder.embedQuery(title, asked)));
  // A title has few non-zero numbers, so every chunk is compared and none is missed; a whole passage has many.
  assert.equal(recall(matrix, questions, 10), 1);
  const whole = vectors.filter((_, index) => index % 50 === 0);
  return { share: recall(matrix, whole, 10), queries: whole.length };
}
