import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import { manifestOf, pathsOf, upload } from '../../../../test/kit/clients/syncing.ts';
import { onSqlite, rawOf } from '../../../../test/kit/engines.ts';
import { type Json, notesOnOneServer } from '../../../../test/kit/notes.ts';

onSqlite('the manifest', (open) => {
  const start = notesOnOneServer(open);

  test('[2.1] the manifest lists every live row by path, with hash, head and seq', async () => {
    const { alice, bob } = await start();
    const empty = { change_seq: 0, total_notes: 0, total_attachments: 0, notes: [], attachments: [] };
    assert.deepEqual(await manifestOf(alice), empty);
    await (await bob()).write('bobs.md');
    const b = await alice.write('b.md', 'text of b');
    await alice.write('gone.md');
    const a = await alice.write('Ä "quoted"\\.md', 'text of a');
    await alice.remove('gone.md');
    const manifest = await manifestOf(alice);
    assert.deepEqual([manifest.change_seq, manifest.total_notes, manifest.total_attachments], [4, 2, 0]);
    assert.deepEqual(pathsOf(manifest.notes), ['b.md', a.path]);
    assert.deepEqual(
      manifest.notes.map((note: Json) => [note.id, note.content_hash, note.seq]),
      [
        [b.id, hash('sha256', 'text of b'), 1],
        [a.id, hash('sha256', 'text of a'), 3],
      ],
    );
    for (const { crdt_head } of manifest.notes) assert.match(crdt_head, /^[0-9a-f]{64}$/);
  });

  test('[2.3] the manifest answers only “unchanged” to the current seq; any other seq is ignored', async () => {
    const { alice } = await start();
    await alice.write('a.md');
    const ask = async (query: string) => (await alice.caller.get(`/sync/manifest?${query}`)).body;
    assert.deepEqual(await ask('since_seq=1'), { unchanged: true, change_seq: 1 });
    for (const other of ['0', '2', '-1', '01', '1.0', 'x', '', '1e0', '%00', '1&since_seq=1', '99999999999999999999']) {
      const body = await ask(`since_seq=${other}`);
      assert.deepEqual([body.unchanged, body.notes?.length], [undefined, 1], other);
    }
    await alice.write('a.md', 'a.md');
    assert.equal((await ask('since_seq=1')).unchanged, true, 'equal content is no change');
    await alice.caller.post('/folders', { folder: 'new' });
    assert.equal((await ask('since_seq=1')).unchanged, undefined, 'a folder is one');
  });

  test('[2.7] the tree lists every folder, note and attachment', async () => {
    const { alice, server } = await start();
    const made = await alice.write('a/b.md', 'old');
    server.clock.advance({ seconds: 5 });
    const edited = await alice.write('a/b.md', 'new');
    const other = await alice.write('c.md', '---\naliases: [See, Sea]\n---\n');
    await alice.caller.post('/folders', { folder: 'Z' });
    const { status, body } = await alice.caller.get('/vault/tree');
    assert.equal(status, 200);
    assert.deepEqual(body.folders, (await alice.caller.get('/folders')).body.folders);
    assert.deepEqual([body.change_seq, body.attachments], [4, []]);
    assert.notEqual(made.updated_at, edited.updated_at);
    const shown = ({ id, path, created_at, updated_at }: Json) => ({ id, path, created_at, updated_at });
    assert.deepEqual(body.notes, [shown(edited), { ...shown(other), aliases: ['See', 'Sea'] }]);
  });

  test('[2.10] the feed goes on after the tree at its cursor', async () => {
    const { alice } = await start();
    await alice.write('a.md', 'in the tree');
    const { body: tree } = await alice.caller.get('/vault/tree');
    const feed = async () => (await alice.caller.get(`/sync/changes?cursor=${tree.resume_cursor}`)).body;
    assert.deepEqual((await feed()).changes, []);
    assert.equal((await feed()).resume_cursor, tree.resume_cursor);
    const later = await alice.write('b.md', 'after it');
    assert.deepEqual(
      (await feed()).changes.map(({ id }: Json) => id),
      [later.id],
    );
  });

  test('[2.1] [2.7] the manifest and the tree list attachments besides notes', async () => {
    const { alice } = await start();
    const z = await upload(alice, 'pictures/z.txt', 'text of z');
    await alice.write('m.md');
    const a = await upload(alice, 'a.txt', 'text of a');
    await upload(alice, 'gone.txt', 'deleted');
    await alice.caller.delete('/attachments/gone.txt');
    const manifest = await manifestOf(alice);
    assert.deepEqual([manifest.change_seq, manifest.total_notes, manifest.total_attachments], [5, 1, 2]);
    assert.deepEqual(manifest.attachments, [
      { id: a.id, path: 'a.txt', content_hash: hash('sha256', 'text of a'), seq: 3 },
      { id: z.id, path: 'pictures/z.txt', content_hash: hash('sha256', 'text of z'), seq: 1 },
    ]);
    const { body } = await alice.caller.get('/vault/tree');
    const shown = ({ id, path, size_bytes, mtime, updated_at, mime_type }: Json) => {
      return { id, path, size_bytes, mtime, updated_at, mime_type };
    };
    assert.deepEqual(body.attachments, [shown(a), shown(z)]);
    assert.deepEqual(
      body.folders.map(({ name, count }: Json) => [name, count]),
      [
        ['', 1],
        ['pictures', 0],
      ],
    );
    const replaced = await upload(alice, 'a.txt', 'another text');
    assert.equal(replaced.id, a.id);
    assert.equal((await manifestOf(alice)).attachments[0].content_hash, hash('sha256', 'another text'));
  });

  test('[2.4] one unreadable row fails the manifest, the tree, tags and types', async () => {
    const { alice, server } = await start();
    await alice.write('sound.md');
    const { id } = await alice.write('damaged.md');
    await using raw = await rawOf(server.db);
    await raw.all('update entries set meta = $2 where id = $1', id, Buffer.alloc(64));
    for (const path of ['/sync/manifest', '/vault/tree', '/tags', '/types', '/folders/list?folder=']) {
      for (const _ of ['first', 'again']) {
        const { status, body } = await alice.caller.get(path);
        assert.deepEqual([status, body.error], [500, 'note_unreadable'], path);
      }
    }
  });
});
