import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RawConnection } from '../../../../test/kit/clients/raw-http.ts';
import { fileOf, fileUrl, readRaw, sha256, uploadJson, uploadRaw } from '../../../../test/kit/content/files.ts';
import { onEachEngine } from '../../../../test/kit/engines.ts';
import { notesOnOneServer, type Writer } from '../../../../test/kit/notes.ts';

const quoted = (hash: string) => `"${hash}"`;
const [ONE, TWO, THREE] = [fileOf('png', 300), fileOf('png', 301), fileOf('png', 302)] as const;
const changeSeq = async ({ caller }: Writer) => (await caller.get('/sync/manifest')).body.change_seq as number;

onEachEngine('preconditions of writes', (open) => {
  const start = notesOnOneServer(open);
  for (const [how, upload] of [
    ['PUT', uploadRaw],
    [
      'POST',
      (...[caller, path, bytes, headers]: Parameters<typeof uploadRaw>) => uploadJson(caller, path, bytes, {}, headers),
    ],
  ] as const) {
    test(`${how} /attachments with If-None-Match: * creates an attachment, and replaces none`, async () => {
      const { alice } = await start();
      const headers = { 'if-none-match': '*' };
      const made = await upload(alice.caller, 'a/b.png', ONE, headers);
      assert.deepEqual([made.status, made.body.attachment.content_hash], [200, sha256(ONE)]);
      const before = await changeSeq(alice);
      for (const bytes of [TWO, ONE]) {
        const refused = await upload(alice.caller, 'A/B.PNG', bytes, headers);
        assert.equal(refused.status, 409);
        const { error, conflict, server_attachment } = refused.body;
        assert.deepEqual([error, conflict], ['version_conflict', true]);
        assert.deepEqual(server_attachment, made.body.attachment);
      }
      assert.equal(await changeSeq(alice), before);
      assert.deepEqual((await readRaw(alice.caller, 'a/b.png')).bytes, ONE);
    });

    test(`${how} /attachments with If-Match replaces the bytes that it names, and no others`, async () => {
      const { alice } = await start();
      const missing = await upload(alice.caller, 'a.png', ONE, { 'if-match': quoted(sha256(ONE)) });
      assert.deepEqual([missing.status, missing.body.server_attachment], [409, null]);
      assert.equal((await upload(alice.caller, 'a.png', ONE, { 'if-match': '*' })).status, 409);
      assert.equal((await alice.caller.get('/attachments')).body.attachments.length, 0);

      await upload(alice.caller, 'a.png', ONE);
      const replaced = await upload(alice.caller, 'a.png', TWO, { 'if-match': `"none", ${quoted(sha256(ONE))}` });
      assert.deepEqual([replaced.status, replaced.body.attachment.content_hash], [200, sha256(TWO)]);
      for (const tag of [quoted(sha256(ONE)), `W/${quoted(sha256(TWO))}`, sha256(TWO), '']) {
        const refused = await upload(alice.caller, 'a.png', THREE, { 'if-match': tag });
        assert.deepEqual([refused.status, refused.body.server_attachment?.content_hash], [409, sha256(TWO)], tag);
      }
      assert.equal((await upload(alice.caller, 'a.png', THREE, { 'if-match': '*' })).status, 200);
    });
  }

  test('PUT /attachments refuses a precondition that has failed before the bytes are sent', async () => {
    const { server, alice } = await start();
    await uploadRaw(alice.caller, 'a.png', ONE);
    const { accessToken } = await server.alice.signed();
    for (const [condition, path, status] of [
      ['if-none-match: *', 'a.png', 409],
      [`if-match: ${quoted(sha256(TWO))}`, 'A.PNG', 409],
      [`if-match: ${quoted(sha256(TWO))}`, 'none.png', 409],
      [`if-match: ${quoted(sha256(ONE))}`, 'a.png', 100],
      ['if-none-match: *', 'none.png', 100],
    ] as const) {
      using connection = await RawConnection.open(server.url);
      const headers = [
        `authorization: Bearer ${accessToken}`,
        'expect: 100-continue',
        'content-length: 500',
        condition,
      ];
      connection.send(`PUT /api/attachments/${path} HTTP/1.1\r\nhost: a\r\n${headers.join('\r\n')}\r\n\r\n`);
      const answer = await connection.next();
      assert.equal(answer?.status, status, `${condition} ${path}`);
      if (status === 409) assert.equal(JSON.parse(answer?.body ?? '').error, 'version_conflict');
    }
  });

  test('an idempotency key that comes with another If-Match is a key of another request', async () => {
    const { alice } = await start();
    await uploadRaw(alice.caller, 'a.png', ONE);
    const keyed = (tag: string) =>
      uploadJson(alice.caller, 'a.png', TWO, {}, { 'x-idempotency-key': 'once', 'if-match': tag });
    const first = await keyed(quoted(sha256(ONE)));
    const again = await keyed(quoted(sha256(ONE)));
    assert.deepEqual([first.status, again.status, again.body], [200, 200, first.body]);
    assert.equal((await keyed(quoted(sha256(TWO)))).status, 422);
  });

  test('of many uploads at once with If-None-Match: * or one If-Match, one alone is written', async () => {
    const { alice } = await start();
    const files = Array.from({ length: 12 }, (_, at) => fileOf('png', 400 + at));
    const created = await Promise.all(
      files.map((bytes) => uploadRaw(alice.caller, 'a.png', bytes, { 'if-none-match': '*' })),
    );
    const statuses = created.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [200, ...Array.from({ length: 11 }, () => 409)]);
    const hash: string = (await alice.caller.get('/attachments')).body.attachments[0].content_hash;
    const replaced = await Promise.all(
      files.map((_, at) => uploadRaw(alice.caller, 'a.png', fileOf('png', 500 + at), { 'if-match': quoted(hash) })),
    );
    assert.equal(replaced.filter(({ status }) => status === 200).length, 1);
    assert.equal(replaced.filter(({ status }) => status === 409).length, 11);
  });

  test('DELETE /attachments deletes what If-Match names, and nothing else', async () => {
    const { alice } = await start();
    const remove = (headers: Record<string, string>) => alice.caller.delete(fileUrl('a.png'), undefined, headers);
    await uploadRaw(alice.caller, 'a.png', ONE);
    const refused = await remove({ 'if-match': quoted(sha256(TWO)) });
    assert.deepEqual([refused.status, refused.body.error, refused.body.conflict], [409, 'version_conflict', true]);
    assert.equal(refused.body.server_attachment.content_hash, sha256(ONE));
    assert.equal((await remove({ 'if-none-match': '*' })).status, 409);
    assert.equal((await readRaw(alice.caller, 'a.png')).status, 200);
    assert.equal((await remove({ 'if-match': quoted(sha256(ONE)) })).status, 200);
    assert.equal((await readRaw(alice.caller, 'a.png')).status, 404);
    const gone = await remove({ 'if-match': quoted(sha256(ONE)) });
    assert.deepEqual([gone.status, gone.body.server_attachment], [409, null]);
    assert.equal((await remove({ 'if-none-match': '*' })).status, 200);
  });

  test('DELETE of a note by path or id deletes the text that If-Match names, and no other', async () => {
    const { alice } = await start();
    for (const by of ['path', 'id'] as const) {
      const { id, content_hash: stale } = await alice.write('a.md', `one ${by}\n`);
      const { content_hash: hash, version } = await alice.write('a.md', `two ${by}\n`);
      const url = by === 'path' ? '/notes/a.md' : `/notes/by-id/${id}`;
      const remove = (headers: Record<string, string>) => alice.caller.delete(url, undefined, headers);
      const before = await changeSeq(alice);
      for (const headers of [
        { 'if-match': quoted(stale) },
        { 'if-none-match': '*' },
        { 'if-none-match': quoted(hash) },
      ]) {
        const refused = await remove(headers);
        assert.deepEqual([refused.status, refused.body.error, refused.body.conflict], [409, 'version_conflict', true]);
        const { id: said, content_hash, version: current } = refused.body.server_note;
        assert.deepEqual([said, content_hash, current], [id, hash, version]);
      }
      assert.equal(await changeSeq(alice), before);
      assert.equal((await alice.read('a.md')).status, 200);
      assert.equal((await remove({ 'if-match': quoted(hash) })).status, 200);
      assert.equal((await alice.read('a.md')).status, 404);
    }
    const gone = await alice.remove('a.md', { 'if-match': '*' });
    assert.deepEqual([gone.status, gone.body.server_note], [409, null]);
    assert.equal((await alice.remove('a.md')).status, 200);
  });

  test('POST /notes/batch-delete with base_hashes deletes all of the notes or none', async () => {
    const { alice } = await start();
    const [a, b, c] = [await alice.write('a.md'), await alice.write('b.md'), await alice.write('c.md')];
    const remove = (base_hashes: unknown) =>
      alice.caller.post(
        '/notes/batch-delete',
        { ids: [a.id, b.id], base_hashes },
        { 'x-idempotency-key': crypto.randomUUID() },
      );
    const before = await changeSeq(alice);
    const refused = await remove({ [a.id]: a.content_hash, [b.id]: a.content_hash });
    assert.deepEqual([refused.status, refused.body.error, refused.body.conflict], [409, 'version_conflict', true]);
    assert.deepEqual([refused.body.item_id, refused.body.server_note.content_hash], [b.id, b.content_hash]);
    for (const wrong of [[], 'x', { [c.id]: c.content_hash }, { x: a.content_hash }, { [a.id]: 1 }]) {
      const { status, body } = await remove(wrong);
      assert.deepEqual([status, Object.keys(body.errors)], [422, ['base_hashes']], JSON.stringify(wrong));
    }
    assert.equal(await changeSeq(alice), before);
    const done = await remove({ [a.id.toUpperCase()]: a.content_hash });
    assert.deepEqual([done.status, done.body], [200, { deleted: 2 }]);
    assert.deepEqual((await alice.read('c.md')).status, 200);
  });

  test('pages of other origins may send If-Match and If-None-Match', async () => {
    await using notes = await start();
    const answer = await fetch(`${notes.server.url}/api/attachments/a.png`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://notes.example',
        'access-control-request-method': 'PUT',
        'access-control-request-headers': 'if-match, if-none-match',
      },
    });
    const allowed = answer.headers.get('access-control-allow-headers') ?? '';
    assert.ok(
      ['if-match', 'if-none-match'].every((header) => allowed.toLowerCase().includes(header)),
      allowed,
    );
  });
});
