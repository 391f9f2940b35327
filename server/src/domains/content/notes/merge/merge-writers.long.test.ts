import { it } from 'node:test';
import { assertLinesKept } from '../../../../../test/kit/content/note-in-memory.ts';
import { Random } from '../../../../../test/kit/random.ts';

it('writers who splice lines into a text find every line once in thousands of histories', async () => {
  for (let seed = 1; seed <= 20_000; seed++) await assertLinesKept(new Random(seed), seed);
});
