import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onSqlite } from '../../../../../test/kit/engines.ts';
import { notesOnOneServer, type Writer } from '../../../../../test/kit/notes.ts';

const rename = (alice: Writer, old_path: unknown, new_path: unknown) =>
  alice.caller.post('/notes/rename', { old_path, new_path });
const folders = async (alice: Writer): Promise<string[]> =>
  (await alice.caller.get('/folders')).body.folders.map(({ name }: { name: string }) => name);

onSqlite('POST /notes/rename', (open) => {
  const start = notesOnOneServer(open);

  test('a rename keeps id, version and content under a new seq; implicit folders appear and disappear', async () => {
    const { server, alice } = await start();
    const note = await alice.write('Old/Deep/Note.md', '# Title\ntext', { mtime: 5 });
    await alice.write('Other.md');
    server.clock.advance({ seconds: 3 });
    const answer = await rename(alice, 'Old/Deep/Note.md', 'New/Place/Name.md');
    assert.equal(answer.status, 200);
    const at = new Date(server.clock.now()).toISOString();
    const moved = { ...note, path: 'New/Place/Name.md', folder: 'New/Place', seq: 3, updated_at: at };
    const paths = { old_path: 'Old/Deep/Note.md', new_path: 'New/Place/Name.md' };
    assert.deepEqual(answer.body, { renamed: true, ...paths, note: moved });
    assert.deepEqual((await alice.read('New/Place/Name.md')).body, moved);
    assert.deepEqual((await alice.caller.get(`/notes/by-id/${note.id}`)).body, moved);
    assert.equal((await alice.read('Old/Deep/Note.md')).status, 404);
    assert.deepEqual(await folders(alice), ['', 'New', 'New/Place']);
    assert.equal((await rename(alice, 'new/place/NAME.md', '/New//./Name.md')).body.new_path, 'New/Name.md');
    assert.deepEqual(await folders(alice), ['', 'New']);
    assert.equal((await rename(alice, 'New/Name.md', 'Name.md')).status, 200);
    assert.deepEqual(await folders(alice), ['']);
  });

  test('a rename to the same path changes nothing, however it is spelled', async () => {
    const { server, alice } = await start();
    const note = await alice.write('Ordner/Café.md', '[[Café]]');
    server.clock.advance({ seconds: 1 });
    for (const same of ['Ordner/Café.md', '/Ordner//./Café.md', 'Ordner\\Cafe\u0301.md', 'ORDNER/Café.md']) {
      const answer = await rename(alice, 'Ordner/Cafe\u0301.md', same);
      const paths = { old_path: 'Ordner/Café.md', new_path: 'Ordner/Café.md' };
      assert.deepEqual([answer.status, answer.body], [200, { renamed: true, ...paths, note }], same);
    }
    assert.equal((await alice.write('next.md')).seq, note.seq + 1);
  });

  test('a rename may change only the case of the name; a folder keeps its first spelling', async () => {
    const { alice } = await start();
    const { id } = await alice.write('Folder/straße.md', '[[straße]]');
    const { body } = await rename(alice, 'Folder/straße.md', 'FOLDER/STRASSE.MD');
    assert.deepEqual([body.new_path, body.note.id, body.note.title], ['Folder/STRASSE.MD', id, 'STRASSE']);
    assert.deepEqual(await alice.edges('Folder/straße.md'), ['straße → Folder/STRASSE.MD']);
    assert.deepEqual([body.note.version, await folders(alice)], [1, ['', 'Folder']]);
    await alice.write('other.md');
    assert.equal((await rename(alice, 'other.md', 'folder/Sub/other.md')).body.new_path, 'Folder/Sub/other.md');
    assert.equal((await rename(alice, 'folder/SUB/other.md', 'fOLDER/other.md')).body.new_path, 'Folder/other.md');
  });

  test('a title derived from the file name changes with it, any other stays', async () => {
    const { alice } = await start();
    const title = async (content: string) => {
      await alice.write('One.md', content);
      const { note } = (await rename(alice, 'One.md', 'Two.md')).body;
      assert.deepEqual(note, (await alice.read('Two.md')).body);
      await alice.remove('Two.md');
      return note.title;
    };
    assert.equal(await title('text'), 'Two');
    assert.equal(await title('# One\ntext'), 'One');
    assert.equal(await title('---\ntitle: One\n---\n'), 'One');
    assert.equal(await title('[[One]]'), 'Two');
  });

  test('a rename to a path of a note or a folder, or below a note, is refused', async () => {
    const { alice } = await start();
    const taken = await alice.write('b.md');
    const note = await alice.write('a.md', '[[b]]');
    await alice.write('Folder.md/x.md');
    const change = await alice.write('change.md');
    const attempts: [path: string, has: object][] = [
      ['b.md', { server_path: 'b.md', server_note: taken }],
      ['B.MD', { server_path: 'b.md', server_note: taken }],
      ['folder.MD', { server_path: 'Folder.md' }],
      ['B.md/c.md', { server_path: 'b.md', server_note: taken }],
    ];
    for (const [path, has] of attempts) {
      const refused = await rename(alice, 'a.md', path);
      assert.deepEqual([refused.status, refused.body], [409, { error: 'conflict', ...has }], path);
    }
    assert.equal((await rename(alice, 'a.md', 'a.md/b.md')).body.server_note.id, note.id);
    assert.deepEqual((await alice.read('a.md')).body, note);
    assert.equal((await alice.write('next.md')).seq, change.seq + 1);
    await alice.remove('b.md');
    assert.equal((await rename(alice, 'a.md', 'b.md')).status, 200, 'a deleted note holds no path');
  });

  test('a rename of a missing note, or to an invalid path, is refused', async () => {
    await using notes = await start();
    const { alice } = notes;
    await alice.write('a.md');
    await alice.write('Folder/gone.md');
    await alice.remove('Folder/gone.md');
    await alice.write('Folder/b.md');
    for (const path of ['missing.md', 'Folder/gone.md', 'Folder', 'a', 'a.md/b.md']) {
      const answer = await rename(alice, path, 'c.md');
      assert.deepEqual([answer.status, answer.body], [404, { error: 'not found' }], path);
    }
    const refused: [old_path: unknown, new_path: unknown, errors: Record<string, string[]>][] = [
      ['a.md', 'a.txt', { new_path: ['must end in ".md"'] }],
      ['a.md', 'Folder/', { new_path: ['must end in ".md"'] }],
      ['a.md', '../a.md', { new_path: ['must not contain ".." segments'] }],
      ['a.md', 'BY-ID/a.md', { new_path: ['must not begin with the segment "by-id"'] }],
      ['a.md', `${'x'.repeat(253)}.md`, { new_path: ['must not contain a name longer than 255 bytes'] }],
      ['', 'b.md', { old_path: ['must not be empty'] }],
      ['a\0.md', 'b.md', { old_path: ['must not contain control characters'] }],
    ];
    for (const [from, to, errors] of refused) {
      const answer = await rename(alice, from, to);
      assert.deepEqual([answer.status, answer.body], [422, { errors }]);
    }
    for (const [from, to] of [
      ['a.md', undefined],
      [undefined, 'b.md'],
      [7, 'b.md'],
      ['a.md', null],
    ]) {
      assert.equal((await rename(alice, from, to)).status, 422);
    }
    const bob = await notes.bob();
    assert.equal((await rename(bob, 'a.md', 'b.md')).status, 404);
    assert.equal((await alice.read('a.md')).body.seq, 1);
  });

  test('a note that is deleted, edited or renamed at the same time stays consistent', async () => {
    const { alice } = await start();
    for (let round = 0; round < 5; round++) {
      const { id } = await alice.write(`r${round}.md`, 'text');
      const [one, two, gone, edit] = await Promise.all([
        rename(alice, `r${round}.md`, `x${round}/one.md`),
        rename(alice, `r${round}.md`, `x${round}/two.md`),
        alice.caller.delete(`/notes/by-id/${id}`),
        alice.put(`r${round}.md`, { content: 'text, more', version: 1, id }),
      ]);
      assert.deepEqual([gone.status, [one, two].every(({ status }) => [200, 404].includes(status))], [200, true]);
      assert.ok([200, 409].includes(edit.status), `${edit.status}`);
      const now = await alice.caller.get(`/notes/by-id/${id}`);
      const listed = [`x${round}/one.md`, `x${round}/two.md`].filter(() => now.status === 200);
      const found = await Promise.all(listed.map((path) => alice.read(path)));
      assert.ok(found.filter(({ status }) => status === 200).length <= 1);
    }
  });

  test('of two notes renamed to one path at once, one gets it; of two renames of one note, the last holds', async () => {
    const { alice } = await start();
    const [a, b] = [await alice.write('a.md'), await alice.write('b.md')];
    const both = await Promise.all([rename(alice, 'a.md', 'c.md'), rename(alice, 'b.md', 'C.md')]);
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 409]);
    const won = both[0]?.status === 200 ? a : b;
    assert.equal((await alice.read('c.md')).body.id, won.id);
    const swapped = await Promise.all([rename(alice, 'c.md', 'd.md'), rename(alice, 'c.md', 'e.md')]);
    assert.deepEqual(swapped.map(({ status }) => status).sort(), [200, 404]);
  });

  test('an edit of a version from before the rename merges into the rewritten text', async () => {
    const { alice } = await start();
    await alice.write('Target.md');
    await alice.write('Source.md', 'top\n[[Target]] here\nbottom\n');
    await rename(alice, 'Target.md', 'Renamed.md');
    const merged = await alice.write('Source.md', 'top\n[[Target]] here\nbottom, typed on\n', { version: 1 });
    assert.deepEqual([merged.content, merged.version], ['top\n[[Renamed]] here\nbottom, typed on\n', 3]);
    const { note } = (await rename(alice, 'Source.md', 'Moved.md')).body;
    const typed = await alice.write('Moved.md', `${merged.content}end\n`, { version: note.version });
    assert.deepEqual([typed.id, typed.version, typed.content], [merged.id, 4, `${merged.content}end\n`]);
  });

  test('a rename with the same idempotency key repeats the answer; a read-only credential is refused', async () => {
    const { alice } = await start();
    await alice.write('a.md');
    const once = () =>
      alice.caller.post('/notes/rename', { old_path: 'a.md', new_path: 'b.md' }, { 'x-idempotency-key': 'rename-a' });
    const [first, again] = [await once(), await once()];
    assert.deepEqual([first.status, again.status, again.headers.get('idempotency-replayed')], [200, 200, 'true']);
    assert.deepEqual(again.body, first.body);
  });
});
