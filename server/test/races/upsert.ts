import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Answer } from '../kit/person.ts';
import { Random, seedOfRun } from '../kit/random.ts';
import { startServer, type TestServer } from '../kit/server.ts';

const NOTES = 5;

/** What a client knows of a note: its last answer. It continues from that, whatever the server has by now. */
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

/** Two clients of two servers write to a few notes, half of the upserts each, in rounds of two at once. */
export async function checkMerges(t: TestContext, server: TestServer, upserts: number): Promise<void> {
  const seed = seedOfRun(t);
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
    for (let round = 0; round < upserts / NOTES / 2; round++) {
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
}
