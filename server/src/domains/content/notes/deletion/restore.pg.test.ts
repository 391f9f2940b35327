import assert from 'node:assert/strict';
import { test } from 'node:test';
import { YjsClient } from '../../../../../test/kit/clients/yjs-client.ts';
import { fileOf, uploadRaw } from '../../../../../test/kit/content/files.ts';
import { assertConsistent } from '../../../../../test/kit/database/assert-consistent.ts';
import { onEachEngine } from '../../../../../test/kit/engines.ts';
import { type Json, notesOnOneServer, startNotes, type Writer } from '../../../../../test/kit/notes.ts';
import type { Answer } from '../../../../../test/kit/person.ts';
import { builtinPlans } from '../../../foundation/plans/plans.ts';

const FILE = fileOf('png', 300);
const listed = async ({ caller }: Writer): Promise<Json[]> => (await caller.get('/trash')).body.items;
const restored = ({ caller }: Writer, id: string, path?: string): Promise<Answer> =>
  caller.post(`/trash/${id}/restore`, path === undefined ? {} : { path });
const changesOf = async ({ caller }: Writer): Promise<Json[]> =>
  (await caller.get('/sync/changes?limit=500')).body.changes;

onEachEngine('a note restored from the trash', (open) => {
  const start = notesOnOneServer(open);

  test('is the same note: id, text, history, document, aliases, links to and from it, search', async () => {
    const { server, alice } = await start();
    const first = await alice.write('f/a.md', '---\naliases: [Other]\n---\nold [[b]]');
    const second = await alice.write('f/a.md', '---\naliases: [Other]\n---\nnew zebra [[b]]', {}, {});
    await alice.write('b.md', '[[a]] [[Other]]');
    const { seq } = second;
    await alice.remove('f/a.md');
    assert.deepEqual(await alice.edges('b.md'), ['a → ?', 'Other → ?']);
    const key = { 'x-idempotency-key': 'once' };
    const answer = await alice.caller.post(`/trash/${first.id}/restore`, {}, key);
    const again = await alice.caller.post(`/trash/${first.id}/restore`, {}, key);
    assert.deepEqual([answer.status, again.status, again.body], [200, 200, answer.body]);
    const { note } = answer.body;
    assert.deepEqual(
      [note.id, note.path, note.content, note.content_hash, note.mtime, note.created_at],
      [first.id, 'f/a.md', second.content, second.content_hash, second.mtime, first.created_at],
    );
    assert.ok(note.seq > seq);
    assert.deepEqual((await alice.read('f/a.md')).body, note);
    assert.deepEqual(await alice.edges('b.md'), ['a → f/a.md', 'Other → f/a.md']);
    assert.deepEqual(await alice.backlinks('b.md'), ['f/a.md']);
    const { versions } = (await alice.caller.get(`/notes/by-id/${first.id}/versions`)).body;
    assert.deepEqual(
      versions.map(({ version, reason }: Json) => [version, reason]),
      [
        [3, 'restore'],
        [2, 'edit'],
        [1, 'create'],
      ],
    );
    const merged = await alice.write('f/a.md', '---\naliases: [Other]\n---\nold [[b]] and more', { version: 1 });
    assert.ok(merged.content.includes('zebra') && merged.content.includes('and more'), merged.content);
    const found = (await alice.caller.post('/search', { query: 'zebra', mode: 'keyword' })).body.results;
    assert.deepEqual(
      found.map(({ path }: Json) => path),
      ['f/a.md'],
    );
    const row = (await changesOf(alice)).find(({ id }) => id === first.id);
    assert.deepEqual([row.deleted, row.path], [false, 'f/a.md']);
    assert.deepEqual(await listed(alice), []);
    await assertConsistent(server);
  });

  test('continues in the document that devices have, with what they typed before the deletion', async () => {
    const { server, alice } = await start();
    const { id } = await alice.write('a.md', 'text');
    using bob = await new YjsClient('bob').join(server.app, alice.vault, id);
    await bob.type(' typed');
    await alice.remove('a.md');
    assert.equal(bob.closed, 'note_deleted');
    assert.equal((await restored(alice, id)).body.note.content, 'text typed');
    await bob.join(server.app, alice.vault, id);
    assert.equal(await bob.type(' again'), 'stored');
    assert.equal((await alice.read('a.md')).body.content, 'text typed again');
    await assertConsistent(server);
  });

  test('may go to another path, in folders that are recreated; its version exceeds the tombstones there', async () => {
    const { server, alice } = await start();
    for (const content of ['1', '2', '3']) await alice.write('x/there.md', content);
    await alice.remove('x/there.md');
    const { id } = await alice.write('y/a.md', 'text');
    await alice.remove('y/a.md');
    assert.deepEqual((await alice.caller.get('/folders')).body.folders.length, 1);
    for (const path of ['', '../a.md', 'a.txt', 'by-id/a.md']) {
      const { status, body } = await restored(alice, id, path);
      assert.deepEqual([status, Object.keys(body.errors)], [422, ['path']], path);
    }
    const { note } = (await restored(alice, id, 'x//./there.md')).body;
    assert.deepEqual([note.id, note.path, note.folder, note.title, note.version], [id, 'x/there.md', 'x', 'there', 4]);
    assert.equal((await alice.read('x/there.md')).body.id, id);
    await assertConsistent(server);
  });

  test('does not replace what has its path by now', async () => {
    const { server, alice } = await start();
    const { id } = await alice.write('f/a.md', 'old');
    await alice.remove('f/a.md');
    const now = await alice.write('F/A.md', 'new');
    const { status, body } = await restored(alice, id);
    assert.deepEqual([status, body.error, body.server_path, body.server_note.id], [409, 'conflict', 'F/A.md', now.id]);
    await uploadRaw(alice.caller, 'file.png', FILE);
    await alice.caller.post('/folders', { folder: 'folder.md' });
    for (const [path, taken] of [
      ['folder.md', 'folder.md'],
      ['file.png/b.md', 'file.png'],
    ] as const) {
      const refused = await restored(alice, id, path);
      assert.deepEqual([refused.status, refused.body.server_path], [409, taken]);
    }
    assert.equal((await listed(alice)).length, 1);
    assert.equal((await restored(alice, id, 'f/b.md')).body.note.path, 'F/b.md');
    await assertConsistent(server);
  });

  test('counts for the cap of notes', async () => {
    const plans = { ...builtinPlans, small: { ...builtinPlans.self_hosted, notes_cap: 2 } };
    await using notes = await startNotes({ open, config: { plans, defaultPlan: 'small' } });
    const { server, alice } = notes;
    const { id } = await alice.write('a.md');
    await alice.remove('a.md');
    await alice.write('b.md');
    await alice.write('c.md');
    const refused = await restored(alice, id);
    assert.deepEqual([refused.status, refused.body.reason], [402, 'notes_cap_exceeded']);
    await alice.remove('b.md');
    assert.equal((await restored(alice, id)).status, 200);
    await assertConsistent(server);
  });
});
