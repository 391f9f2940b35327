import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import { MB } from '@notevault/protocol/values/byte-units.ts';
import { onSqlite } from '../../../../test/kit/engines.ts';
import { type Json, notesOnOneServer } from '../../../../test/kit/notes.ts';

const UNISSUED = '0198c0de-0000-7000-8000-000000000000';

onSqlite('upserting notes', (open) => {
  const start = notesOnOneServer(open);

  test('a new note has every field, from its text and path', async () => {
    const { server, alice } = await start();
    const content = '---\ntags: [Work, "#plans"]\n---\n# A title\nText with #Tag and [[Nowhere]].\n';
    const answer = await alice.put('Folder/Sub/Note.md', {
      content,
      mtime: 1700000000.25,
      // What comes from content and path is not taken from the request.
      title: 'Other',
      folder: 'Elsewhere',
      tags: ['other'],
      unknown: { field: [1] },
    });
    assert.equal(answer.status, 200);
    const { note } = answer.body;
    const at = new Date(server.clock.now()).toISOString();
    assert.match(note.id, /^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    assert.deepEqual(note, {
      id: note.id,
      path: 'Folder/Sub/Note.md',
      content,
      content_hash: hash('sha256', content),
      title: 'A title',
      folder: 'Folder/Sub',
      tags: ['Work', 'plans', 'Tag'],
      mtime: 1700000000.25,
      created_at: at,
      updated_at: at,
      version: 1,
      seq: 1,
      description: null,
      fm_created: null,
      fm_timestamp: null,
      resource: null,
      type: null,
      parse_status: 'ok',
      links: [
        {
          target_text: 'Nowhere',
          link_type: 'wikilink',
          dangling: true,
          alias: null,
          anchor: null,
          target_note_id: null,
          target_attachment_id: null,
          target_path: null,
        },
      ],
    });
    assert.deepEqual(Object.keys(answer.body), ['note']);
    assert.deepEqual((await alice.read('Folder/Sub/Note.md')).body, note);
    assert.deepEqual((await alice.caller.get(`/notes/by-id/${note.id}`)).body, note);
    assert.deepEqual((await alice.caller.get(`/notes/by-id/${note.id.toUpperCase()}`)).body, note);
  });

  test('an edit keeps the id, grows version and seq by one, and takes mtime and time of the edit', async () => {
    const { server, alice } = await start();
    const first = await alice.write('a.md', 'one\n');
    server.clock.advance({ seconds: 5 });
    const next = await alice.write('a.md', 'one\ntwo\n', { mtime: 2 });
    assert.deepEqual(
      [next.id, next.version, next.seq, next.mtime, next.content, next.created_at],
      [first.id, 2, 2, 2, 'one\ntwo\n', first.created_at],
    );
    assert.equal(Date.parse(next.updated_at) - Date.parse(first.updated_at), 5000);
  });

  test('equal content changes nothing: not version, seq, mtime or time, also with a stale or foreign base', async () => {
    const { server, alice } = await start();
    const first = await alice.write('a.md', 'one\n');
    const now = await alice.write('a.md', 'two\n', { mtime: 2 });
    server.clock.advance({ minutes: 5 });
    for (const base of [{}, { base_hash: first.content_hash }, { base_hash: 'x' }, { version: 1 }, { version: 99 }]) {
      assert.deepEqual(await alice.write('a.md', 'two\n', { mtime: 3, ...base }), now);
    }
    assert.deepEqual(await alice.write('a.md', undefined, { content: undefined, mtime: 3 }), now);
    assert.deepEqual((await alice.put('A.MD', { content: 'two\n' })).body, { note: now, server_path: 'a.md' });
  });

  test('without content a new note is empty, and an existing one keeps its text', async () => {
    const { alice } = await start();
    const { note } = (await alice.caller.post('/notes', { path: 'a.md', mtime: 1 })).body;
    assert.deepEqual([note.content, note.content_hash, note.title, note.version], ['', hash('sha256', ''), 'a', 1]);
    const full = await alice.write('a.md', 'text');
    assert.deepEqual((await alice.caller.post('/notes', { path: 'a.md', mtime: 5, base_hash: 'old' })).body.note, full);
    assert.equal((await alice.write('a.md', '')).version, 3);
  });

  test('version 0 makes a note, and is refused where there is another text', async () => {
    const { alice } = await start();
    const made = await alice.write('a.md', 'one', { version: 0 });
    assert.deepEqual(await alice.write('a.md', 'one', { version: 0 }), made);
    const refused = await alice.put('a.md', { content: 'two', version: 0 });
    assert.deepEqual([refused.status, refused.body.server_note], [409, made]);
  });

  test('base_hash: overwrites only the content it names; else answers the stored note and merges nothing', async () => {
    const { alice } = await start();
    const first = await alice.write('a.md', 'one\n[[b]]\n');
    const second = await alice.write('a.md', 'two\n[[b]]\n', { base_hash: first.content_hash });
    assert.equal(second.version, 2);
    const refused = await alice.put('a.md', { content: 'three\n', base_hash: first.content_hash, version: 2 });
    assert.equal(refused.status, 409);
    assert.deepEqual(refused.body, { error: 'version_conflict', conflict: true, server_note: second });
    assert.deepEqual((await alice.read('a.md')).body, second);
    const missing = await alice.put('b.md', { base_hash: first.content_hash });
    assert.equal(missing.status, 409);
    assert.deepEqual(missing.body, { error: 'version_conflict', conflict: true, server_note: null });
    assert.equal((await alice.read('b.md')).status, 404);
    assert.equal((await alice.put('b.md', { base_hash: null, version: null })).status, 200);
  });

  test('version: an edit of an older version merges with what came since', async () => {
    const { alice } = await start();
    await alice.write('a.md', 'top\nmiddle\nbottom\n');
    await alice.write('a.md', 'top\nmiddle\nbottom\nadded below\n', { version: 1 });
    await alice.write('a.md', 'added above\ntop\nmiddle\nbottom\nadded below\n', { version: 2 });
    const merged = await alice.write('a.md', 'top\nbottom\nmine\n', { version: 1 });
    assert.deepEqual([merged.content, merged.version], ['added above\ntop\nbottom\nmine\nadded below\n', 4]);
    const again = await alice.write('a.md', 'top\nmiddle\nbottom\n', { version: 1 });
    assert.deepEqual(again, merged, 'an edit that changes nothing of its base adds nothing');
    const current = await alice.write('a.md', 'all new\n', { version: 4 });
    assert.deepEqual([current.content, current.version], ['all new\n', 5]);
  });

  test('version: one that was never issued is a conflict', async () => {
    const { alice } = await start();
    const note = await alice.write('a.md', 'one\n');
    for (const version of [2, 0, -1, 2 ** 53 - 1]) {
      const refused = await alice.put('a.md', { content: 'two\n', version });
      assert.equal(refused.status, 409, `${version}`);
      assert.deepEqual(refused.body, { error: 'version_conflict', conflict: true, server_note: note });
    }
    assert.deepEqual((await alice.read('a.md')).body, note);
  });

  test('version: is ignored where no note is live, and the note is created', async () => {
    const { alice } = await start();
    const laptop = { 'x-device-id': 'laptop' };
    const phone = { 'x-device-id': 'phone' };
    const never = await alice.put('never.md', { content: 'new\n', version: 7 });
    assert.deepEqual([never.status, never.body.note?.content], [200, 'new\n']);

    const gone = await alice.write('a.md', 'one\n', {}, phone);
    await alice.remove('a.md', laptop);
    const deleted = { error: 'conflict', conflict: true, reason: 'recently_deleted', server_note: null };
    const back = await alice.put('a.md', { content: 'one\n', version: 1 }, phone);
    assert.deepEqual([back.status, back.body], [409, deleted]);
    const edited = await alice.put('a.md', { content: 'one, edited elsewhere\n', version: 1 }, phone);
    assert.deepEqual([edited.status, edited.body.note?.content], [200, 'one, edited elsewhere\n']);
    assert.notEqual(edited.body.note.id, gone.id);

    await alice.write('b.md', 'two\n', { id: gone.id, version: 1 });
    const renamed = await alice.put('c.md', { content: 'three\n', version: 1, id: gone.id });
    assert.deepEqual([renamed.status, renamed.body.conflict, renamed.body.server_path], [409, true, 'b.md']);
    assert.equal((await alice.read('c.md')).status, 404);
  });

  test('version: appends and batches answer conflicts with conflict: true; a batch creates what is not live', async () => {
    const { alice } = await start();
    await alice.write('folder.md/x.md', 'x');
    const note = await alice.write('a.md', 'one\n');
    const appended = await alice.caller.post('/notes/append', { path: 'folder.md', text: 'x' });
    assert.deepEqual([appended.status, appended.body.conflict], [409, true]);
    const items = [
      { path: 'a.md', mtime: 1, content: 'two\n', version: 9 },
      { path: 'new.md', mtime: 1, content: 'new\n', version: 9 },
    ];
    const sent = await alice.caller.post(
      '/notes/batch',
      { notes: items },
      { 'x-idempotency-key': crypto.randomUUID() },
    );
    const [refused, created] = sent.body.results;
    assert.deepEqual(refused, { status: 'conflict', conflict: true, path: 'a.md', server_note: note });
    assert.deepEqual([created.status, created.conflict, created.version], ['ok', undefined, 1]);
  });

  test('10 MB of UTF-8 are accepted, one byte more is not, nor as the result of a merge', async () => {
    const { alice } = await start();
    const max = 10 * MB;
    const full = `é${'x'.repeat(max - 2)}`;
    assert.equal((await alice.write('full.md', full)).content_hash, hash('sha256', full));
    const both = { error: 'note exceeds maximum size of 10MB', errors: 'note exceeds maximum size of 10MB' };
    for (const content of [`é${'x'.repeat(max - 1)}`, 'é'.repeat(max / 2 + 1)]) {
      const refused = await alice.put('more.md', { content });
      assert.deepEqual([refused.status, refused.body], [413, both]);
    }
    const lines = (letter: string, megabytes: number) => `${letter.repeat(1023)}\n`.repeat(1024 * megabytes);
    const base = lines('x', 1);
    await alice.write('half.md', base);
    await alice.write('half.md', base + lines('y', 5), { version: 1 });
    const merged = await alice.put('half.md', { content: lines('z', 5) + base, version: 1 });
    assert.deepEqual([merged.status, merged.body], [413, both]);
    const { changes } = (await alice.caller.get('/sync/changes')).body;
    assert.equal(changes.find(({ path }: Json) => path === 'half.md').version, 2);
  });

  test('lone surrogates are refused, everything else is stored as sent', async () => {
    const { alice } = await start();
    const broken = await alice.put('a.md', { content: 'x\ud83dy\udc00z' });
    assert.deepEqual([broken.status, broken.body.errors], [422, { content: ['must be valid UTF-8'] }]);
    const odd = '\ufeffBOM\r\nNUL \0 tab\t𝄞 e\u0301 \u2028 \u{10ffff}\r';
    assert.equal((await alice.write('b.md', odd)).content, odd);
    assert.equal((await alice.read('b.md')).body.content_hash, hash('sha256', odd));
  });

  test('a note of another vault is not found here by path or id', async () => {
    await using notes = await start();
    const { alice } = notes;
    const bob = await notes.bob();
    const { id } = await alice.write('a.md', 'private');
    assert.equal((await bob.read('a.md')).status, 404);
    assert.equal((await bob.caller.get(`/notes/by-id/${id}`)).status, 404);
    assert.equal((await bob.caller.delete(`/notes/by-id/${id}`)).status, 404);
    assert.equal((await bob.write('a.md', 'mine')).seq, 1);
    assert.equal((await alice.read('a.md')).body.content, 'private');
    assert.equal((await alice.caller.get(`/notes/by-id/${UNISSUED}`)).body.error, 'not found');
  });
});
