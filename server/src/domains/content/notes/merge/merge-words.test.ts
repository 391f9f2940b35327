import assert from 'node:assert/strict';
import { it } from 'node:test';
import { NoteInMemory } from '../../../../../test/kit/content/note-in-memory.ts';
import { assertWordsKept } from '../../../../../test/kit/content/word-writers.ts';
import { Random } from '../../../../../test/kit/random.ts';

it('writers who change the same words without seeing the answers find whole words only, each once', async () => {
  for (let seed = 1; seed <= 80; seed++) {
    const twice = await assertWordsKept(async (text) => new NoteInMemory(text), new Random(seed), seed);
    assert.deepEqual(twice, [], `seed ${seed}`);
  }
});
