/** Undo beside writes, moves and removals of members, in two processes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertConsistent } from '../kit/database/assert-consistent.ts';
import { onEachEngine } from '../kit/engines.ts';
import type { Json } from '../kit/notes.ts';
import type { Caller } from '../kit/person.ts';
import { sharedOnThree } from '../kit/shared-vault.ts';

const ROUNDS = 6;

onEachEngine('an undo beside other requests', (open) => {
  const startThree = sharedOnThree(open);

  /** Alice's vault; bob, its editor, is called in another process. */
  async function world() {
    const { shared, servers } = await startThree();
    const { alice, bob, headers } = shared;
    const id = await shared.join(bob, 'editor');
    const there = servers[1].bearer((await shared.server.bob.signed()).accessToken);
    const put = (caller: Caller, path: string, content: string, more: object = {}) =>
      caller.post('/notes', { path, content, mtime: 1, ...more }, headers);
    const lastOf = async (person: string): Promise<Json> =>
      (await alice.get(`/vault/activity?actor=${person}&action=write`, headers)).body.items[0];
    const undo = (caller: Caller, item: string) => caller.post(`/vault/activity/${item}/undo`, {}, headers);
    const text = async (path: string) => (await alice.get(`/notes/${path}`, headers)).body.content;
    return { shared, servers, alice, there, headers, bob: id, put, lastOf, undo, text };
  }

  test('keeps what somebody else writes at the same time, and takes back what it undoes', async () => {
    const { shared, servers, alice, there, bob, put, lastOf, undo, text } = await world();
    const elsewhere = servers[2].bearer((await shared.server.alice.signed()).accessToken);
    for (let round = 0; round < ROUNDS; round++) {
      const path = `n${round}.md`;
      const lines = ['first', 'second', 'third', 'fourth'];
      const { note } = (await put(alice, path, lines.join('\n'))).body;
      const { version } = (await put(there, path, lines.with(0, 'first of bob').join('\n'))).body.note;
      const { id } = await lastOf(bob);
      const later = ['first of bob', 'second', 'third', 'fourth of alice'].join('\n');
      const [undone, written] = await Promise.all([
        undo(there, id),
        put(elsewhere, path, later, { id: note.id, version }),
      ]);
      assert.deepEqual([undone.status, undone.body.left, written.status], [200, [], 200]);
      assert.equal(await text(path), lines.with(3, 'fourth of alice').join('\n'), `round ${round}`);
    }
    await assertConsistent(shared.server);
  });

  test('moves back, or leaves, what is renamed at the same time, with no note lost', async () => {
    const { shared, alice, there, headers, undo } = await world();
    for (let round = 0; round < ROUNDS; round++) {
      const [from, to, other] = [`m${round}.md`, `m${round} moved.md`, `m${round} other.md`];
      const { note } = (await alice.post('/notes', { path: from, content: 'text', mtime: 1 }, headers)).body;
      await alice.post('/notes/rename', { old_path: from, new_path: to }, headers);
      const [item] = (await alice.get('/vault/activity?action=move', headers)).body.items;
      const [undone, renamed] = await Promise.all([
        undo(alice, item.id),
        there.post('/notes/rename', { old_path: to, new_path: other }, headers),
      ]);
      assert.equal(undone.status, 200);
      const { path } = (await alice.get(`/notes/by-id/${note.id}`, headers)).body;
      const expected = renamed.status === 200 ? other : from;
      assert.equal(path, expected, JSON.stringify([undone.body, renamed.body]));
      assert.deepEqual(undone.body.left, renamed.status === 200 ? [{ path: to, reason: 'changed_by_others' }] : []);
    }
    await assertConsistent(shared.server);
  });

  test('of an item by several callers at once undoes it once', async () => {
    const { shared, servers, alice, headers, put, undo, text } = await world();
    const token = (await shared.server.alice.signed()).accessToken;
    const callers = servers.map((server) => server.bearer(token));
    const stateOf = async () => [await text('edited.md'), await text('gone.md'), await text('moved.md')];
    for (let round = 0; round < ROUNDS; round++) {
      await put(alice, 'edited.md', 'first\nsecond\nthird');
      const { note } = (await put(alice, 'gone.md', 'gone')).body;
      await put(alice, 'moved.md', '[[gone]]');
      const before = await stateOf();
      // Writes of another credential are another item.
      const { key } = (await alice.post('/api-keys', { name: `key ${round}`, default_access: 'write' })).body;
      await put(shared.server.bearer(key), 'edited.md', 'first\nthird and more');
      await put(shared.server.bearer(key), `new ${round}.md`, 'new');
      await alice.post('/notes/rename', { old_path: 'moved.md', new_path: 'f/moved.md' }, headers);
      await alice.delete(`/notes/by-id/${note.id}`, undefined, headers);
      const items: Json[] = (await alice.get('/vault/activity?limit=3', headers)).body.items;
      assert.deepEqual(
        items.map(({ action }) => action),
        ['delete', 'move', 'write'],
      );
      for (const { id, action } of items) {
        const answers = await Promise.all(callers.map((caller) => undo(caller, id)));
        for (const { status, body } of answers) assert.deepEqual([status, body.left], [200, []], `${action}, ${round}`);
      }
      assert.deepEqual(await stateOf(), before, `round ${round}`);
      assert.equal(await text(`new ${round}.md`), undefined);
    }
    await assertConsistent(shared.server);
  });

  test('by a member who is removed meanwhile is whole or refused; the items stay, with the name frozen', async () => {
    const { shared, alice, there, headers, bob, put, lastOf, undo, text } = await world();
    await shared.bob.patch('/me', { display_name: 'Bob' });
    await put(there, 'b.md', 'bob');
    const { id } = await lastOf(bob);
    const [undone, removed] = await Promise.all([
      undo(there, id),
      alice.delete(`/vaults/${shared.vault}/members/${bob}`),
    ]);
    assert.equal(removed.status, 204);
    assert.ok([200, 404].includes(undone.status), `${undone.status}`);
    assert.equal(await text('b.md'), undone.status === 200 ? undefined : 'bob');
    assert.equal((await undo(there, id)).status, 404);
    await shared.bob.patch('/me', { display_name: 'Robert' });
    const items: Json[] = (await alice.get(`/vault/activity?actor=${bob}`, headers)).body.items;
    assert.ok(items.some((item) => item.id === id));
    assert.deepEqual([...new Set(items.map(({ actor }) => actor.display_name))], ['Bob']);
    assert.equal((await undo(alice, id)).status, 200);
    assert.equal(await text('b.md'), undefined);
    await assertConsistent(shared.server);
  });
});
