import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NoteInMemory } from '../kit/content/note-in-memory.ts';
import { assertWordsKept } from '../kit/content/word-writers.ts';
import type { SharedNote } from '../kit/content/writers.ts';
import { onEachEngine } from '../kit/engines.ts';
import { startNotes, type Writer } from '../kit/notes.ts';
import { Random } from '../kit/random.ts';

/** Beyond the first thousand: histories in which a word once stood twice. */
const MORE_SEEDS = [1407, 1430, 3548, 3798];

test('writers who change the same words find whole words only, each once, in a thousand histories', async () => {
  for (const seed of [...Array.from({ length: 1000 }, (_, at) => at + 1), ...MORE_SEEDS]) {
    const words = await assertWordsKept(async (text) => new NoteInMemory(text), new Random(seed), seed);
    assert.deepEqual(words, [], `seed ${seed}`);
  }
});

onEachEngine('POST /notes of writers of the same words', (open) => {
  test('leaves whole words only, each once, whichever request comes first', async () => {
    await using notes = await startNotes({ open });
    for (let seed = 1; seed <= 20; seed++) {
      const words = await assertWordsKept(
        (text) => noteOnServer(notes.alice, `${seed}.md`, text),
        new Random(seed),
        seed,
      );
      assert.deepEqual(words, [], `seed ${seed}`);
    }
  });
});

async function noteOnServer(alice: Writer, path: string, text: string): Promise<SharedNote> {
  await alice.write(path, text);
  return {
    async read() {
      const { version, content } = (await alice.read(path)).body;
      return { version, text: content };
    },
    async send(sent, version) {
      const note = await alice.write(path, sent, { version });
      return { version: note.version, text: note.content };
    },
  };
}
