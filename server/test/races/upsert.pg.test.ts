import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine } from '../kit/engines.ts';
import type { Caller } from '../kit/person.ts';
import { oneServer } from '../kit/server.ts';
import { checkMerges } from './upsert.ts';

/** server/test/fuzz/upsert.pg.test.ts makes more. */
const UPSERTS = 80;

onEachEngine('concurrent upserts', (open) => {
  const start = oneServer(() => ({ open }));

  test(`concurrent upserts lose and double no line in ${UPSERTS} merges by two clients of two servers`, async (t) => {
    await using server = await start();
    await checkMerges(t, server, UPSERTS);
  });

  test('concurrent upserts of one new path make one note with the text of one of them, and both are answered', async () => {
    await using server = await start();
    const { alice } = server;
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

  test('concurrent upserts and deletes leave either a note or a tombstone, and the count agrees', async () => {
    await using server = await start();
    const { alice } = server;
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
    await using server = await start();
    const { alice } = server;
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

  test('concurrent upserts of one client-minted id give it to one note, and the other create is refused or gets another id', async () => {
    await using server = await start();
    const { alice, bob } = server;
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
