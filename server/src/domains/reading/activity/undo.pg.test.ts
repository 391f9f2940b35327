import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileOf, uploadRaw } from '../../../../test/kit/content/files.ts';
import { assertConsistent } from '../../../../test/kit/database/assert-consistent.ts';
import { onEachEngine } from '../../../../test/kit/engines.ts';
import type { Json } from '../../../../test/kit/notes.ts';
import type { Answer, Caller } from '../../../../test/kit/person.ts';
import { oneServer, startServer, type TestServer } from '../../../../test/kit/server.ts';
import { startShared } from '../../../../test/kit/shared-vault.ts';
import { TRASH_LIMITS } from '../../content/entries/trash/limits.ts';

/** Alice’s vault, in which bob writes too; what was done before is of another stretch. */
async function startUndo(server: TestServer) {
  const shared = await startShared(server);
  const { alice, bob, headers } = shared;
  const bobId = await shared.join(bob, 'editor');
  const itemsOf = async (caller: Caller, query = ''): Promise<Json[]> =>
    (await caller.get(`/vault/activity${query}`, headers)).body.items;
  return {
    ...shared,
    itemsOf,
    latest: async (caller: Caller): Promise<Json> => (await itemsOf(caller))[0],
    /** The last item of what bob wrote. */
    ofBob: async (): Promise<Json> => (await itemsOf(bob, `?action=write&actor=${bobId}`))[0],
    put: (caller: Caller, path: string, content: string): Promise<Answer> =>
      caller.post('/notes', { path, content, mtime: 1 }, headers),
    /** The text of a note, or the status of an answer without one. */
    async read(path: string): Promise<string | number> {
      const { status, body } = await alice.get(`/notes/${path.split('/').map(encodeURIComponent).join('/')}`, headers);
      return status === 200 ? body.content : status;
    },
    undo: (caller: Caller, id: string, body: object = {}): Promise<Answer> =>
      caller.post(`/vault/activity/${id}/undo`, body, headers),
  };
}

/** Returns the answer of an undo without its item. */
const outcome = ({ status, body }: Answer): Json => {
  const { item: _, ...rest } = body;
  return status === 200 ? rest : { status, ...rest };
};

onEachEngine('undoing an activity', (open) => {
  const start = oneServer(() => ({ open }));
  const shared = async () => startUndo(await start());

  test('an edit is taken back, and what others wrote since stays', async () => {
    const { server, alice, bob, put, read, undo, ofBob } = await shared();
    await put(bob, 'a.md', 'one\ntwo of bob\nthree');
    await put(alice, 'a.md', 'one\ntwo of bob\nthree and four of alice');
    const { id } = await ofBob();
    const preview = await undo(bob, id, { dry_run: true });
    assert.equal(preview.body.changes[0].op, 'edit');
    assert.deepEqual([preview.body.undone, preview.body.merged, preview.body.item], [1, 1, null]);
    assert.equal(await read('a.md'), 'one\ntwo of bob\nthree and four of alice');
    assert.deepEqual(outcome(await undo(bob, id)), { undone: 1, merged: 1, left: [] });
    assert.match(String(await read('a.md')), /and four of alice/);
    assert.doesNotMatch(String(await read('a.md')), /bob/);
    await assertConsistent(server);
  });

  test('edits of two people in turns: only those of the item are taken back', async () => {
    const { alice, bob, put, read, undo, ofBob } = await shared();
    const lines = ['l1', 'l2', 'l3', 'l4'];
    const write = async (caller: Caller, at: number, word: string) => {
      lines[at] = `${lines[at]} ${word}`;
      await put(caller, 'b.md', lines.join('\n'));
    };
    await put(alice, 'b.md', lines.join('\n'));
    for (let at = 0; at < 4; at++) await write(at % 2 === 0 ? bob : alice, at, at % 2 === 0 ? 'bob' : 'alice');
    assert.deepEqual(outcome(await undo(bob, (await ofBob()).id)), { undone: 1, merged: 1, left: [] });
    assert.equal(await read('b.md'), 'l1\nl2 alice\nl3\nl4 alice');
  });

  test('equal letters of other writes stay whole', async () => {
    const { server, alice, bob, put, read, undo, ofBob } = await shared();
    await put(alice, 'b.md', 'line end');
    server.clock.advance({ minutes: 11 });
    for (const [caller, text] of [
      [bob, 'line word8x0 end'],
      [alice, 'line word8x4 word8x0 end'],
      [bob, 'line word8x4 word8x9 word8x0 end'],
      [bob, 'line word8x4 word8x9 word8x0 word8x10 end'],
      [alice, 'line word8x4 word8x9 word8x0 word8x10 end again'],
    ] as const) {
      await put(caller, 'b.md', text);
    }
    assert.deepEqual(outcome(await undo(bob, (await ofBob()).id)), { undone: 1, merged: 1, left: [] });
    assert.equal(await read('b.md'), 'line word8x4 end again');
  });

  test('a created note goes into the trash, unless somebody else wrote in it', async () => {
    const { alice, bob, put, read, undo, itemsOf } = await shared();
    await put(bob, 'mine.md', 'bob');
    await put(bob, 'ours.md', 'bob');
    await put(alice, 'ours.md', 'bob and alice');
    const [, item] = await itemsOf(bob);
    assert.deepEqual(outcome(await undo(bob, item.id)), {
      undone: 1,
      merged: 0,
      left: [{ path: 'ours.md', reason: 'changed_by_others' }],
    });
    assert.equal(await read('mine.md'), 404);
    assert.equal(await read('ours.md'), 'bob and alice');
  });

  test('the undo of a new folder removes that folder wherever it is now, and no other one of its name', async () => {
    const { alice, bob, undo, latest, headers } = await shared();
    const make = async (caller: Caller, folder: string): Promise<Json> => {
      await caller.post('/folders', { folder }, headers);
      return latest(caller);
    };
    const explicit = async () =>
      (await alice.get('/folders/explicit', headers)).body.folders.map(({ name }: Json) => name);
    const deleted = await make(bob, 'deleted');
    await alice.delete('/folders/deleted', undefined, headers);
    await make(alice, 'deleted');
    const left = [{ path: 'deleted', reason: 'changed_by_others' }];
    assert.deepEqual(outcome(await undo(bob, deleted.id)), { undone: 0, merged: 0, left });
    assert.deepEqual(await explicit(), ['deleted']);
    const moved = await make(bob, 'old');
    await alice.post('/folders/rename', { old_path: 'old', new_path: 'new' }, headers);
    assert.deepEqual(outcome(await undo(bob, moved.id)), { undone: 1, merged: 0, left: [] });
    assert.deepEqual(await explicit(), ['deleted']);
  });

  test('a deleted folder comes back with its id, so that what was done to it before can be undone too', async () => {
    const { alice, put, read, undo, latest, headers } = await shared();
    await put(alice, 'f/in.md', 'in');
    const made = async (folder: string): Promise<Json> =>
      (await alice.post('/folders', { folder }, headers)).body.folder;
    const ids = [(await made('f')).id, (await made('f/g')).id];
    await alice.post('/folders/rename', { old_path: 'f', new_path: 'h' }, headers);
    const moved = await latest(alice);
    await alice.delete('/folders/h?recursive=true', undefined, headers);
    assert.deepEqual(outcome(await undo(alice, (await latest(alice)).id)), { undone: 3, merged: 0, left: [] });
    const { folders } = (await alice.get('/folders/explicit', headers)).body;
    assert.deepEqual(folders, [
      { name: 'h', id: ids[0] },
      { name: 'h/g', id: ids[1] },
    ]);
    assert.deepEqual(outcome(await undo(alice, moved.id)), { undone: 1, merged: 0, left: [] });
    assert.equal(await read('f/in.md'), 'in');
  });

  test('a dry run says of folders that live on, and of names in other case, what the undo does', async () => {
    const { alice, put, undo, latest, headers } = await shared();
    await put(alice, 'f/in.md', 'in');
    await alice.post('/folders', { folder: 'f' }, headers);
    const steps = [
      () => alice.delete('/folders/f', undefined, headers),
      () => alice.post('/folders/rename', { old_path: 'f', new_path: 'F' }, headers),
      () => alice.post('/notes/rename', { old_path: 'f/in.md', new_path: 'f/IN.md' }, headers),
    ];
    for (const step of steps) {
      await step();
      const { id } = await latest(alice);
      const { changes, ...would } = outcome(await undo(alice, id, { dry_run: true }));
      assert.equal(changes.length, 1);
      assert.deepEqual(would, { undone: 1, merged: 0, left: [] });
      assert.deepEqual(outcome(await undo(alice, id)), would);
    }
  });

  test('a note that is undone in part is named again by a repeated undo', async () => {
    const { alice, bob, put, read, undo, ofBob } = await shared();
    await put(bob, 'ours.md', 'bob');
    await put(alice, 'ours.md', 'bob and alice');
    await put(bob, 'ours.md', 'bob and alice and bob');
    const { id } = await ofBob();
    const left = [{ path: 'ours.md', reason: 'changed_by_others' }];
    assert.deepEqual(outcome(await undo(bob, id)), { undone: 1, merged: 0, left });
    assert.equal(await read('ours.md'), 'bob and alice');
    assert.deepEqual(outcome(await undo(bob, id, { dry_run: true })), { undone: 1, merged: 0, left, changes: [] });
    assert.deepEqual(outcome(await undo(bob, id)), { undone: 1, merged: 0, left });
  });

  test('deletions, moves and restores are taken back, with links and folders', async () => {
    const { server, alice, headers, put, read, latest, undo } = await shared();
    await put(alice, 'f/in.md', '[[a]]');
    await uploadRaw(alice, 'f/x.png', fileOf('png'), headers);
    await alice.post('/folders', { folder: 'f/empty' }, headers);
    await alice.post('/notes/rename', { old_path: 'a.md', new_path: 'other/new.md' }, headers);
    assert.equal(await read('f/in.md'), '[[new]]');
    assert.deepEqual(outcome(await undo(alice, (await latest(alice)).id)), { undone: 1, merged: 0, left: [] });
    assert.deepEqual([await read('a.md'), await read('f/in.md')], ['one', '[[a]]']);
    await alice.delete('/folders/f?recursive=true', undefined, headers);
    const removed = await latest(alice);
    assert.deepEqual(outcome(await undo(alice, removed.id)), { undone: 3, merged: 0, left: [] });
    assert.equal(await read('f/in.md'), '[[a]]');
    const folders = (await alice.get('/folders/explicit', headers)).body.folders.map(({ name }: Json) => name);
    assert.deepEqual(folders, ['f/empty']);
    await alice.post('/folders/rename', { old_path: 'f', new_path: 'g' }, headers);
    assert.deepEqual(outcome(await undo(alice, (await latest(alice)).id)).undone, 1);
    assert.equal(await read('f/in.md'), '[[a]]');
    await assertConsistent(server);
  });

  test('an undo is an item that can be undone, and repeated it changes nothing', async () => {
    const { alice, note, headers, read, latest, undo, itemsOf } = await shared();
    await alice.delete(`/notes/by-id/${note}`, undefined, headers);
    const { id } = await latest(alice);
    const { body } = await undo(alice, id);
    assert.equal((await latest(alice)).id, body.item);
    assert.deepEqual([(await latest(alice)).action, (await latest(alice)).undoes], ['undo', id]);
    await alice.delete(`/notes/by-id/${note}`, undefined, headers);
    assert.deepEqual((await undo(alice, id)).body, { ...body, undone: 1 });
    assert.equal(await read('a.md'), 404, 'a repeated undo does not restore it again');
    await alice.post(`/trash/${note}/restore`, {}, headers);
    assert.deepEqual(outcome(await undo(alice, body.item)), { undone: 1, merged: 0, left: [] });
    assert.equal(await read('a.md'), 404);
    const items = await itemsOf(alice);
    assert.equal(items.find((item: Json) => item.id === id).undone_by, body.item);
  });

  test('what is written after an undo is of another item', async () => {
    const { alice, bob, put, read, undo, itemsOf } = await shared();
    await put(bob, 'a.md', 'one by bob');
    const { id } = (await itemsOf(bob))[0];
    await undo(bob, id);
    await put(bob, 'a.md', 'one again');
    assert.deepEqual(outcome(await undo(bob, id)), { undone: 1, merged: 0, left: [] });
    assert.equal(await read('a.md'), 'one again');
    assert.notEqual((await itemsOf(alice))[0].id, id);
  });

  test('what cannot be taken back is left and named', async () => {
    const { server, alice, note, headers, put, latest, undo } = await shared();
    await alice.post('/notes/rename', { old_path: 'a.md', new_path: 'b.md' }, headers);
    const moved = await latest(alice);
    await put(alice, 'a.md', 'another');
    const taken = { undone: 0, merged: 0, left: [{ path: 'b.md', reason: 'path_taken' }] };
    assert.deepEqual(outcome(await undo(alice, moved.id)), taken);
    assert.deepEqual(outcome(await undo(alice, moved.id, { dry_run: true })), { ...taken, changes: [] });
    await alice.post('/notes/rename', { old_path: 'b.md', new_path: 'c.md' }, headers);
    assert.deepEqual(outcome(await undo(alice, moved.id)).left, [{ path: 'b.md', reason: 'changed_by_others' }]);
    await alice.delete(`/notes/by-id/${note}`, undefined, headers);
    const deleted = await latest(alice);
    await alice.delete(`/trash/${note}`, undefined, headers);
    assert.deepEqual(outcome(await undo(alice, deleted.id)).left, [{ path: 'c.md', reason: 'history_thinned' }]);
    await uploadRaw(alice, 'x.png', fileOf('png'), headers);
    server.clock.advance({ minutes: 11 });
    await uploadRaw(alice, 'x.png', fileOf('png', 200), headers);
    const replaced = await latest(alice);
    assert.deepEqual(outcome(await undo(alice, replaced.id)).left, [{ path: 'x.png', reason: 'history_thinned' }]);
  });

  test('later values of one property stay', async () => {
    const { alice, bob, put, read, undo, ofBob } = await shared();
    await put(alice, 'p.md', '---\nstate: open\n---\ntext');
    await put(bob, 'p.md', '---\nstate: done\n---\ntext');
    await put(alice, 'p.md', '---\nstate: late\n---\ntext');
    const item = await ofBob();
    assert.deepEqual(outcome(await undo(bob, item.id)).left, [{ path: 'p.md', reason: 'changed_by_others' }]);
    assert.equal(await read('p.md'), '---\nstate: late\n---\ntext');
  });

  test('editors undo their own, the owner everything, and others nothing', async () => {
    const { alice, bob, carol, dave, vault, headers, join, idOf, put, undo, itemsOf, ofBob } = await shared();
    await join(carol, 'viewer');
    await put(bob, 'b.md', 'bob');
    await bob.patch('/me', { display_name: 'Bob' });
    const { id } = await ofBob();
    await put(alice, 'c.md', 'alice');
    const ofAlice = (await itemsOf(alice))[0].id;
    assert.deepEqual(outcome(await undo(bob, ofAlice)), { status: 403, error: 'owner_required' });
    assert.equal((await undo(carol, ofAlice)).status, 403);
    assert.equal((await carol.get('/vault/activity', headers)).status, 403);
    assert.equal((await carol.get(`/vault/activity/${ofAlice}`, headers)).status, 403);
    assert.equal((await undo(dave, ofAlice)).status, 404);
    assert.equal((await dave.get('/vault/activity', headers)).status, 404);
    const elsewhere = (await dave.post('/vaults', { name: 'Own' })).body.vault.id;
    const foreign = await dave.post(`/vault/activity/${ofAlice}/undo`, {}, { 'x-vault-id': elsewhere });
    assert.deepEqual([foreign.status, foreign.body], [404, { error: 'not_found' }]);
    await bob.delete(`/vaults/${vault}/members/${await idOf(bob)}`);
    const items = await itemsOf(alice);
    const kept = items.find((item: Json) => item.id === id);
    assert.deepEqual([kept.actor.display_name, kept.undoable], ['Bob', true]);
    assert.deepEqual(outcome(await undo(alice, id)), { undone: 1, merged: 0, left: [] });
    const [people] = items.filter(({ action }: Json) => action === 'people');
    assert.deepEqual(outcome(await undo(alice, people.id)), { status: 422, error: 'not_undoable' });
    assert.equal((await undo(alice, id, { dry_run: 'yes' })).status, 422);
  });

  test('an undo never makes the trash drop anything', async () => {
    await using server = await startServer({ open, trashLimits: { ...TRASH_LIMITS, notes: 2 } });
    const { alice, note, headers, put, undo } = await startUndo(server);
    await alice.delete(`/notes/by-id/${note}`, undefined, headers);
    server.clock.advance({ minutes: 11 });
    const session = server.bearer((await server.alice.logIn()).body.access_token);
    const { key } = (await session.post('/connections/pat', { name: 'lasting' })).body;
    const caller = server.bearer(key);
    for (const name of ['1', '2', '3']) await put(caller, `${name}.md`, name);
    const [item] = (await caller.get('/vault/activity', headers)).body.items;
    const preview = outcome(await undo(caller, item.id, { dry_run: true }));
    const done = outcome(await undo(caller, item.id));
    assert.deepEqual([done.undone, done.left.length, done.left[0].reason], [1, 2, 'trash_full']);
    assert.deepEqual([preview.undone, preview.left.length], [1, 2]);
    assert.equal(await server.app.entries.trash.trim(), 0);
    assert.equal((await caller.get('/trash', headers)).body.items.length, 2);
    await assertConsistent(server);
  });
});
