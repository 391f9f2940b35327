import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as Y from 'yjs';
import { YjsClient } from '../../../../test/kit/clients/yjs-client.ts';
import { assertConsistent } from '../../../../test/kit/database/assert-consistent.ts';
import { onEachEngine, rawOf } from '../../../../test/kit/engines.ts';
import type { Json } from '../../../../test/kit/notes.ts';
import type { Caller } from '../../../../test/kit/person.ts';
import { oneServer } from '../../../../test/kit/server.ts';
import { startShared } from '../../../../test/kit/shared-vault.ts';

type Shared = Awaited<ReturnType<typeof startShared>>;

async function listed({ headers }: Shared, caller: Caller, query = ''): Promise<Json[]> {
  return (await caller.get(`/vault/activity${query}`, headers)).body.items;
}

/** The items of all pages of one item each. */
async function paged({ headers }: Shared, caller: Caller, query = ''): Promise<Json[]> {
  const items: Json[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { body } = await caller.get(`/vault/activity?limit=1${query}${cursor && `&cursor=${cursor}`}`, headers);
    items.push(...body.items);
    cursor = body.next_cursor;
  }
  return items;
}

const put = async ({ headers }: Shared, caller: Caller, path: string, content: string): Promise<Json> =>
  (await caller.post('/notes', { path, content, mtime: 1 }, headers)).body.note;

/** A credential that outlasts a session. */
async function lasting({ server, checked, vault }: Shared, caller: Caller): Promise<Caller> {
  const reach = { name: 'lasting', vault_access: { [vault]: 'write' } };
  return checked(server.bearer((await caller.post('/connections/pat', reach)).body.key));
}

const shown = (items: readonly Json[]) =>
  items.map(({ action, count, paths }) => `${action} ${count} ${paths.join(' ')}`);

onEachEngine('the activity of a vault', (open) => {
  const start = oneServer(() => ({ open }));
  const shared = async () => startShared(await start());

  test('writes of one person and credential with gaps under ten minutes are one item', async () => {
    const world = await shared();
    const { server } = world;
    await world.join(world.bob, 'editor');
    const [alice, bob] = [await lasting(world, world.alice), await lasting(world, world.bob)];
    await put(world, alice, 'a.md', 'two');
    await put(world, bob, 'b.md', 'bob');
    server.clock.advance({ minutes: 9 });
    await put(world, alice, 'c.md', 'three');
    assert.deepEqual(shown(await listed(world, alice)), [
      ...['write 2 c.md a.md', 'write 1 b.md', 'people 1 ', 'write 1 a.md'],
    ]);
    server.clock.advance({ minutes: 10 });
    await put(world, alice, 'd.md', 'four');
    const items = await listed(world, bob);
    assert.deepEqual(shown(items).slice(0, 2), ['write 1 d.md', 'write 2 c.md a.md']);
    assert.deepEqual([items[0].actor.user_id, items[0].actor.name], [(await alice.get('/me')).body.user.id, '']);
    await assertConsistent(server);
  });

  test('an item ends at a thousand changes', async () => {
    const world = await shared();
    const { alice, headers } = world;
    for (let at = 0; at < 11; at++) {
      const notes = Array.from({ length: 100 }, (_, index) => ({
        path: `n/${at}-${index}.md`,
        content: 'x',
        mtime: 1,
      }));
      await alice.post('/notes/batch', { notes }, { ...headers, 'x-idempotency-key': `${at}` });
    }
    const items = await listed(world, alice);
    assert.deepEqual(
      items.map(({ count }) => count),
      [100, 1001],
    );
    assert.equal(items[1].paths.length, 20);
  });

  test('deletions, moves and restores are items of their own', async () => {
    const world = await shared();
    const { alice, headers, note } = world;
    await put(world, alice, 'links.md', '[[a]]');
    await alice.post('/notes/rename', { old_path: 'a.md', new_path: 'f/b.md' }, headers);
    await alice.delete(`/notes/by-id/${note}`, undefined, headers);
    await alice.post(`/trash/${note}/restore`, {}, headers);
    await alice.delete('/folders/f?recursive=true', undefined, headers);
    await alice.delete(`/trash/${note}`, undefined, headers);
    const items = await listed(world, alice);
    assert.deepEqual(shown(items), [
      ...['purge 1 f/b.md', 'delete 1 f/b.md', 'restore 1 f/b.md', 'delete 1 f/b.md', 'move 1 f/b.md'],
      'write 2 links.md a.md',
    ]);
    assert.equal(items[4].relinked, 1);
    assert.deepEqual(
      items.map(({ undoable }) => undoable),
      [false, true, true, true, true, true],
    );
  });

  test('the list can be narrowed to a person, a kind, a note and a time, and is read in pages', async () => {
    const world = await shared();
    const { server, alice, bob, headers, note } = world;
    const bobId = await world.join(bob, 'editor');
    await put(world, bob, 'b.md', 'bob');
    await alice.delete(`/notes/by-id/${note}`, undefined, headers);
    const since = new Date(server.clock.now()).toISOString();
    server.clock.advance({ minutes: 1 });
    await put(world, bob, 'c.md', 'bob');
    assert.deepEqual(shown(await listed(world, alice, `?actor=${bobId}`)), ['write 2 c.md b.md', 'people 1 ']);
    assert.deepEqual(shown(await listed(world, alice, '?action=delete')), ['delete 1 a.md']);
    assert.deepEqual(shown(await listed(world, alice, `?note=${note}`)), ['delete 1 a.md', 'write 1 a.md']);
    assert.deepEqual(shown(await listed(world, alice, `?since=${since}`)), ['write 2 c.md b.md']);
    assert.equal((await listed(world, alice, '?since=2016-12-31T23:59:60Z')).length, 4, 'a leap second is a time');
    assert.equal((await alice.get('/vault/activity?since=2016-12-31T12:00:60Z', headers)).status, 422);
    const idsOf = (items: readonly Json[]) => items.map(({ id }) => id);
    assert.deepEqual(idsOf(await paged(world, alice)), idsOf(await listed(world, alice)));
    assert.equal((await alice.get('/vault/activity?cursor=x', headers)).status, 400);
  });

  test('pages of a note’s activity name each item once, also where people take turns', async () => {
    const world = await shared();
    const { alice, bob, note } = world;
    await world.join(bob, 'editor');
    for (const word of ['two', 'three', 'four']) {
      await put(world, alice, 'a.md', `${word} of alice`);
      await put(world, bob, 'a.md', `${word} of bob`);
      await put(world, bob, 'b.md', word);
    }
    const items = await paged(world, alice, `&note=${note.toUpperCase()}`);
    assert.deepEqual(shown(items), ['write 6 a.md b.md', 'write 4 a.md']);
  });

  test('differences are shown word by word, at most 4 KB an item', async () => {
    const world = await shared();
    const { alice, headers } = world;
    await put(world, alice, 'a.md', 'one word');
    const [item] = await listed(world, alice, '?diffs=true');
    assert.deepEqual(item.changes[0].difference, [{ kind: 'added', text: 'one word' }]);
    const { body } = await alice.get(`/vault/activity/${item.id}`, headers);
    assert.deepEqual(body.changes[0].versions, { before: null, after: 2 });
    await put(world, alice, 'long.md', 'word '.repeat(5000));
    const [long] = await listed(world, alice, '?diffs=true');
    const length = long.changes
      .flatMap(({ difference = [] }: Json) => difference)
      .reduce((sum: number, { text }: Json) => sum + text.length, 0);
    assert.ok(length <= 4097, `${length}`);
  });

  test('a flush of live edits makes a version for each person', async () => {
    const world = await shared();
    const { server, alice, bob, note, headers } = world;
    const [aliceId, bobId] = [await world.idOf(alice), await world.join(bob, 'editor')];
    using one = await new YjsClient('a', new Y.Doc(), aliceId).join(server.app, world.vault, note);
    using two = await new YjsClient('b', new Y.Doc(), bobId).join(server.app, world.vault, note);
    await one.type('Alice ', 0);
    await two.type(' Bob');
    const { versions } = (await alice.get(`/notes/by-id/${note}/versions`, headers)).body;
    assert.deepEqual(
      versions.map(({ version, actor }: Json) => `${version} ${actor.user_id === bobId ? 'bob' : 'alice'}`),
      ['3 bob', '2 alice', '1 alice'],
    );
    const text = (await alice.get(`/notes/by-id/${note}/versions/2`, headers)).body.content;
    assert.equal(text, 'Alice one');
    assert.deepEqual(shown(await listed(world, alice, '?action=write')), [
      'write 1 a.md',
      'write 1 a.md',
      'write 1 a.md',
    ]);
    await assertConsistent(server);
  });

  test('a flush of edits that depend on each other belongs to all of them', async () => {
    const world = await shared();
    const { server, alice, bob, note, headers } = world;
    const [aliceId, bobId] = [await world.idOf(alice), await world.join(bob, 'editor')];
    using one = await new YjsClient('a', new Y.Doc(), aliceId).join(server.app, world.vault, note);
    using two = await new YjsClient('b', new Y.Doc(), bobId).join(server.app, world.vault, note);
    await one.type('Alice ', 0);
    await two.type('Bob ', 3);
    await one.type('x', 5);
    const { body } = await alice.get(`/notes/by-id/${note}`, headers);
    assert.deepEqual([body.content, body.version], [one.text, 2]);
    const [item] = await listed(world, bob, `?actor=${bobId}&action=write`);
    const { body: undone } = await bob.post(`/vault/activity/${item.id}/undo`, {}, headers);
    assert.deepEqual(undone.left, [{ path: 'a.md', reason: 'shared_edit' }]);
  });

  test('rows are kept for 90 days and go with their vault', async () => {
    const world = await shared();
    const { server, vault } = world;
    await using raw = await rawOf(server.db);
    const rows = () => raw.all('select id from activity where vault_id = $1', vault);
    assert.equal((await rows()).length, 1);
    server.clock.advance({ days: 89 });
    await server.app.activityLog.removeExpired();
    assert.equal((await rows()).length, 1);
    server.clock.advance({ days: 2 });
    await server.app.activityLog.removeExpired();
    assert.equal((await rows()).length, 0);
  });
});
