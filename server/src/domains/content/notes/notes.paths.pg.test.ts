import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine } from '../../../../test/kit/engines.ts';
import { notesOnOneServer } from '../../../../test/kit/notes.ts';

const REFUSED: readonly [path: string, reason: string][] = [
  ['', 'must not be empty'],
  ['/', 'must not be empty'],
  ['././/', 'must not be empty'],
  ['a.txt', 'must end in ".md"'],
  ['folder/', 'must end in ".md"'],
  ['a.md/b', 'must end in ".md"'],
  ['../a.md', 'must not contain ".." segments'],
  ['a/../b.md', 'must not contain ".." segments'],
  ['a\\..\\b.md', 'must not contain ".." segments'],
  ['by-id/a.md', 'must not begin with the segment "by-id"'],
  ['/./By-ID/a.md', 'must not begin with the segment "by-id"'],
  ['a\u0000.md', 'must not contain control characters'],
  ['a\n.md', 'must not contain control characters'],
  ['a\u007f.md', 'must not contain control characters'],
  ['a\u0085.md', 'must not contain control characters'],
  ['a\ud800.md', 'must be valid UTF-8'],
  [`${'x'.repeat(253)}.md`, 'must not contain a name longer than 255 bytes'],
  [`${'é'.repeat(127)}.md`, 'must not contain a name longer than 255 bytes'],
  [`${'folder/'.repeat(585)}a.md`, 'must not be longer than 4096 bytes'],
];

const STORED: readonly [sent: string, stored: string][] = [
  ['plain.md', 'plain.md'],
  ['//a//./b.md', 'a/b.md'],
  ['a\\c.md', 'a/c.md'],
  ['./a/d.md/', 'a/d.md'],
  ['Cafe\u0301.md', 'Caf\u00e9.md'],
  ['.MD', '.MD'],
  [' spaced . md .md', ' spaced . md .md'],
  ['what? "this"*<|>:.md', 'what? "this"*<|>:.md'],
  ['con.md', 'con.md'],
  ['a/by-id/b.md', 'a/by-id/b.md'],
  ['日本/ノート.md', '日本/ノート.md'],
  ['A%2FB.md', 'A%2FB.md'],
  ['\u202e\u200bodd.md', '\u202e\u200bodd.md'],
  [`${'x'.repeat(252)}.md`, `${'x'.repeat(252)}.md`],
  [`${'folder/'.repeat(584)}abcde.md`, `${'folder/'.repeat(584)}abcde.md`],
];

onEachEngine('paths of notes', (open) => {
  const start = notesOnOneServer(open);

  test('an invalid path is refused with a sentence', async () => {
    const { alice } = await start();
    for (const [path, reason] of REFUSED) {
      const answer = await alice.put(path);
      assert.deepEqual([answer.status, answer.body], [422, { errors: { path: [reason] } }], JSON.stringify(path));
    }
  });

  test('a path that is stored in another form is reported, and the note is found under both', async () => {
    const { alice } = await start();
    for (const [sent, stored] of STORED) {
      const { status, body } = await alice.put(sent);
      assert.deepEqual([status, body.note.path], [200, stored]);
      assert.deepEqual(Object.keys(body), sent === stored ? ['note'] : ['note', 'server_path']);
      if (sent !== stored) assert.equal(body.server_path, stored);
      assert.deepEqual((await alice.read(stored)).body, body.note);
      assert.equal((await alice.put(stored, { content: sent })).body.note.version, 1);
    }
  });

  test('a path in a URL is decoded by segments, and looked up without case', async () => {
    const { alice } = await start();
    const { id } = await alice.write('Ordner/Größe ß?.md');
    const spellings = ['Ordner/Gr%C3%B6%C3%9Fe%20%C3%9F%3F.md', 'Ordner%2FGr%C3%B6%C3%9Fe%20%C3%9F%3F.md'];
    const folded = ['ORDNER//GR%C3%96SSE%20SS%3F.MD', './ordner%5Cgro%CC%88sse%20ss%3f.md'];
    for (const url of [...spellings, ...folded]) {
      assert.equal((await alice.caller.get(`/notes/${url}`)).body.id, id, url);
    }
    assert.equal((await alice.caller.get('/notes/Ordner')).status, 404);
    assert.equal((await alice.caller.get('/notes/Ordner/Gr%C3%B6%C3%9Fe%20%C3%9F')).status, 404);
    assert.equal((await alice.caller.get('/notes/by-id')).status, 404);
    assert.equal((await alice.caller.get('/notes/by-id/a/b.md')).status, 404);
    await alice.write('100%25.md');
    assert.equal((await alice.caller.get('/notes/100%2525.md')).body.path, '100%25.md');
  });

  test('a URL path that breaks the rules is a validation error, of whichever route', async () => {
    const { alice, server } = await start();
    const malformed = { errors: { path: ['must be valid percent-encoded UTF-8'] } };
    for (const url of ['%zz.md', '%ff.md', 'a/%E3%81.md', '%', 'a%2.md']) {
      for (const method of ['GET', 'DELETE']) {
        const answer = await alice.caller.call(method, `/notes/${url}`, undefined, {});
        assert.deepEqual([answer.status, answer.body], [422, malformed], url);
        assert.ok(answer.headers.get('x-request-id'));
      }
    }
    assert.equal((await alice.caller.get('/notes/')).body.errors.path[0], 'must not be empty');
    assert.equal((await alice.caller.get('/notes/a%00.md')).body.errors.path[0], 'must not contain control characters');
    assert.equal((await alice.caller.get('/notes/..%2Fa.md')).body.errors.path[0], 'must not contain ".." segments');
    assert.equal((await alice.caller.get('/notes/by-id/%zz')).body.error, 'invalid id');
    assert.equal((await server.anyone.get('/notes/%zz.md')).status, 401);
    assert.equal((await alice.caller.get('/%zz')).body.error, 'not_found');
  });

  test('names that differ by case alone are one name; a note and its folder keep their first spelling', async () => {
    const { alice } = await start();
    const first = await alice.write('Projects/Straße.md', 'one');
    const again = await alice.put('projects/STRASSE.md', { content: 'two' });
    assert.deepEqual([again.status, again.body.note.id, again.body.note.version], [200, first.id, 2]);
    assert.deepEqual([again.body.note.path, again.body.server_path], ['Projects/Straße.md', 'Projects/Straße.md']);
    const beside = (await alice.put('PROJECTS/Sub/b.md')).body;
    assert.deepEqual([beside.note.path, beside.note.folder], ['Projects/Sub/b.md', 'Projects/Sub']);
    assert.equal(beside.server_path, 'Projects/Sub/b.md');
    assert.equal((await alice.write('projects/sub/c.md')).path, 'Projects/Sub/c.md');
    assert.equal((await alice.write('ısı.md')).path, 'ısı.md');
    assert.equal((await alice.write('isi.md')).version, 1, 'a dotless ı is another letter');
  });

  test('a folder that no longer exists may appear again in another spelling', async () => {
    const { alice } = await start();
    await alice.write('Folder/Sub/a.md');
    await alice.remove('Folder/Sub/a.md');
    assert.equal((await alice.write('folder/sub/b.md')).path, 'folder/sub/b.md');
  });

  test('no entry can be created below a note', async () => {
    const { alice } = await start();
    const holder = await alice.write('Folder/a.md', '[[b]]');
    for (const path of ['Folder/a.md/b.md', 'folder/A.MD/deeper/b.md']) {
      const answer = await alice.put(path);
      assert.equal(answer.status, 409);
      assert.deepEqual(answer.body, {
        error: 'conflict',
        conflict: true,
        server_path: 'Folder/a.md',
        server_note: holder,
      });
    }
    assert.equal((await alice.read('Folder/a.md/b.md')).status, 404);
  });

  test('a note cannot stand where a folder is, until the folder has gone', async () => {
    const { alice } = await start();
    await alice.write('Archive.md/2024/old.md');
    const answer = await alice.put('archive.md');
    assert.deepEqual(
      [answer.status, answer.body],
      [409, { error: 'conflict', conflict: true, server_path: 'Archive.md' }],
    );
    await alice.remove('Archive.md/2024/old.md');
    assert.equal((await alice.write('archive.md')).path, 'archive.md');
  });

  test('deleting by path is idempotent and ignores case', async () => {
    const { server, alice } = await start();
    const { id } = await alice.write('Folder/a.md');
    await alice.write('Folder/b.md');
    for (const path of ['folder/A.md', 'Folder/a.md', 'never/was.md', 'Folder', 'no extension']) {
      const answer = await alice.remove(path);
      assert.deepEqual([answer.status, answer.body], [200, { deleted: true }], path);
    }
    assert.equal((await alice.read('Folder/a.md')).body.error, 'not found');
    assert.equal((await alice.caller.get(`/notes/by-id/${id}`)).body.error, 'not found');
    assert.equal((await alice.read('Folder/b.md')).status, 200);
    const again = await alice.write('Folder/a.md');
    assert.notEqual(again.id, id);
    assert.deepEqual([again.version, again.seq], [2, 4], 'it goes on counting versions');
    const { vault } = (await server.alice.get(`/vaults/${alice.vault}`)).body;
    assert.equal(vault.note_count, 2);
  });

  test('deleting a missing note by id is not found', async () => {
    const { alice } = await start();
    const { id } = await alice.write('a.md');
    const remove = (text: string) => alice.caller.delete(`/notes/by-id/${text}`);
    for (const text of ['x', id.slice(1), `${id}0`, `{${id}}`, '%20']) {
      const answers = [await remove(text), await alice.caller.get(`/notes/by-id/${text}`)];
      for (const { status, body } of answers) assert.deepEqual([status, body], [400, { error: 'invalid id' }], text);
    }
    assert.deepEqual((await remove(id)).body, { deleted: true });
    const gone = await remove(id);
    assert.deepEqual([gone.status, gone.body], [404, { error: 'not found' }]);
  });
});
