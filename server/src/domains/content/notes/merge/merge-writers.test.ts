import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertLinesKept, NoteInMemory } from '../../../../../test/kit/content/note-in-memory.ts';
import { Random } from '../../../../../test/kit/random.ts';

describe('writers who splice lines of their own into a text that they have seen', () => {
  it('writers who splice lines find every line once, however requests interleave, repeat or lose answers', async () => {
    for (let seed = 1; seed <= 150; seed++) await assertLinesKept(new Random(seed), seed);
  });

  it('double nothing when one of them writes on without having seen a merged answer', async () => {
    const note = new NoteInMemory('base');
    for (const text of ['base\nB1', 'base\nA1', 'base\nA1\nA2', 'base\nA1\nA2\nA3', 'base\nB1\nB2'])
      await note.send(text, 1);
    assert.equal((await note.read()).text, 'base\nA1\nA2\nA3\nB1\nB2');
  });

  it('writers who splice lines keep similar lines of different blocks, and one copy of an equal block', async () => {
    const merged = async (...texts: string[]) => {
      const note = new NoteInMemory('base\n');
      for (const text of texts) await note.send(`base\n${text}`, 1);
      return (await note.read()).text;
    };
    for (const shared of ['}', '---', '', 'return null;', 'milk', 'constructor']) {
      const [a, b] = [`a\n${shared}\n`, `b\n${shared}\n`];
      assert.equal(await merged(a, 'c\n', b), `base\n${b}c\n${a}`);
    }
    assert.equal(await merged('}\n', 'c\n', '}\n'), 'base\nc\n}\n');
    assert.equal(await merged('1\n', 'c\n', '12\n'), 'base\n12\nc\n1\n', 'a word is not cut');
  });
});
