import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NoteInMemory } from '../kit/content/note-in-memory.ts';
import { assertWordsKept } from '../kit/content/word-writers.ts';
import type { SharedNote } from '../kit/content/writers.ts';
import { onEachEngine } from '../kit/engines.ts';
import { startNotes, type Writer } from '../kit/notes.ts';
import { Random } from '../kit/random.ts';

/** Two readings of who wrote what, which let a word stand twice, are as rare. */
const TWICE_MAX = 0.01;

test('writers who change the same words find whole words only, and none lost, in a thousand histories', async () => {
  let twice = 0;
  for (let seed = 1; seed <= 1000; seed++) {
    const words = await assertWordsKept(async (text) => new NoteInMemory(text), new Random(seed), seed);
    if (words.length > 0) twice++;
  }
  assert.ok(twice <= 1000 * TWICE_MAX, `${twice} histories with a word twice`);
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
