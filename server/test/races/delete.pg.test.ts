import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine, rawOf } from '../kit/engines.ts';
import type { Answer, Caller } from '../kit/person.ts';
import { oneServer, startServer, type TestServer } from '../kit/server.ts';

const ROUNDS = 8;

/** Alice with a vault, on one server and on a second one over the same rows, which shares no locks with the first. */
async function onTwoServers(server: TestServer): Promise<{ twin: TestServer; callers: readonly [Caller, Caller] }> {
  const { alice, db, clock, masterKey } = server;
  await alice.post('/vaults', { name: 'Notes' });
  const twin = await startServer({ open: async () => db, clock, masterKey });
  return { twin, callers: [alice, twin.bearer((await alice.signed()).accessToken)] };
}

const write = async (who: Caller, path: string, content = path): Promise<string> =>
  (await who.post('/notes', { path, mtime: 1, content })).body.note.id;
const byPath = (who: Caller, path: string) => who.delete(`/notes/${encodeURIComponent(path)}`);
const byId = (who: Caller, id: string) => who.delete(`/notes/by-id/${id}`);
const batch = (who: Caller, ids: readonly string[]) =>
  who.post('/notes/batch-delete', { ids }, { 'x-idempotency-key': crypto.randomUUID() });
const countOf = async (who: Caller): Promise<number> => (await who.get('/vaults')).body.vaults[0].note_count;
const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status);

onEachEngine('two concurrent deletions of one note', (open) => {
  const start = oneServer(() => ({ open }));

  test('two concurrent deletions of one note by path and by id count once; the late one by id gets not found', async () => {
    await using server = await start();
    const { twin, callers } = await onTwoServers(server);
    await using _twin = twin;
    for (let round = 0; round < ROUNDS; round++) {
      for (const [one, other] of [callers, callers.toReversed(), [callers[0], callers[0]]]) {
        assert.ok(one !== undefined && other !== undefined);
        const id = await write(one, 'note.md');
        const [path, again, named] = await Promise.all([
          byPath(one, 'note.md'),
          byPath(other, 'note.md'),
          byId(other, id),
        ]);
        assert.deepEqual(statuses([path, again]), [200, 200]);
        assert.ok(named.status === 200 || named.status === 404, JSON.stringify(named.body));
        assert.equal(await countOf(one), 0);
      }
    }
  });

  test('two concurrent deletions of one note in a batch and by path delete both or report the missing one', async () => {
    await using server = await start();
    const { twin, callers } = await onTwoServers(server);
    await using _twin = twin;
    const [one, other] = callers;
    for (let round = 0; round < ROUNDS; round++) {
      const ids = [await write(one, 'kept.md'), await write(one, 'gone.md')];
      const [many, single] = await Promise.all([batch(one, ids), byPath(round % 2 === 0 ? other : one, 'gone.md')]);
      assert.equal(single.status, 200);
      const left = (await one.get('/notes/kept.md')).status === 200;
      if (left) assert.deepEqual([many.status, many.body], [404, { error: 'not_found', item_id: ids[1] }]);
      else assert.deepEqual([many.status, many.body], [200, { deleted: 2 }]);
      assert.equal(await countOf(one), left ? 1 : 0);
      await byPath(one, 'kept.md');
    }
  });

  test('two concurrent deletions of one note, with its folder and by id, delete the folder and all counts', async () => {
    await using server = await start();
    const { twin, callers } = await onTwoServers(server);
    await using _twin = twin;
    const [one, other] = callers;
    for (let round = 0; round < ROUNDS; round++) {
      const ids = [await write(one, 'Folder/a.md'), await write(one, 'Folder/Sub/b.md', '[[a]]')];
      const [folder, note] = await Promise.all([
        one.delete('/folders/Folder?recursive=true'),
        byId(round % 2 === 0 ? other : one, ids[1] ?? ''),
      ]);
      assert.equal(folder.status, 204, JSON.stringify(folder.body));
      assert.ok(note.status === 200 || note.status === 404, JSON.stringify(note.body));
      assert.equal(await countOf(one), 0);
      assert.deepEqual((await one.get('/folders')).body.folders?.length ?? 1, 1);
    }
  });
});

onEachEngine('deleting many notes', (open) => {
  const start = oneServer(() => ({ open }));

  test('leaves tombstones with a seq each and no aliases or edges, and links to them dangle', async () => {
    const { alice, db } = await start();
    await alice.post('/vaults', { name: 'Notes' });
    const names = Array.from({ length: 70 }, (_, at) => `n${at}`);
    for (const [at, name] of names.entries())
      await write(alice, `Folder/${name}.md`, `---\naliases: [other ${name}]\n---\n[[n${(at + 1) % 70}]]\n`);
    await write(alice, 'source.md', names.map((name) => `[[${name}]] [[other ${name}]]`).join('\n'));
    assert.equal((await alice.delete('/folders/Folder?recursive=true')).status, 204);
    const { links } = (await alice.get('/notes/source.md')).body;
    assert.equal(links.length, 140);
    assert.ok(links.every((link: { dangling: boolean }) => link.dangling));
    await using raw = await rawOf(db);
    const graves = await raw.all('select seq, revision from entries where deleted_at is not null order by seq');
    assert.equal(graves.length, 70);
    assert.deepEqual(
      graves.map(({ seq }) => Number(seq)),
      names.map((_, at) => 72 + at),
    );
    assert.ok(graves.every(({ revision }) => Number(revision) === 2));
    for (const [table, rows] of [
      ['note_aliases', 0],
      ['links', 140],
      ['link_texts', 1],
      ["entries where kind = 'folder'", 0],
      ['entries where deleted_at is null', 1],
    ] as const)
      assert.equal((await raw.all(`select 1 as one from ${table}`)).length, rows, table);
    assert.equal(await countOf(alice), 1);
  });

  test('deletes none if one of them is damaged, whether one by one, in a batch or with their folder', async () => {
    const { alice, db } = await start();
    await alice.post('/vaults', { name: 'Notes' });
    const sound = await write(alice, 'Folder/sound.md');
    const ids = { content: '', doc: '' };
    for (const part of ['content', 'doc'] as const) {
      ids[part] = await write(alice, `Folder/${part}.md`);
      await write(alice, `Folder/${part}.md`, 'edited, so that there is a document');
    }
    await using raw = await rawOf(db);
    for (const [part, id] of Object.entries(ids))
      assert.equal(await raw.run(`update note_bodies set ${part} = $1 where note_id = $2`, Buffer.alloc(60), id), 1);
    const answers = [
      await alice.delete('/folders/Folder?recursive=true'),
      await batch(alice, [sound, ids.content]),
      await batch(alice, [ids.doc, sound]),
      await byId(alice, ids.content),
      await byPath(alice, 'Folder/doc.md'),
    ];
    for (const { status, body } of answers) assert.deepEqual([status, body], [500, { error: 'note_unreadable' }]);
    assert.equal(await countOf(alice), 3);
    assert.equal((await alice.get('/notes/Folder%2Fsound.md')).status, 200);
  });
});
