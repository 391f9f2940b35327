import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chunksOf } from '@notevault/note-text/chunks.ts';
import { recallOfPrefilter } from '../../../../../test/kit/content/recall.ts';
import { handWritten, LANGUAGES } from '../../../../../test/kit/content/test-vault.ts';
import { Random } from '../../../../../test/kit/random.ts';

/** More than VectorMatrix compares exactly. */
const PASSAGES = 6000;

test('VectorMatrix loses less than 1 in 50 of the first 10 passages of the test vault', async (context) => {
  const random = new Random(7);
  const passages = LANGUAGES.flatMap((language) =>
    [...handWritten(language)].flatMap(([path, content]) =>
      chunksOf(content, 30).map(({ start, end, headings }) => ({
        about: [path, ...headings].join(' '),
        text: content.slice(start, end),
      })),
    ),
  );
  // Each text is made of two passages; no text occurs twice.
  const texts = Array.from({ length: PASSAGES }, () => {
    const [one, other] = [random.pick(passages), random.pick(passages)];
    return { about: one.about, text: `${one.text} ${other.text} ${random.noise(4)}` };
  });
  const { share, queries } = await recallOfPrefilter(texts, [...handWritten('en').keys()]);
  context.diagnostic(`recall of the first 10 of ${PASSAGES} passages over ${queries} queries: ${share.toFixed(4)}`);
  assert.ok(share > 0.98, `recall ${share}`);
});
