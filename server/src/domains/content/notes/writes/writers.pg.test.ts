import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertWordsKept } from '../../../../../test/kit/content/word-writers.ts';
import {
  drawBase,
  linesOf,
  type SeenVersion,
  type SharedNote,
  writeInTurns,
} from '../../../../../test/kit/content/writers.ts';
import { onEachEngine, rawOf } from '../../../../../test/kit/engines.ts';
import { notesOnOneServer, startNotes, type Writer } from '../../../../../test/kit/notes.ts';
import { Random } from '../../../../../test/kit/random.ts';

/** A note that is written over HTTP, by requests that name a version. */
class NoteOnServer implements SharedNote {
  readonly #alice: Writer;
  readonly #path: string;

  constructor(alice: Writer, path: string) {
    this.#alice = alice;
    this.#path = path;
  }

  async send(text: string, version: number): Promise<SeenVersion> {
    const note = await this.#alice.write(this.#path, text, { version });
    return { version: note.version, text: note.content };
  }

  async read(): Promise<SeenVersion> {
    const { body } = await this.#alice.read(this.#path);
    return { version: body.version, text: body.content };
  }
}

onEachEngine('POST /notes of several writers', (open) => {
  const start = notesOnOneServer(open);

  test('[6.8] a writer who goes on without having seen a merged answer doubles nothing', async () => {
    const { alice } = await start();
    await alice.write('a.md', 'base');
    for (const text of ['base\nB1', 'base\nA1', 'base\nA1\nA2', 'base\nA1\nA2\nA3']) {
      await alice.write('a.md', text, { version: 1 });
    }
    assert.equal((await alice.read('a.md')).body.content, 'base\nA1\nA2\nA3\nB1');
  });

  test('[6.8] every line of several writers is there once, however requests interleave, repeat and lose answers', async () => {
    await using notes = await start();
    for (let seed = 1; seed <= 5; seed++) {
      const random = new Random(seed);
      const base = drawBase(random);
      const path = `${seed}.md`;
      await notes.alice.write(path, base);
      const note = new NoteOnServer(notes.alice, path);
      const written = await writeInTurns(note, random, 15);
      const { text } = await note.read();
      assert.deepEqual(linesOf(text), linesOf([base, ...written].join('\n')), `seed ${seed}: ${text}`);
    }
  });

  test('[6.8] words that several writers change stay whole, and each is there once', async () => {
    await using notes = await start();
    for (let seed = 1; seed <= 5; seed++) {
      const create = async (text: string) => {
        await notes.alice.write(`words ${seed}.md`, text);
        return new NoteOnServer(notes.alice, `words ${seed}.md`);
      };
      assert.deepEqual(await assertWordsKept(create, new Random(seed), seed), [], `seed ${seed}`);
    }
  });

  test('[6.8] every line of writers who send at once is there once, also when each request is sent twice', async () => {
    const { alice } = await start();
    await alice.write('a.md', 'base\n');
    const expected = ['base'];
    const texts = new Map([...'ABC'].map((name) => [name, 'base\n']));
    for (let turn = 0; turn < 8; turn++) {
      for (const [name, text] of texts) texts.set(name, `${text}${name}${turn}\n`);
      expected.push(...[...texts.keys()].map((name) => `${name}${turn}`));
      const requests = [...texts.values(), ...texts.values()];
      await Promise.all(requests.map((text) => alice.write('a.md', text, { version: 1 })));
    }
    assert.deepEqual(linesOf((await alice.read('a.md')).body.content), expected.sort());
  });

  test('[6.8] [6.9] the fingerprints that 0.2.0 stored are known, and what was written since doubles nothing', async () => {
    await using notes = await startNotes({ open });
    const { alice, server } = notes;
    const { id } = await alice.write('a.md', 'base\n');
    await alice.write('a.md', 'base\nB1\n', { version: 1 });
    await alice.write('a.md', 'base\nA1\n', { version: 1 });
    await using raw = await rawOf(server.db);
    const [row] = await raw.all('select fingerprints from note_bodies where note_id = $1', id);
    const old = (row?.fingerprints as Buffer | undefined)?.subarray(9, 9 + 16);
    assert.equal(await raw.run('update note_bodies set fingerprints = $1 where note_id = $2', old ?? null, id), 1);
    const now = (await alice.read('a.md')).body;
    assert.deepEqual(await alice.write('a.md', 'base\nB1\n', { version: 1 }), now);
    await alice.write('a.md', 'base\nC1\n', { version: 1 });
    const after = await alice.write('a.md', 'base\nC1\nC2\n', { version: 1 });
    assert.deepEqual(linesOf(after.content), ['A1', 'B1', 'C1', 'C2', 'base']);
    assert.deepEqual(await alice.write('a.md', 'base\nA1\n', { version: 1 }), after);
  });
});
