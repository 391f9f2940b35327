import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fileOf, fileUrl, heads, readRaw, sha256, uploadJson, uploadRaw } from '../../../../test/kit/content/files.ts';
import { onSqlite } from '../../../../test/kit/engines.ts';
import { notesOnOneServer } from '../../../../test/kit/notes.ts';

for (const blobs of ['disk', 'database'] as const)
  onSqlite(`attachments over HTTP, blobs: ${blobs}`, (open) => {
    const start = notesOnOneServer(open, { blobs });

    describe('upload', () => {
      it('an upload as base64 answers the meta of the file, with a media type by its extension', async () => {
        const { caller } = (await start()).alice;
        const bytes = fileOf('png', 100_000);
        const { status, body } = await uploadJson(caller, 'img/a b.png', bytes, {
          mime_type: 'text/html',
          mtime: 12.5,
        });
        assert.equal(status, 200);
        const { id, seq, created_at, updated_at, ...rest } = body.attachment;
        assert.deepEqual(rest, {
          path: 'img/a b.png',
          mime_type: 'image/png',
          mtime: 12.5,
          size_bytes: 100_000,
          content_hash: sha256(bytes),
        });
        assert.ok(seq > 0 && id.length === 36 && created_at === updated_at);
        assert.ok((await readRaw(caller, 'img/a b.png')).bytes.equals(bytes));
      });

      it('an upload as raw bytes answers the same, with mtime from X-Mtime or now', async () => {
        const { alice, server } = await start();
        const bytes = fileOf('jpg');
        const sent = await uploadRaw(alice.caller, 'photo.jpg', bytes, { 'x-mtime': '1700000000.25' });
        assert.equal(sent.status, 200);
        assert.equal(sent.body.attachment.mtime, 1700000000.25);
        assert.equal(sent.body.attachment.content_hash, sha256(bytes));
        const now = await uploadRaw(alice.caller, 'other.jpg', fileOf('jpg'));
        assert.equal(now.body.attachment.mtime, server.clock.now() / 1000);
        const bad = await uploadRaw(alice.caller, 'x.jpg', bytes, { 'x-mtime': 'yesterday' });
        assert.equal(bad.status, 422);
      });

      it('an upload accepts any or no content type for raw bytes, and an empty file', async () => {
        const { caller } = (await start()).alice;
        const json = Buffer.from('{"a":');
        assert.equal((await uploadRaw(caller, 'd.json', json, { 'content-type': 'application/json' })).status, 200);
        assert.ok((await readRaw(caller, 'd.json')).bytes.equals(json));
        assert.equal((await uploadRaw(caller, 'e.txt', Buffer.alloc(0))).body.attachment.size_bytes, 0);
        assert.equal((await readRaw(caller, 'e.txt')).bytes.length, 0);
        assert.equal((await uploadJson(caller, 'f.txt', Buffer.alloc(0))).body.attachment.size_bytes, 0);
        assert.equal((await caller.get(fileUrl('f.txt'))).body.content_base64, '');
      });

      it('an upload accepts its fields in any order and with any escapes, and ignores unknown ones', async () => {
        const { caller } = (await start()).alice;
        const bytes = fileOf('gif', 50_000);
        const base64 = bytes.toString('base64');
        const escaped = base64.replaceAll('/', '\\/').replace('A', '\\u0041');
        const bodies = [
          `{"content_base64":"${base64}","path":"o/1.gif"}`,
          `{ "more": {"content_base64": "x", "path": [1, "}"]}, "content\\u005fbase64" : "${escaped}", "path":"o/2.gif" } `,
          `{"path":"o/3.gif","mtime":null,"mime_type":null,"content_base64":"${base64}","deep":[[{"content_base64":1}]]}`,
        ];
        for (const [index, text] of bodies.entries()) {
          const { status, body } = await caller.call('POST', '/attachments', text, {
            'content-type': 'application/json',
          });
          assert.equal(status, 200, JSON.stringify(body));
          assert.equal(body.attachment.path, `o/${index + 1}.gif`);
          assert.equal(body.attachment.content_hash, sha256(bytes));
        }
      });

      it('an upload to the same path replaces and keeps the id; equal bytes change nothing', async () => {
        const { caller } = (await start()).alice;
        const first = (await uploadJson(caller, 'a.png', fileOf('png'))).body.attachment;
        const bytes = fileOf('png', 300);
        const second = (await uploadRaw(caller, 'A.PNG', bytes, { 'x-mtime': '5' })).body;
        assert.equal(second.attachment.id, first.id);
        assert.equal(second.attachment.path, 'a.png', 'the stored spelling stays');
        assert.equal(second.server_path, 'a.png');
        assert.ok(second.attachment.seq > first.seq);
        const same = (await uploadJson(caller, 'a.png', bytes, { mtime: 9 })).body.attachment;
        assert.deepEqual(same, second.attachment);
        assert.ok((await readRaw(caller, 'a.png')).bytes.equals(bytes));
      });

      it('an upload says what is wrong with a request', async () => {
        const { caller } = (await start()).alice;
        const json = { 'content-type': 'application/json' };
        const png = fileOf('png').toString('base64');
        const cases: [body: unknown, status: number, error: unknown][] = [
          [{ path: 'a.png' }, 422, 'content_base64 is required'],
          [{ path: 'a.png', content_base64: 7 }, 422, 'content_base64 is required'],
          [{ path: 'a.png', content_base64: null }, 422, 'content_base64 is required'],
          [{ path: 'a.png', content_base64: 'not base64!' }, 400, 'invalid base64 content'],
          [{ path: 'a.png', content_base64: `${png.slice(0, 40)}\n${png.slice(40)}` }, 400, 'invalid base64 content'],
          [{ path: 'a.png', content_base64: 'QQ' }, 400, 'invalid base64 content'],
          [{ path: 'a.png', content_base64: 'QQ==QQ==' }, 400, 'invalid base64 content'],
          [{ path: 'a.png', content_base64: 'QQ-_' }, 400, 'invalid base64 content'],
          ['{"path":"a.png","content_base64":"QQ==', 400, 'invalid_json'],
          ['{"path":"a.png","content_base64":"QQ=="', 400, 'invalid_json'],
          ['{"path":"a.png" "content_base64":"QQ=="}', 400, 'invalid_json'],
          ['{"content_base64":"QQ==","content_base64":"QQ==","path":"a.png"}', 400, 'invalid_json'],
          [{ content_base64: png }, 422, { path: ['is required'] }],
          [{ content_base64: png, path: 1 }, 422, { path: ['must be string'] }],
          [{ path: '../a.png', content_base64: png }, 422, { path: ['must not contain ".." segments'] }],
          [{ path: 'a.png', content_base64: png, mtime: 'x' }, 422, { mtime: ['must be number'] }],
          ['[]', 422, 'content_base64 is required'],
        ];
        for (const [body, status, error] of cases) {
          const answer = await caller.call('POST', '/attachments', body, json);
          assert.equal(answer.status, status, JSON.stringify([body, answer.body]).slice(0, 300));
          assert.deepEqual(answer.body.error ?? answer.body.errors, error);
        }
        const typed = await caller.call('POST', '/attachments', '{}', { 'content-type': 'text/plain' });
        assert.equal(typed.status, 415);
        assert.equal((await caller.call('PUT', '/attachments/a%2F..%2Fb.png', heads.png, {})).status, 422);
        assert.deepEqual((await caller.get('/attachments')).body.attachments, [], 'nothing was kept');
      });

      it('an upload refuses other extensions, programs of any name, and bytes of another kind', async () => {
        const { caller } = (await start()).alice;
        const png = fileOf('png');
        for (const [path, extension] of [
          ['a.exe', 'exe'],
          ['a.html', 'html'],
          ['a.md', 'md'],
          ['a', null],
          ['.png', null],
          ['png.', null],
        ]) {
          const { status, body } = await uploadJson(caller, path ?? '', png);
          assert.equal(status, 415);
          assert.deepEqual(body, { error: 'extension_not_allowed', mime_type: null, extension });
        }
        const polyglot = Buffer.concat([fileOf('gif'), heads.zip, Buffer.from('504b0506', 'hex'), Buffer.alloc(18)]);
        const refused: [path: string, bytes: Buffer, type: string][] = [
          ['a.png', fileOf('exe'), 'application/x-msdownload'],
          ['a.txt', fileOf('elf'), 'application/x-elf'],
          ['a.txt', Buffer.from('#!/bin/sh\nrm -rf /\n'), 'text/x-shellscript'],
          ['a.zip', fileOf('machO'), 'application/x-mach-binary'],
          ['a.png', fileOf('pdf'), 'application/pdf'],
          ['a.pdf', fileOf('png'), 'image/png'],
          ['a.docx', fileOf('jpg'), 'image/jpeg'],
          ['a.gif', polyglot, 'application/zip'],
          ['a.gif', Buffer.concat([heads.gif, Buffer.from('=1;/*<script>alert(1)</script>')]), 'text/html'],
          ['a.jpg', Buffer.concat([heads.jpg, Buffer.from('\n%PDF-1.4\n')]), 'application/pdf'],
        ];
        for (const [path, bytes, type] of refused) {
          for (const answer of [await uploadJson(caller, path, bytes), await uploadRaw(caller, path, bytes)]) {
            assert.equal(answer.status, 415, `${path} of ${type}: ${JSON.stringify(answer.body)}`);
            const extension = path.split('.')[1];
            assert.deepEqual(answer.body, { error: 'mime_not_allowed', mime_type: type, extension });
          }
        }
        const late = `{"content_base64":"${fileOf('exe', 9000).toString('base64')}","path":"a.png"}`;
        const answer = await caller.call('POST', '/attachments', late, { 'content-type': 'application/json' });
        assert.equal(answer.status, 415, 'also where the name comes last');
        for (const [path, bytes] of [
          ['a.docx', fileOf('zip')],
          ['a.jpeg', fileOf('jpg')],
          ['a.csv', Buffer.from('a,b\n')],
          ['b.png', Buffer.from('not recognised')],
          ['MZ.txt', Buffer.from('MZ is a bank\n')],
        ] as const) {
          assert.equal((await uploadRaw(caller, path, bytes)).status, 200, path);
        }
      });

      it('an upload shares the one namespace with notes and folders', async () => {
        const { alice } = await start();
        const { caller } = alice;
        await alice.write('x.png/note.md');
        const note = await alice.write('n.md');
        const folder = await uploadJson(caller, 'X.png', fileOf('png'));
        assert.equal(folder.status, 409);
        assert.deepEqual(folder.body, { error: 'conflict', server_path: 'x.png' });
        const below = await uploadJson(caller, 'N.md/a.png', fileOf('png'));
        assert.equal(below.status, 409);
        assert.equal(below.body.server_note.id, note.id);
        assert.equal((await uploadJson(caller, 'a/b.png', fileOf('png'))).status, 200);
        const inside = await alice.put('a/B.png/c.md');
        assert.deepEqual([inside.status, inside.body.server_path], [409, 'a/b.png']);
        const { folders } = (await caller.get('/folders')).body;
        assert.ok(folders.some((each: { name: string; count: number }) => each.name === 'a' && each.count === 0));
        await caller.delete(fileUrl('a/b.png'));
        const after = (await caller.get('/folders')).body.folders.map((each: { name: string }) => each.name);
        assert.ok(!after.includes('a'), 'a folder goes with the last file in it');
      });
    });

    describe('reading', () => {
      it('an attachment gives JSON with the bytes, or the bytes, by what is asked for', async () => {
        const { server, alice } = await start();
        const { caller, vault } = alice;
        const bytes = fileOf('png', 100_001);
        const sent = (await uploadRaw(caller, 'a/ü.png', bytes)).body.attachment;
        const url = fileUrl('a/ü.png');
        for (const accept of ['application/json', '*/*', 'text/html, */*;q=0.1', 'application/*']) {
          const answer = await caller.get(url, { accept });
          assert.match(answer.headers.get('vary') ?? '', /(^|, )Accept$/);
          assert.match(answer.headers.get('content-type') ?? '', /^application\/json/);
          const { content_base64, ...meta } = answer.body;
          assert.deepEqual(meta, sent);
          assert.equal(content_base64, bytes.toString('base64'));
        }
        for (const accept of ['image/*', 'image/png', 'application/json;q=0', 'text/html']) {
          const answer = await caller.get(url, { accept });
          assert.equal(answer.headers.get('content-type'), 'image/png');
          assert.ok(answer.bytes.equals(bytes));
        }
        const raw = await caller.get(`${url}?raw=1`, { accept: 'application/json' });
        assert.ok(raw.bytes.equals(bytes));
        assert.match(raw.headers.get('vary') ?? '', /(^|, )Accept$/);
        assert.equal(raw.headers.get('etag'), `"${sha256(bytes)}"`);
        assert.equal(raw.headers.get('content-length'), '100001');
        assert.equal(raw.headers.get('content-disposition'), `inline; filename="_.png"; filename*=UTF-8''%C3%BC.png`);
        assert.equal(raw.headers.get('x-content-type-options'), 'nosniff');
        assert.match(raw.headers.get('content-security-policy') ?? '', /(^|; )sandbox/);
        assert.equal((await caller.get(fileUrl('none.png'))).body.error, 'attachment not found');
        const head = await server.alice.call('HEAD', `${url}?raw=1`, undefined, { 'x-vault-id': vault });
        assert.deepEqual([head.status, head.headers.get('content-length'), head.bytes.length], [200, '100001', 0]);
      });

      it('an attachment displays inline only types in which a browser runs nothing', async () => {
        const { caller } = (await start()).alice;
        const kinds = { 'p.pdf': 'inline', 't.txt': 'inline', 's.svg': 'attachment', 'd.docx': 'attachment' };
        const files: Record<string, Buffer> = { 'p.pdf': fileOf('pdf'), 'd.docx': fileOf('zip') };
        for (const [name, kind] of Object.entries({ ...kinds, 'c.csv': 'attachment', 'j.json': 'attachment' })) {
          const bytes = files[name] ?? Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>');
          assert.equal((await uploadRaw(caller, name, bytes)).status, 200);
          const { headers } = await readRaw(caller, name);
          assert.ok(headers.get('content-disposition')?.startsWith(`${kind};`), name);
        }
        assert.equal((await readRaw(caller, 't.txt')).headers.get('content-type'), 'text/plain; charset=utf-8');
      });

      it('an attachment answers ranges, and says when a range cannot be satisfied', async () => {
        const { server, alice } = await start();
        const { caller, vault } = alice;
        const bytes = fileOf('png', 200_000);
        await uploadRaw(caller, 'r.png', bytes);
        const get = (range: string, more = {}) => readRaw(caller, 'r.png', { range, ...more });
        for (const [range, start, end] of [
          ['bytes=0-0', 0, 1],
          ['bytes=65530-65545', 65530, 65546],
          ['bytes=131072-', 131072, 200_000],
          ['bytes=-7', 199_993, 200_000],
          ['bytes=199999-300000', 199_999, 200_000],
          ['bytes=-999999', 0, 200_000],
        ] as const) {
          const answer = await get(range);
          assert.equal(answer.status, 206, range);
          assert.equal(answer.headers.get('content-range'), `bytes ${start}-${end - 1}/200000`);
          assert.ok(answer.bytes.equals(bytes.subarray(start, end)), range);
        }
        for (const range of ['bytes=0-1,5-6', 'bytes=5-2', 'chapters=1-2', 'bytes=-', 'bytes=a-b']) {
          assert.deepEqual([(await get(range)).status, (await get(range)).bytes.length], [200, 200_000], range);
        }
        for (const range of ['bytes=200000-', 'bytes=-0']) {
          const answer = await get(range);
          assert.equal(answer.status, 416);
          assert.equal(answer.headers.get('content-range'), 'bytes */200000');
        }
        for (const range of ['bytes=0-3', 'bytes=200000-']) {
          const head = await server.alice.call('HEAD', `${fileUrl('r.png')}?raw=1`, undefined, {
            range,
            'x-vault-id': vault,
          });
          assert.deepEqual([head.status, head.headers.get('content-length')], [200, '200000'], `HEAD ignores ${range}`);
          assert.equal(head.headers.get('content-range'), null);
        }
        const etag = `"${sha256(bytes)}"`;
        assert.equal((await get('bytes=0-3', { 'if-range': etag })).status, 206);
        assert.equal((await get('bytes=0-3', { 'if-range': '"other"' })).status, 200);
        const known = await readRaw(caller, 'r.png', { 'if-none-match': `"x", W/${etag}` });
        assert.deepEqual([known.status, known.bytes.length, known.headers.get('etag')], [304, 0, etag]);
        assert.equal((await readRaw(caller, 'r.png', { 'if-none-match': '"x"' })).status, 200);
      });

      it('GET /attachments lists all files by path, or those below a folder', async () => {
        const { caller } = (await start()).alice;
        for (const path of ['b/2.png', 'b/c/3.png', 'a.png', 'bb/4.png']) await uploadRaw(caller, path, fileOf('png'));
        const paths = async (query: string) =>
          (await caller.get(`/attachments${query}`)).body.attachments.map(({ path }: { path: string }) => path);
        assert.deepEqual(await paths(''), ['a.png', 'b/2.png', 'b/c/3.png', 'bb/4.png']);
        assert.deepEqual(await paths('?folder='), ['a.png', 'b/2.png', 'b/c/3.png', 'bb/4.png']);
        assert.deepEqual(await paths('?folder=B'), ['b/2.png', 'b/c/3.png']);
        assert.deepEqual(await paths('?folder=b/c/'), ['b/c/3.png']);
        assert.deepEqual(await paths('?folder=none'), []);
        assert.equal((await caller.get('/attachments?folder=../x')).status, 422);
      });
    });

    describe('deletion', () => {
      it('the deletion of attachments is idempotent; a file uploaded to the same path later is a new one', async () => {
        const { caller, vault } = (await start()).alice;
        const first = (await uploadRaw(caller, 'a.png', fileOf('png'))).body.attachment;
        const count = async () => (await caller.get(`/vaults/${vault}`)).body.vault.attachment_count;
        assert.equal(await count(), 1);
        for (const hash of [first.content_hash, null]) {
          const answer = await caller.delete(fileUrl('A.png'));
          const expected = { deleted: true, path: 'A.png', content_hash: hash };
          assert.deepEqual([answer.status, answer.body], [200, expected]);
        }
        assert.equal(await count(), 0);
        assert.equal((await readRaw(caller, 'a.png')).status, 404);
        const again = (await uploadRaw(caller, 'a.png', fileOf('png'))).body.attachment;
        assert.notEqual(again.id, first.id);
        assert.ok(again.seq > first.seq + 1);
      });

      it('the deletion of many files ignores missing ones, and happens once for an idempotency key', async () => {
        const { caller } = (await start()).alice;
        for (const name of ['1', '2', '3']) await uploadRaw(caller, `${name}.png`, fileOf('png'));
        const key = { 'x-idempotency-key': 'once' };
        const paths = ['1.png', 'none.png', '2.PNG', '1.png'];
        const first = await caller.post('/attachments/batch-delete', { paths }, key);
        assert.deepEqual([first.status, first.body], [200, { deleted: 2 }]);
        const again = await caller.post('/attachments/batch-delete', { paths }, key);
        assert.deepEqual([again.body, again.headers.get('idempotency-replayed')], [{ deleted: 2 }, 'true']);
        assert.deepEqual((await caller.post('/attachments/batch-delete', { paths })).body, { deleted: 0 });
        const left = (await caller.get('/attachments')).body.attachments;
        assert.deepEqual(
          left.map(({ path }: { path: string }) => path),
          ['3.png'],
        );
        for (const [body, status, error] of [
          [{}, 400, 'missing required param: paths'],
          [{ paths: [] }, 400, 'invalid_ids'],
          [{ paths: ['a.png', 1] }, 400, 'invalid_ids'],
          [{ paths: ['../a.png'] }, 400, 'invalid_ids'],
          [{ paths: Array.from({ length: 501 }, (_, at) => `${at}.png`) }, 422, 'batch_too_large'],
          [{ paths: Array(501).fill('3.png') }, 422, 'batch_too_large'],
        ] as const) {
          const answer = await caller.post('/attachments/batch-delete', body);
          assert.deepEqual([answer.status, answer.body.error], [status, error]);
        }
      });
    });

    it('POST /attachments repeats the answer of an upload with the same key, and refuses the key for others', async () => {
      const { caller } = (await start()).alice;
      const key = { 'x-idempotency-key': 'one-upload' };
      const bytes = fileOf('png', 100_000);
      const first = await uploadJson(caller, 'k.png', bytes, {}, key);
      await caller.delete(fileUrl('k.png'));
      const again = await uploadJson(caller, 'k.png', bytes, {}, key);
      assert.deepEqual(again.body, first.body);
      assert.equal(again.headers.get('idempotency-replayed'), 'true');
      assert.equal((await readRaw(caller, 'k.png')).status, 404, 'it was not done again');
      assert.equal((await uploadJson(caller, 'k.png', fileOf('png'), {}, key)).body.error, 'idempotency_key_reused');
      assert.equal((await uploadJson(caller, 'j.png', bytes, {}, key)).body.error, 'idempotency_key_reused');
    });

    it('a request for attachments finds no file of another vault', async () => {
      const { alice, bob } = await start();
      await uploadRaw(alice.caller, 'a.png', fileOf('png'));
      const other = await bob();
      assert.equal((await readRaw(other.caller, 'a.png')).status, 404);
      assert.equal((await readRaw(other.caller, 'a.png', { 'x-vault-id': alice.vault })).status, 404);
      assert.deepEqual((await other.caller.get('/attachments')).body.attachments, []);
    });
  });
