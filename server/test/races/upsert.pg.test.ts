import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine } from '../kit/engines.ts';
import type { Answer, Caller } from '../kit/person.ts';
import { Random, seedOfRun } from '../kit/random.ts';
import { oneServer, startServer, type TestServer } from '../kit/server.ts';

/** Half by each client, in rounds of two at once; TEST_RUNS=10000 makes more. */
const UPSERTS = Number(process.env.TEST_RUNS ?? 400);
const NOTES = 5;

/** A client's view of a note: its last answer. It continues from that, whatever the server has by now. */
interface Side {
  readonly name: string;
  readonly inserted: Set<string>;
  readonly removed: Set<string>;
  text: string;
  version: number;
}

function letters(random: Random, length: number): string {
  return Array.from({ length }, () => String.fromCharCode(97 + random.below(26))).join('');
}

/** A line of words that occur nowhere else, so that two such lines have almost nothing in common. */
function newLine(random: Random, side: Side): string {
  const line = Array.from({ length: 1 + random.below(6) }, () => letters(random, 2 + random.below(9))).join(' ');
  const unique = `${side.name}${side.inserted.size} ${line}`;
  side.inserted.add(unique);
  return unique;
}

/** Removes, replaces and adds a few lines of the text that the side last received. */
function edited(random: Random, side: Side): string {
  const lines = side.text === '' ? [] : side.text.slice(0, -1).split('\n');
  const [crowded, changes] = [lines.length > 30, 1 + random.below(4)];
  for (let change = 0; change < changes; change++) {
    const at = random.below(lines.length + 1);
    const takesOut = at < lines.length && random.chance(crowded ? 0.7 : 0.35);
    const puts = random.chance(crowded ? 0.4 : 0.8) || !takesOut ? 1 + random.below(2) : 0;
    const put = Array.from({ length: puts }, () => newLine(random, side));
    for (const line of lines.splice(at, takesOut ? 1 : 0, ...put)) side.removed.add(line);
  }
  return lines.map((line) => `${line}\n`).join('');
}

function check(sides: readonly Side[], text: string, hint: string): void {
  const counts = new Map<string, number>();
  for (const line of text.split('\n')) counts.set(line, (counts.get(line) ?? 0) + 1);
  const removed = new Set(sides.flatMap((side) => [...side.removed]));
  for (const line of sides.flatMap((side) => [...side.inserted])) {
    const expected = removed.has(line) ? 0 : 1;
    assert.equal(
      counts.get(line) ?? 0,
      expected,
      `${expected === 1 ? 'lost or doubled' : 'came back'}: ${line}, ${hint}`,
    );
    counts.delete(line);
  }
  counts.delete('');
  assert.deepEqual([...counts.keys()], [], `lines that nobody wrote, ${hint}`);
}

/** A second server over the same rows; like another process, it shares no locks with the first. */
function startTwin({ db, clock, masterKey }: TestServer): Promise<TestServer> {
  return startServer({ open: async () => db, clock, masterKey });
}

onEachEngine('concurrent upserts', (open) => {
  const start = oneServer(() => ({ open }));

  test(`lose and double no line in ${UPSERTS} merges by two clients of two servers`, async (t) => {
    const seed = seedOfRun(t);
    await using server = await start();
    await using twin = await startTwin(server);
    const { alice } = server;
    const elsewhere = twin.bearer((await alice.signed()).accessToken);
    await alice.post('/vaults', { name: 'Notes' });
    const play = async (note: number) => {
      const random = new Random(seed + note);
      const hint = `note ${note}, TEST_SEED=${seed}`;
      const path = `shared ${note}.md`;
      const send = (side: Side, text: string) =>
        (side.name === 'alice' ? alice : elsewhere).post('/notes', {
          path,
          mtime: 1,
          content: text,
          version: side.version,
        });
      const first = await alice.post('/notes', { path, mtime: 1, content: '' });
      const sides = ['alice', 'bob'].map(
        (name): Side => ({ name, inserted: new Set(), removed: new Set(), text: '', version: first.body.note.version }),
      );
      for (let round = 0; round < UPSERTS / NOTES / 2; round++) {
        const answers = await Promise.all(sides.map(async (side) => send(side, edited(random, side))));
        sides.forEach((side, at) => {
          const { status, body } = answers[at] as Answer;
          assert.equal(status, 200, hint);
          side.text = body.note.content;
          side.version = body.note.version;
        });
      }
      const last = await alice.get(`/notes/${encodeURIComponent(path)}`);
      assert.equal(last.body.version, Math.max(...sides.map((side) => side.version)), hint);
      check(sides, last.body.content, hint);
    };
    await Promise.all(Array.from({ length: NOTES }, (_, note) => play(note)));
  });

  test('concurrent upserts of one new path make one note with the text of one of them, and both are answered', async () => {
    const { alice } = await start();
    await alice.post('/vaults', { name: 'Notes' });
    for (let round = 0; round < 20; round++) {
      const create = (content: string, path: string) => alice.post('/notes', { path, mtime: 1, content });
      const both = await Promise.all([
        create('one\n', `Folder/Note ${round}.md`),
        create('two\n', `folder/note ${round}.MD`),
      ]);
      assert.deepEqual(
        both.map(({ status }) => status),
        [200, 200],
      );
      const [one, two] = both.map(({ body }) => body.note);
      assert.equal(one.id, two.id);
      assert.equal(one.path, two.path);
      assert.deepEqual([one.version, two.version].sort(), [1, 2]);
      const last = one.version === 2 ? one : two;
      assert.equal((await alice.get(`/notes/by-id/${one.id}`)).body.content, last.content);
    }
    assert.equal((await alice.get('/vaults')).body.vaults[0].note_count, 20);
  });

  test('and deletes leave either a note or a tombstone, and the count agrees', async () => {
    const { alice } = await start();
    await alice.post('/vaults', { name: 'Notes' });
    let live = 0;
    for (let round = 0; round < 20; round++) {
      const path = `note ${round}.md`;
      const [created, deleted] = await Promise.all([
        alice.post('/notes', { path, mtime: 1, content: 'text' }),
        alice.delete(`/notes/${encodeURIComponent(path)}`),
      ]);
      assert.deepEqual([created.status, deleted.status], [200, 200]);
      const { status } = await alice.get(`/notes/by-id/${created.body.note.id}`);
      assert.ok(status === 200 || status === 404);
      if (status === 200) live += 1;
    }
    assert.equal((await alice.get('/vaults')).body.vaults[0].note_count, live);
  });

  test('concurrent upserts of a note that is being deleted make a new version before, or a new note after', async () => {
    const { alice } = await start();
    await alice.post('/vaults', { name: 'Notes' });
    for (let round = 0; round < 20; round++) {
      const path = `note ${round}.md`;
      const { id } = (await alice.post('/notes', { path, mtime: 1, content: 'first' })).body.note;
      const [edited, deleted] = await Promise.all([
        alice.post('/notes', { path, mtime: 1, content: 'second' }),
        alice.delete(round % 2 === 0 ? `/notes/by-id/${id}` : `/notes/${encodeURIComponent(path)}`),
      ]);
      assert.deepEqual([edited.status, deleted.status], [200, 200]);
      const { note } = edited.body;
      assert.equal((await alice.get(`/notes/by-id/${id}`)).status, 404);
      const now = await alice.get(`/notes/${encodeURIComponent(path)}`);
      if (note.id === id) {
        assert.equal(note.version, 2);
        assert.equal(now.status, 404);
      } else {
        assert.equal(note.version, 2, 'it goes on counting versions');
        assert.equal(now.body.id, note.id);
      }
    }
  });

  test('concurrent upserts of one client-minted id give it to one note; the other fails or gets another', async () => {
    const { alice, bob } = await start();
    await alice.post('/vaults', { name: 'Notes' });
    await bob.post('/vaults', { name: 'Notes' });
    for (let round = 0; round < 10; round++) {
      const id = crypto.randomUUID();
      const create = (who: Caller, name: string) =>
        who.post('/notes', { path: `${name} ${round}.md`, mtime: 1, content: name, id });
      const [a, b, c] = await Promise.all([create(alice, 'a'), create(alice, 'b'), create(bob, 'c')]);
      const made = [a, b].filter(({ status }) => status === 200);
      const bobs = c?.body.note.id === id;
      assert.equal(c?.status, 200);
      if (bobs) {
        // The id belonged to another account by then, which the answer must not reveal.
        assert.deepEqual([a?.status, b?.status], [200, 200]);
        assert.equal(new Set([id, ...made.map(({ body }) => body.note.id)]).size, 3);
      } else {
        assert.deepEqual([a?.status, b?.status].sort(), [200, 409]);
        const refused = [a, b].find(({ status }) => status === 409);
        assert.equal(refused?.body.server_note.id, id);
        assert.equal(refused?.body.server_path, made[0]?.body.note.path);
      }
    }
  });
});
