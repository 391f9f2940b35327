import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chunksOf } from '@notevault/note-text/chunks.ts';
import { realNotes } from '../../../../../test/kit/content/real-vaults.ts';
import { recallOfPrefilter } from '../../../../../test/kit/content/recall.ts';

test('VectorMatrix loses less than 1 in 50 of the first 10 chunks of published vaults', async (context) => {
  const notes = realNotes('');
  const passages = [...notes].flatMap(([path, content]) =>
    chunksOf(content, 100).map(({ start, end, headings }) => ({
      about: [path, ...headings].join(' '),
      text: content.slice(start, end),
    })),
  );
  assert.ok(passages.length >= 10_000);
  const { share, queries } = await recallOfPrefilter(passages, [...notes.keys()]);
  context.diagnostic(
    `recall of the first 10 of ${passages.length} chunks over ${queries} queries: ${share.toFixed(4)}`,
  );
  assert.ok(share > 0.98, `recall ${share}`);
});
