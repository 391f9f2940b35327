import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VaultId } from '@notevault/protocol/values/ids.ts';
import { fileOf, fileUrl, readRaw, sha256, uploadJson, uploadRaw } from '../kit/content/files.ts';
import { assertConsistent } from '../kit/database/assert-consistent.ts';
import { onEachEngine, rawOf } from '../kit/engines.ts';
import type { Caller } from '../kit/person.ts';
import { startServer, type TestServer } from '../kit/server.ts';

/** Two servers over one database and one blob store, like two processes. */
async function startPair(open: Parameters<typeof startServer>[0]['open']) {
  const opened = new AsyncDisposableStack();
  const server = opened.use(await startServer({ open }));
  const { db, blobs, clock, masterKey } = server;
  const twin = opened.use(await startServer({ open: async () => db, blobs, clock, masterKey }));
  const { vault } = (await server.alice.post('/vaults', { name: 'Files' })).body;
  // A key, because a session would expire when the clock advances.
  const { key } = (await server.alice.post('/api-keys', { name: 'pair', default_access: 'write' })).body;
  const pair: readonly [Caller, Caller] = [server.bearer(key), twin.bearer(key)];
  const closing = { [Symbol.asyncDispose]: () => opened.disposeAsync() };
  return { server, twin, vault: vault.id as VaultId, pair, alice: pair[0], ...closing };
}

/** Checks that all rows are consistent, and that every stored blob has the bytes of its hash. */
async function assertWhole({ server, alice }: { server: TestServer; alice: Caller }): Promise<void> {
  await assertConsistent(server);
  for (const { path, content_hash: hash } of (await alice.get('/attachments')).body.attachments) {
    const { status, bytes } = await readRaw(alice, path);
    assert.deepEqual([status, sha256(bytes)], [200, hash], path);
  }
}

/** Deletes the attachment at a path, and everything in the trash. */
async function deleteForGood(alice: Caller, path: string): Promise<void> {
  await alice.delete(fileUrl(path));
  for (const { id } of (await alice.get('/trash')).body.items) await alice.delete(`/trash/${id}`);
}

onEachEngine('attachments on two servers at once', (open) => {
  test('make one attachment of many concurrent uploads to one path, with the bytes of one of them', async () => {
    await using both = await startPair(open);
    const files = Array.from({ length: 24 }, () => fileOf('png', 3000));
    const answers = await Promise.all(
      files.map((bytes, at) => {
        const upload = at % 3 === 0 ? uploadJson : uploadRaw;
        return upload(both.pair[at % 2 === 0 ? 0 : 1], at % 4 === 0 ? 'A.png' : 'a.png', bytes);
      }),
    );
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    assert.equal(new Set(answers.map(({ body }) => body.attachment.id)).size, 1);
    const seqs = answers.map(({ body }) => body.attachment.seq).sort((a, b) => a - b);
    assert.deepEqual(
      seqs,
      files.map((_, at) => at + 1),
    );
    const last = answers.find(({ body }) => body.attachment.seq === files.length)?.body.attachment;
    const [listed] = (await both.alice.get('/attachments')).body.attachments;
    assert.deepEqual([listed.content_hash, listed.seq], [last.content_hash, last.seq]);
    await assertWhole(both);
  });

  test('stay consistent under uploads, deletions and renames of the same few files', async () => {
    await using both = await startPair(open);
    const shared = Array.from({ length: 3 }, () => fileOf('png', 2000));
    const paths = ['a.png', 'b.png', 'f/c.png'];
    const notes = paths.map((path, at) => ({ path: `n${at}.md`, mtime: 1, content: `![[${path}]] ![](${path})` }));
    for (const note of notes) await both.server.alice.post('/notes', note);
    const acts = Array.from({ length: 90 }, (_, at) => {
      const caller = both.pair[at % 2 === 0 ? 0 : 1];
      const [path = '', other = ''] = [paths[at % 3], paths[(at + 1 + (at % 2)) % 3]];
      if (at % 5 === 0) return caller.delete(fileUrl(path));
      if (at % 5 === 1) return caller.post('/attachments/rename', { old_path: path, new_path: other });
      if (at % 15 === 2) return caller.delete('/folders/f?recursive=true');
      return uploadRaw(caller, path, shared[at % 4] ?? fileOf('png', 2000));
    });
    for (const { status, body } of await Promise.all(acts)) {
      assert.ok([200, 204, 404, 409].includes(status), `${status} ${JSON.stringify(body)}`);
    }
    await assertWhole(both);
  });

  test('lose no bytes in use to a sweep that runs beside uploads of released bytes', async () => {
    await using both = await startPair(open);
    const { server, twin, alice } = both;
    const bytes = fileOf('png', 5000);
    for (let round = 0; round < 12; round++) {
      await uploadRaw(alice, 'a.png', bytes);
      // Releases the blob now; a moment later it is old enough for the sweep.
      await deleteForGood(alice, 'a.png');
      server.clock.advance({ minutes: 11 });
      const [, answer] = await Promise.all([
        server.app.attachments.collect(),
        uploadRaw(both.pair[1], 'b.png', bytes),
        twin.app.attachments.collect(),
        uploadJson(both.pair[0], 'c.png', bytes),
      ]);
      assert.equal(answer.status, 200);
      for (const path of ['b.png', 'c.png']) assert.ok((await readRaw(alice, path)).bytes.equals(bytes), path);
      for (const path of ['b.png', 'c.png']) await deleteForGood(alice, path);
    }
    await assertWhole(both);
  });

  test('leave nothing of uploads that a purge or the sweep interrupts', async () => {
    await using both = await startPair(open);
    const { server, vault, pair } = both;
    const uploads = Array.from({ length: 12 }, (_, at) =>
      uploadRaw(pair[at % 2 === 0 ? 0 : 1], `${at}.png`, fileOf('png', 200_000), { 'x-vault-id': vault }),
    );
    await Promise.race(uploads);
    await server.alice.delete(`/vaults/${vault}`);
    const purged = await server.alice.post(`/vaults/${vault}/purge`, {});
    assert.equal(purged.status, 200);
    for (const { status } of await Promise.all(uploads)) assert.ok([200, 404, 500].includes(status), `${status}`);
    await server.app.vaults.purgeDue(server.clock.now());
    server.clock.advance({ days: 40 });
    await server.app.attachments.collect();
    await server.app.attachments.collectOrphans();
    await using raw = await rawOf(server.db);
    assert.deepEqual(await raw.all('select state from attachment_blobs'), []);
    assert.deepEqual((await Array.fromAsync(server.blobs.list())).flat(), []);
  });

  test('lose released bytes to the sweep after a while, and bytes without a row much later', async () => {
    await using both = await startPair(open);
    const { server, vault, alice } = both;
    const stored = async () => (await Array.fromAsync(server.blobs.list())).flat().length;
    await uploadRaw(alice, 'a.png', fileOf('png'));
    await uploadRaw(alice, 'a.png', fileOf('png'));
    await uploadRaw(alice, 'b.png', fileOf('png'));
    await deleteForGood(alice, 'b.png');
    assert.deepEqual([await stored(), await server.app.attachments.collect()], [3, 0]);
    server.clock.advance({ minutes: 11 });
    assert.deepEqual([await server.app.attachments.collect(), await stored()], [2, 1]);
    const key = { vaultId: vault, blobId: server.clock.uuid() as never };
    await server.blobs.put(key, (async function* () {})());
    assert.equal(await server.app.attachments.collectOrphans(), 0);
    server.clock.advance({ days: 31 });
    assert.deepEqual([await server.app.attachments.collectOrphans(), await stored()], [1, 1]);
    await assertWhole(both);
  });
});
