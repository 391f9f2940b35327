import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine } from '../../../../../test/kit/engines.ts';
import { type Json, notesOnOneServer, type Writer } from '../../../../../test/kit/notes.ts';

const NOWHERE = '00000000-0000-7000-8000-000000000000';
const list = async (alice: Writer): Promise<Json[]> => (await alice.caller.get('/folders')).body.folders;
const counts = async (alice: Writer) => (await list(alice)).map(({ name, count }) => `${name}: ${count}`);
const make = (alice: Writer, folder: unknown) => alice.caller.post('/folders', { folder });
const url = (path: string) => `/folders/${path.split('/').map(encodeURIComponent).join('/')}`;
const drop = (alice: Writer, path: string, query = '') => alice.caller.delete(url(path) + query);
const changeSeq = async (alice: Writer) => {
  const { seq } = await alice.write('probe.md');
  await alice.remove('probe.md');
  return seq;
};

onEachEngine('folders', (open) => {
  const start = notesOnOneServer(open);

  test('GET /folders lists folders, their ancestors and the root, with the number of notes directly inside', async () => {
    const { alice } = await start();
    assert.deepEqual((await alice.caller.get('/folders')).body, {
      folders: [{ name: '', id: null, parent_id: null, count: 0 }],
    });
    await alice.write('root.md');
    await alice.write('a/b/c/one.md');
    await alice.write('a/b/c/two.md');
    await alice.write('a/three.md');
    const { folder } = (await make(alice, 'a/Made')).body;
    const below = (await make(alice, 'a/Made/Below')).body.folder;
    assert.deepEqual(await list(alice), [
      { name: '', id: null, parent_id: null, count: 1 },
      { name: 'a', id: null, parent_id: null, count: 1 },
      { name: 'a/Made', id: folder.id, parent_id: null, count: 0 },
      { name: 'a/Made/Below', id: below.id, parent_id: folder.id, count: 0 },
      { name: 'a/b', id: null, parent_id: null, count: 0 },
      { name: 'a/b/c', id: null, parent_id: null, count: 2 },
    ]);
    assert.deepEqual((await alice.caller.get('/folders/explicit')).body, {
      folders: [
        { name: 'a/Made', id: folder.id },
        { name: 'a/Made/Below', id: below.id },
      ],
    });
    await alice.remove('a/b/c/one.md');
    await alice.remove('a/b/c/two.md');
    await alice.remove('a/three.md');
    assert.deepEqual(await counts(alice), [': 1', 'a: 0', 'a/Made: 0', 'a/Made/Below: 0']);
  });

  test('a folder lists the notes directly inside, by its path in any case and by id', async () => {
    const { alice } = await start();
    const { id } = (await make(alice, 'Box')).body.folder;
    const note = await alice.write('Box/b.md', '---\ntags: [x]\n---\n[[c]]');
    await alice.write('Box/a.md');
    await alice.write('Box/deep/c.md');
    await alice.write('root.md');
    const paths = (answer: Json) => answer.body.notes.map(({ path }: Json) => path);
    const boxed = await alice.caller.get('/folders/list?folder=%2Fbox%2F');
    assert.deepEqual([boxed.body.folder, paths(boxed)], ['Box', ['Box/a.md', 'Box/b.md']]);
    const { content: _content, links: _links, seq: _seq, ...rest } = note;
    const { description, fm_created, fm_timestamp, resource, type, parse_status, ...meta } = rest;
    assert.deepEqual(
      [description, fm_created, fm_timestamp, resource, type, parse_status],
      [...Array(5).fill(null), 'ok'],
    );
    assert.deepEqual(boxed.body.notes[1], meta);
    assert.deepEqual((await alice.caller.get(`/folders/by-id/${id}/notes`)).body, { notes: boxed.body.notes });
    const root = await alice.caller.get('/folders/list?folder=');
    assert.deepEqual([root.body.folder, paths(root)], ['', ['root.md']]);
    const none = await alice.caller.get('/folders/list?folder=No/where');
    assert.deepEqual([none.status, none.body], [200, { folder: 'No/where', notes: [] }]);
    assert.deepEqual(paths(await alice.caller.get('/folders/list?folder=root.md')), []);
  });

  test('listing a folder that is missing, malformed, unknown or of another vault is refused', async () => {
    const { alice, bob } = await start();
    const bare = await alice.caller.get('/folders/list');
    assert.deepEqual([bare.status, bare.body.error], [400, 'folder parameter is required']);
    assert.equal((await alice.caller.get('/folders/list?folder=..')).status, 422);
    const { id } = (await make(alice, 'Box')).body.folder;
    const bad = await alice.caller.get('/folders/by-id/x/notes');
    assert.deepEqual([bad.status, bad.body], [400, { error: 'bad_id', errors: 'bad_id' }]);
    const unknown = await alice.caller.get(`/folders/by-id/${NOWHERE}/notes`);
    assert.deepEqual([unknown.status, unknown.body], [404, { error: 'not_found' }]);
    const other = await bob();
    assert.equal((await other.caller.get(`/folders/by-id/${id}/notes`)).status, 404);
    assert.deepEqual(await counts(other), [': 0']);
    await alice.write('Box/a.md');
    await drop(alice, 'Box');
    assert.equal((await alice.caller.get(`/folders/by-id/${id}/notes`)).status, 404, 'nobody’s folder has no id');
  });

  test('creating a folder twice returns the same folder and changes nothing', async () => {
    const { alice } = await start();
    const first = await make(alice, '/Box//Sub/');
    assert.deepEqual([first.status, first.body.folder.name, first.body.folder.count], [201, 'Box/Sub', 0]);
    const seq = await changeSeq(alice);
    const again = await make(alice, 'BOX/sub');
    assert.deepEqual([again.status, again.body], [201, first.body]);
    assert.equal(await changeSeq(alice), seq + 2, 'only the probe itself');
    const parent = (await make(alice, 'Box')).body.folder;
    assert.equal((await make(alice, 'Box/Sub')).body.folder.parent_id, parent.id);
    assert.equal(await changeSeq(alice), seq + 5);
    assert.equal((await alice.write('box/SUB/a.md')).path, 'Box/Sub/a.md');
  });

  test('an implicit folder becomes explicit, with an id that does not change', async () => {
    const { alice } = await start();
    await alice.write('Box/a.md');
    const { folder } = (await make(alice, 'box')).body;
    assert.deepEqual([folder.name, folder.count], ['Box', 1]);
    await alice.remove('Box/a.md');
    await alice.caller.post('/folders/rename', { old_path: 'Box', new_path: 'Other/Box' });
    assert.deepEqual((await alice.caller.get('/folders/explicit')).body, {
      folders: [{ name: 'Other/Box', id: folder.id }],
    });
  });

  test('a folder cannot be created without a name, over or below a note, or with an invalid path', async () => {
    const { alice } = await start();
    const note = await alice.write('a.md');
    for (const empty of ['', '/', '\\', '.', './/.\\', null, undefined, 7]) {
      const answer = await make(alice, empty);
      assert.deepEqual([answer.status, answer.body.error], [422, 'folder must not be empty'], `${empty}`);
    }
    for (const path of ['A.md', 'a.md/b']) {
      const answer = await make(alice, path);
      assert.deepEqual(
        [answer.status, answer.body],
        [409, { error: 'conflict', server_path: 'a.md', server_note: note }],
      );
    }
    const odd = await make(alice, 'a/../b');
    assert.deepEqual([odd.status, odd.body], [422, { errors: { folder: ['must not contain ".." segments'] } }]);
    assert.deepEqual(await counts(alice), [': 1']);
  });

  test('deleting a folder without recursive makes it implicit, removes it if empty, and keeps its notes', async () => {
    const { alice } = await start();
    await make(alice, 'Empty/Deep');
    await make(alice, 'Full');
    await alice.write('Full/a.md');
    for (const path of ['EMPTY/deep', 'Full', 'Full', 'Missing', 'Full/a.md']) {
      const answer = await drop(alice, path);
      assert.deepEqual([answer.status, answer.body], [204, null], path);
    }
    assert.deepEqual(await list(alice), [
      { name: '', id: null, parent_id: null, count: 0 },
      { name: 'Full', id: null, parent_id: null, count: 1 },
    ]);
    assert.equal((await alice.caller.delete('/folders/')).status, 422);
    await drop(alice, 'Full', '?recursive=false');
    assert.equal((await alice.read('Full/a.md')).status, 200);
  });

  test('a folder called like a route can be deleted', async () => {
    const { alice } = await start();
    const names = ['list', 'explicit', 'rename', 'batch-move', 'batch-delete', 'by-id', 'by-id/x/notes'];
    for (const name of names) {
      await make(alice, name);
      assert.equal((await drop(alice, name)).status, 204, name);
    }
    assert.deepEqual(await list(alice), [{ name: '', id: null, parent_id: null, count: 0 }]);
    const refused = await alice.caller.call('PUT', '/folders/list', undefined, {});
    assert.deepEqual([refused.status, refused.headers.get('allow')], [405, 'DELETE, GET, HEAD']);
  });

  test('deleting a folder with recursive deletes its contents, each note with its own tombstone and seq', async () => {
    const { alice } = await start();
    const kept = await alice.write('Boxes/a.md', '[[deep]] [[b]]');
    const gone = [await alice.write('Box/b.md'), await alice.write('box/x/y/deep.md')];
    await make(alice, 'Box/x/Made');
    await make(alice, 'Marked');
    const before = await changeSeq(alice);
    assert.equal((await drop(alice, 'BOX', '?recursive=true')).status, 204);
    assert.deepEqual(await counts(alice), [': 0', 'Boxes: 1', 'Marked: 0']);
    for (const { id } of gone) assert.equal((await alice.caller.get(`/notes/by-id/${id}`)).status, 404);
    assert.deepEqual(await alice.edges('Boxes/a.md'), ['deep → ?', 'b → ?']);
    assert.equal((await alice.read('Boxes/a.md')).body.seq, kept.seq);
    assert.equal(await changeSeq(alice), before + 4);
    assert.equal((await alice.caller.get(`/vaults/${alice.vault}`)).body.vault.note_count, 1);
    assert.equal((await drop(alice, 'Marked', '?recursive=true')).status, 204);
    assert.equal(await changeSeq(alice), before + 7, 'an empty folder that goes is a change too');
    assert.equal((await drop(alice, 'Nowhere', '?recursive=true')).status, 204);
    assert.deepEqual(await counts(alice), [': 0', 'Boxes: 1']);
    const revived = await alice.write('Box/b.md', 'b', { id: gone[0].id });
    assert.equal(revived.id, gone[0].id);
  });
});
