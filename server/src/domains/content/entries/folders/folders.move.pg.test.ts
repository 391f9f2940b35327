import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine } from '../../../../../test/kit/engines.ts';
import { type Json, notesOnOneServer, putAll, type Writer } from '../../../../../test/kit/notes.ts';
import { startServer } from '../../../../../test/kit/server.ts';

const NOWHERE = '00000000-0000-7000-8000-000000000000';
let keys = 0;
const keyed = () => {
  keys += 1;
  return { 'x-idempotency-key': `folders-${keys}` };
};
const names = async (alice: Writer): Promise<string[]> =>
  (await alice.caller.get('/folders')).body.folders.slice(1).map(({ name }: Json) => name);
const make = async (alice: Writer, folder: string): Promise<Json> =>
  (await alice.caller.post('/folders', { folder })).body.folder;
const rename = (alice: Writer, old_path: unknown, new_path: unknown) =>
  alice.caller.post('/folders/rename', { old_path, new_path });
const move = (alice: Writer, body: object) => alice.caller.post('/folders/batch-move', body, keyed());
const remove = (alice: Writer, body: object) => alice.caller.post('/folders/batch-delete', body, keyed());

onEachEngine('POST /folders/rename', (open) => {
  const start = notesOnOneServer(open);

  test('a renamed folder takes everything below along: notes keep id and version, folders their ids', async () => {
    const { alice } = await start();
    const [a, b] = [await alice.write('Old/a.md'), await alice.write('Old/x/b.md')];
    await alice.write('Older/c.md');
    const { id } = await make(alice, 'Old/Empty');
    const answer = await rename(alice, 'old', '/New//Place');
    const paths = { old_path: 'Old', new_path: 'New/Place' };
    assert.deepEqual([answer.status, answer.body], [200, { renamed: true, ...paths, count: 2, attachments: 0 }]);
    assert.deepEqual(await names(alice), ['New', 'New/Place', 'New/Place/Empty', 'New/Place/x', 'Older']);
    const moved = (await alice.read('New/Place/x/b.md')).body;
    assert.deepEqual([moved.id, moved.version, moved.folder], [b.id, 1, 'New/Place/x']);
    assert.equal((await alice.caller.get(`/notes/by-id/${a.id}`)).body.path, 'New/Place/a.md');
    assert.deepEqual((await alice.caller.get('/folders/explicit')).body.folders, [{ name: 'New/Place/Empty', id }]);
    assert.deepEqual((await alice.caller.get('/folders/list?folder=New/Place')).body.notes.length, 1);
    assert.equal((await alice.read('Old/a.md')).status, 404);
    assert.deepEqual((await rename(alice, 'New/Place', 'Place')).body.count, 2);
    assert.deepEqual(await names(alice), ['Older', 'Place', 'Place/Empty', 'Place/x']);
  });

  test('a renamed folder with forty folders takes each of their notes along once', async () => {
    const { alice } = await start();
    const folders = Array.from({ length: 40 }, (_, at) => `f${at}`);
    const inFolders = folders.map((folder) => ({ path: `Old/${folder}/a.md`, content: '', mtime: 1 }));
    await putAll(alice, inFolders);
    const { change_seq: before } = (await alice.caller.get('/sync/manifest')).body;
    assert.equal((await rename(alice, 'Old', 'New')).body.count, folders.length);
    const { change_seq: after, notes: moved } = (await alice.caller.get('/sync/manifest')).body;
    assert.equal(after, before + folders.length);
    assert.deepEqual(
      moved.map(({ path }: Json) => path),
      folders.map((folder) => `New/${folder}/a.md`).sort(),
    );
    assert.equal((await alice.read('New/f39/a.md')).status, 200);
  });

  test('a rename may change only the case, for everything below; the same path changes nothing', async () => {
    const { alice } = await start();
    const note = await alice.write('Box/straße/a.md', '[[Box/straße/a]]');
    const same = await rename(alice, 'BOX', 'Box');
    assert.deepEqual([same.status, same.body.renamed, same.body.count], [200, true, 0]);
    assert.deepEqual((await alice.read('Box/straße/a.md')).body, note);
    assert.deepEqual((await rename(alice, 'box', 'BOX')).body.new_path, 'BOX');
    assert.deepEqual((await rename(alice, 'box/STRASSE', 'box/Strasse')).body.new_path, 'BOX/Strasse');
    assert.deepEqual(await names(alice), ['BOX', 'BOX/Strasse']);
    const { body } = await alice.read('box/strasse/a.md');
    assert.deepEqual([body.path, body.id, body.version], ['BOX/Strasse/a.md', note.id, 1]);
    assert.deepEqual(await alice.edges('box/strasse/a.md'), ['Box/straße/a → BOX/Strasse/a.md']);
    assert.equal((await alice.write('box/new.md')).path, 'BOX/new.md');
  });

  test('an empty folder can be renamed, and that is a change', async () => {
    const { alice } = await start();
    await make(alice, 'Empty');
    const { seq } = await alice.write('a.md');
    assert.deepEqual((await rename(alice, 'Empty', 'Moved')).body.count, 0);
    assert.equal((await alice.write('b.md')).seq, seq + 2);
    assert.deepEqual(await names(alice), ['Moved']);
  });

  test('links into, out of and inside a renamed folder stay true, there and back', async () => {
    const { alice } = await start();
    const texts: Record<string, string> = {
      'p/Old/a.md': '[b](sub/b.md) [[b]] [[p/Old/sub/b]] [out](../out.md) [[../out]]',
      'p/Old/sub/b.md': '[a](../a.md) [out](../../out.md)',
      'p/out.md': '[a](Old/a.md) [[p/Old/a|x]] [[Old/sub/b]] [[a]] `[[p/Old/a]]`',
    };
    for (const [path, text] of Object.entries(texts)) await alice.write(path, text);
    const targets = async (path: string) => {
      const { links } = (await alice.read(path)).body;
      return links.map((link: Json) => link.target_note_id);
    };
    const before = await Promise.all(Object.keys(texts).map(targets));
    assert.ok(before.flat().every((target) => target !== null));
    await rename(alice, 'p/Old', 'q/r/New');
    const moved = ['q/r/New/a.md', 'q/r/New/sub/b.md', 'p/out.md'];
    const read = async (path: string) => (await alice.read(path)).body.content;
    assert.deepEqual(await Promise.all(moved.map(read)), [
      '[b](sub/b.md) [[b]] [[q/r/New/sub/b]] [out](../../../p/out.md) [[../../../p/out]]',
      '[a](../a.md) [out](../../../../p/out.md)',
      '[a](../q/r/New/a.md) [[q/r/New/a|x]] [[q/r/New/sub/b]] [[a]] `[[p/Old/a]]`',
    ]);
    assert.deepEqual(await Promise.all(moved.map(targets)), before);
    await rename(alice, 'q/r/New', 'p/Old');
    assert.deepEqual(await Promise.all(Object.keys(texts).map(read)), Object.values(texts));
    assert.deepEqual(await Promise.all(Object.keys(texts).map(targets)), before);
  });

  test('a rename is refused without a folder there, to a taken path, into itself and to invalid paths', async () => {
    const { alice } = await start();
    await alice.write('a/b/c.md');
    const note = await alice.write('note.md');
    await make(alice, 'Made');
    const { seq } = await alice.write('last.md');
    for (const missing of ['none', 'note.md', 'a/b/c.md', '', '/']) {
      const answer = await rename(alice, missing, 'x');
      assert.deepEqual(
        [answer.status, answer.body],
        [404, { error: 'folder not found', errors: 'folder not found' }],
        missing,
      );
    }
    const taken: [path: string, has: object][] = [
      ['made', { server_path: 'Made' }],
      ['NOTE.md', { server_path: 'note.md', server_note: note }],
      ['note.md/x', { server_path: 'note.md', server_note: note }],
      ['', {}],
    ];
    for (const [path, has] of taken) {
      const answer = await rename(alice, 'a/b', path);
      assert.deepEqual([answer.status, answer.body], [409, { error: 'conflict', ...has }], path);
    }
    assert.equal((await rename(alice, 'a/b', 'a')).status, 409);
    for (const inside of ['a/b', 'A/x', 'a/b/c.md/d']) {
      const answer = await rename(alice, 'a', inside);
      assert.deepEqual([answer.status, answer.body], [409, { error: 'cycle' }], inside);
    }
    const long = 'must not be longer than 4096 bytes';
    const refused: [from: string, to: string, reason: string][] = [
      ['a', 'by-id', 'must not begin with the segment "by-id"'],
      ['a', '../x', 'must not contain ".." segments'],
      ['a', `${'folder/'.repeat(584)}abcd`, long],
    ];
    for (const [from, to, reason] of refused) {
      const answer = await rename(alice, from, to);
      assert.deepEqual([answer.status, answer.body.errors], [422, { new_path: [reason] }]);
    }
    assert.equal((await rename(alice, 'a', undefined)).status, 422);
    assert.deepEqual(await names(alice), ['Made', 'a', 'a/b']);
    assert.equal((await alice.write('next.md')).seq, seq + 1);
  });

  test('a note written into a folder while its case changes takes the spelling that stays', async () => {
    await using server = await startServer({ open });
    const { alice, db, clock, masterKey } = server;
    await using second = await startServer({ open: async () => db, clock, masterKey });
    const other = second.bearer((await alice.signed()).accessToken);
    await alice.post('/vaults', { name: 'Notes' });
    await alice.post('/folders', { folder: 'box' });
    for (let round = 0; round < 10; round++) {
      const [old_path, new_path] = round % 2 === 0 ? ['box', 'BOX'] : ['BOX', 'box'];
      const answers = await Promise.all([
        alice.post('/folders/rename', { old_path, new_path }),
        other.post('/notes', { path: `box/n${round}.md`, content: '', mtime: 1 }),
        other.post('/folders', { folder: `box/f${round}` }),
      ]);
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200, 201]));
      const { folders } = (await alice.get('/folders')).body;
      const { notes } = (await alice.get('/folders/list?folder=box')).body;
      const spelled = [...folders.slice(1), ...notes].map(({ name, path }: Json) => (name ?? path).slice(0, 3));
      assert.deepEqual(new Set(spelled), new Set([new_path]));
    }
  });
});

onEachEngine('moving and deleting folders by id', (open) => {
  const start = notesOnOneServer(open);

  test('a batch move takes folders with their contents, by parent path or id, and counts those already there', async () => {
    const { alice } = await start();
    const [a, b, box] = [await make(alice, 'a'), await make(alice, 'x/b'), await make(alice, 'Box')];
    const note = await alice.write('x/b/deep/n.md', '[[x/b/deep/n]]');
    const there = await make(alice, 'Box/there');
    const body = { ids: [a.id, b.id, there.id, a.id], target_parent_id: box.id };
    assert.deepEqual((await move(alice, body)).body, { moved: 3 });
    const boxed = ['Box', 'Box/a', 'Box/b', 'Box/b/deep', 'Box/there'];
    assert.deepEqual(await names(alice), boxed);
    const { body: moved } = await alice.read('Box/b/deep/n.md');
    assert.deepEqual([moved.id, moved.content], [note.id, '[[Box/b/deep/n]]']);
    assert.deepEqual((await move(alice, { ids: [a.id], target_parent: 'New/Place' })).body, { moved: 1 });
    assert.deepEqual((await move(alice, { ids: [b.id], target_parent: '' })).body, { moved: 1 });
    assert.deepEqual((await move(alice, { ids: [there.id], target_parent_id: 'root' })).body, { moved: 1 });
    assert.deepEqual(await names(alice), ['Box', 'New', 'New/Place', 'New/Place/a', 'b', 'b/deep', 'there']);
    const { folders } = (await alice.caller.get('/folders')).body;
    const ids = new Map(folders.map((folder: Json) => [folder.name, folder.id]));
    assert.deepEqual([ids.get('b'), ids.get('New/Place/a'), ids.get('there')], [b.id, a.id, there.id]);
  });

  test('a folder inside another named folder moves with that one', async () => {
    const { alice } = await start();
    const [outer, inner] = [await make(alice, 'a'), await make(alice, 'a/b')];
    await alice.write('a/b/n.md');
    assert.deepEqual((await move(alice, { ids: [inner.id, outer.id], target_parent: 'x' })).body, { moved: 2 });
    assert.deepEqual(await names(alice), ['x', 'x/a', 'x/a/b']);
    assert.deepEqual((await remove(alice, { ids: [outer.id, inner.id] })).body, { deleted: 2 });
    assert.deepEqual([await names(alice), (await alice.read('x/a/b/n.md')).status], [[], 404]);
  });

  test('a batch move is all or nothing: errors name the folder of a cycle or conflict, or the unknown one', async () => {
    const { alice } = await start();
    const [a, b, twin] = [await make(alice, 'a'), await make(alice, 'b'), await make(alice, 'x/B')];
    const below = await make(alice, 'a/below');
    await alice.write('Box/a/n.md');
    await alice.write('Files/b.md/n.md');
    const note = await alice.write('note.md');
    await alice.write('Loose/n.md');
    const loose = await make(alice, 'Loose');
    await alice.caller.delete('/folders/Loose');
    const { seq } = await alice.write('last.md');
    const before = await names(alice);
    const refused: [ids: string[], target: object, status: number, body: object][] = [
      [[b.id, a.id], { target_parent: 'A/x' }, 409, { error: 'cycle', item_id: a.id }],
      [[b.id, a.id], { target_parent_id: a.id }, 409, { error: 'cycle', item_id: a.id }],
      [[b.id, a.id], { target_parent_id: below.id }, 409, { error: 'cycle', item_id: a.id }],
      [[b.id, a.id], { target_parent: 'Box' }, 409, { error: 'conflict', item_id: a.id }],
      [[b.id, twin.id], { target_parent: 'New' }, 409, { error: 'conflict', item_id: twin.id }],
      [[twin.id, b.id], { target_parent: 'New' }, 409, { error: 'conflict', item_id: b.id }],
      [[b.id], { target_parent: 'NOTE.md/x' }, 409, { error: 'conflict', item_id: b.id }],
      [[b.id, NOWHERE], { target_parent: 'New' }, 404, { error: 'not_found', item_id: NOWHERE }],
      [[b.id, loose.id], { target_parent: 'New' }, 404, { error: 'not_found', item_id: loose.id }],
      [[b.id, note.id], { target_parent: 'New' }, 404, { error: 'not_found', item_id: note.id }],
      [[b.id], { target_parent_id: NOWHERE }, 404, { error: 'not_found', item_id: NOWHERE }],
      [[b.id], { target_parent_id: loose.id }, 404, { error: 'not_found', item_id: loose.id }],
    ];
    for (const [ids, target, status, body] of refused) {
      const answer = await move(alice, { ids, ...target });
      assert.deepEqual([answer.status, answer.body], [status, body], JSON.stringify(target));
    }
    const deleted = await remove(alice, { ids: [b.id, NOWHERE] });
    assert.deepEqual([deleted.status, deleted.body], [404, { error: 'not_found', item_id: NOWHERE }]);
    assert.deepEqual(await names(alice), before);
    assert.equal((await alice.write('next.md')).seq, seq + 1);
  });

  test('a batch move checks ids, target and idempotency key', async () => {
    const { alice } = await start();
    const { id } = await make(alice, 'a');
    const many = Array.from({ length: 1001 }, () => id);
    const malformed: [ids: unknown, error: string][] = [
      [undefined, 'missing required param: ids'],
      [[], 'invalid_ids'],
      ['x', 'invalid_ids'],
      [[id, 'x'], 'invalid_ids'],
      [many, 'too_many_items'],
    ];
    for (const [ids, error] of malformed) {
      for (const answer of [await move(alice, { ids, target_parent: '' }), await remove(alice, { ids })]) {
        assert.deepEqual([answer.status, answer.body.error], [400, error]);
      }
    }
    for (const target of [{}, { target_parent: '', target_parent_id: 'root' }, { target_parent: [] }]) {
      const answer = await move(alice, { ids: [id], ...target });
      assert.deepEqual([answer.status, answer.body.error], [400, 'missing required param: target']);
    }
    const odd = await move(alice, { ids: [id], target_parent: '..' });
    assert.deepEqual([odd.status, odd.body], [422, { errors: { target_parent: ['must not contain ".." segments'] } }]);
    for (const path of ['/folders/batch-move', '/folders/batch-delete']) {
      const answer = await alice.caller.post(path, { ids: [id], target_parent: 'b' });
      assert.deepEqual([answer.status, answer.body.error], [400, 'missing_idempotency_key']);
    }
    const headers = keyed();
    const once = () => alice.caller.post('/folders/batch-delete', { ids: [id] }, headers);
    const [first, again] = [await once(), await once()];
    assert.deepEqual([first.body, again.body], [{ deleted: 1 }, { deleted: 1 }]);
    assert.equal(again.headers.get('idempotency-replayed'), 'true');
  });

  test('deleting a folder leaves a tombstone with a seq of its own for each note inside', async () => {
    const { alice } = await start();
    const [a, b] = [await make(alice, 'a'), await make(alice, 'p/b')];
    const gone = [await alice.write('a/one.md'), await alice.write('a/x/two.md'), await alice.write('p/b/three.md')];
    await alice.write('S.md', '[[one]] [[two]] [[three]]');
    assert.deepEqual((await remove(alice, { ids: [a.id, b.id, a.id] })).body, { deleted: 2 });
    assert.deepEqual(await names(alice), []);
    for (const { id } of gone) assert.equal((await alice.caller.get(`/notes/by-id/${id}`)).status, 404);
    assert.deepEqual(await alice.edges('S.md'), ['one → ?', 'two → ?', 'three → ?']);
    assert.equal((await alice.write('next.md')).seq, 10);
    assert.equal((await alice.caller.get(`/vaults/${alice.vault}`)).body.vault.note_count, 2);
  });
});
