import assert from 'node:assert/strict';
import * as Y from 'yjs';
import type { Database } from '../../src/ports/database/database.ts';
import { YjsClient } from '../kit/clients/yjs-client.ts';
import { assertConsistent } from '../kit/database/assert-consistent.ts';
import type { Json } from '../kit/notes.ts';
import type { Caller } from '../kit/person.ts';
import { Random } from '../kit/random.ts';
import { startShared } from '../kit/shared-vault.ts';

const STEPS = 14;

/** A word that somebody wrote, and who deleted it. */
interface Word {
  readonly by: Person;
  /** Whether it was typed, and so is of another item than what its person sends in requests. */
  readonly typed: boolean;
  deletedBy: Person | null;
}

type Person = 'alice' | 'bob';

/**
 * Alice and bob write words into a note and delete some of both, by requests (also on old versions) and by typing. Then
 * what alice did is undone. No word that bob wrote and did not delete may be missing then, unless alice deleted it and
 * her deletion is left; and where nothing is left, none of her words stays or returns.
 */
export async function undoRun(open: () => Promise<Database>, seeds: readonly number[]): Promise<void> {
  await using world = await startShared({ open });
  const { server, alice, bob, headers, vault } = world;
  const ids = { alice: await world.idOf(alice), bob: await world.join(bob, 'editor') };
  const callerOf = async (caller: Caller): Promise<Caller> => {
    const reach = { name: 'writer', vault_access: { [vault]: 'write' } };
    return server.bearer((await caller.post('/connections/pat', reach)).body.key);
  };
  const callers = { alice: await callerOf(alice), bob: await callerOf(bob) };
  for (const seed of seeds) {
    const random = new Random(seed);
    const words = new Map<string, Word>();
    const path = `n${seed}.md`;
    const lines = Array.from({ length: 5 }, (_, at) => `line ${at} end`).join('\n');
    const { note } = (await callers.bob.post('/notes', { path, content: lines, mtime: 1 }, headers)).body;
    // What was written before is of another item.
    server.clock.advance({ minutes: 11 });
    const seen: { version: number; content: string }[] = [{ version: note.version, content: lines }];
    using typers = new DisposableStack();
    const typing = async (person: Person) =>
      typers.use(await new YjsClient(person, new Y.Doc(), ids[person]).join(server.app, vault, note.id));
    const clients = { alice: await typing('alice'), bob: await typing('bob') };
    let next = 0;
    for (let step = 0; step < STEPS; step++) {
      const person = random.pick(['alice', 'bob'] as const);
      if (random.chance(0.5)) await type(random, clients[person], person, words, () => `${person}${seed}x${next++}`);
      else {
        const base = random.chance(0.7) ? seen.at(-1) : random.pick(seen);
        assert.ok(base !== undefined);
        const known = [...words].map(([word, about]) => [word, { ...about }] as const);
        const content = changed(random, base.content, person, words, () => `${person}${seed}x${next++}`);
        const { version } = base;
        const answer = await callers[person].post('/notes', { path, id: note.id, content, version, mtime: 1 }, headers);
        if (answer.body.error === 'version_conflict') {
          // Versions between letters typed by one person are not stored, so a write on one of them is refused.
          words.clear();
          for (const [word, about] of known) words.set(word, about);
        } else assert.equal(answer.status, 200, `seed ${seed}: ${JSON.stringify(answer.body)}`);
      }
      if (random.chance(0.6)) {
        const { body } = await callers[person].get(`/notes/by-id/${note.id}`, headers);
        seen.push({ version: body.version, content: body.content });
      }
    }
    const before = (await callers.bob.get(`/notes/by-id/${note.id}`, headers)).body.content;
    const present = (text: string, word: string) => text.split(/\s+/).includes(word);
    const written = [...words].filter(([word]) => present(before, word));
    const left: Json[] = [];
    for (const { id, action } of (
      await callers.alice.get(`/vault/activity?actor=${ids.alice}&note=${note.id}`, headers)
    ).body.items) {
      if (action !== 'write') continue;
      const { status, body } = await callers.alice.post(`/vault/activity/${id}/undo`, {}, headers);
      assert.equal(status, 200, `seed ${seed}: ${JSON.stringify(body)}`);
      left.push(...body.left);
      const { body: again } = await callers.alice.post(`/vault/activity/${id}/undo`, {}, headers);
      assert.deepEqual({ ...again, merged: body.merged }, body, `seed ${seed}: repeated, it changes nothing`);
    }
    const after = (await callers.bob.get(`/notes/by-id/${note.id}`, headers)).body.content;
    const told = `seed ${seed}, left ${JSON.stringify(left)}\n${before}\n--\n${after}`;
    for (const [word, { by }] of written) {
      if (by === 'bob') assert.ok(present(after, word), `${word} of bob is lost: ${told}`);
      else if (left.length === 0) assert.ok(!present(after, word), `${word} of alice stays: ${told}`);
    }
    if (left.length === 0) {
      for (const [word, { by, typed, deletedBy }] of words) {
        if (deletedBy !== 'alice') continue;
        if (by === 'bob') assert.ok(present(after, word), `${word} is not back: ${told}`);
        else if (!typed) assert.ok(!present(after, word), `${word} of alice is back: ${told}`);
      }
    }
  }
  await assertConsistent(server);
}

/** Adds a word at the end of a line, or deletes one. */
function changed(random: Random, text: string, person: Person, words: Map<string, Word>, name: () => string): string {
  const lines = text.split('\n');
  const at = random.below(lines.length);
  const [line = ''] = [lines[at]];
  const known = line.split(' ').filter((word) => words.has(word));
  if (known.length > 0 && random.chance(0.3)) {
    const word = random.pick(known);
    markDeleted(words, word, person);
    lines[at] = line
      .split(' ')
      .filter((each) => each !== word)
      .join(' ');
  } else {
    const word = name();
    words.set(word, { by: person, typed: false, deletedBy: null });
    const parts = line.split(' ');
    parts.splice(1 + random.below(parts.length), 0, word);
    lines[at] = parts.join(' ');
  }
  return lines.join('\n');
}

async function type(random: Random, client: YjsClient, person: Person, words: Map<string, Word>, name: () => string) {
  const spaces = [...client.text.matchAll(/ /g)].map(({ index }) => index);
  const word = name();
  words.set(word, { by: person, typed: true, deletedBy: null });
  await client.type(` ${word}`, random.pick(spaces));
}

/** A word that both deleted counts as bob’s deletion: the undo of alice’s cannot tell. */
function markDeleted(words: Map<string, Word>, word: string, person: Person): void {
  const known = words.get(word);
  if (known !== undefined && known.deletedBy !== 'bob') known.deletedBy = person;
}
