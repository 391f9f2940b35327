import assert from 'node:assert/strict';
import { it } from 'node:test';
import { linkDevice } from '@notevault/client/device-link.ts';
import { NotevaultClient } from '@notevault/client/notevault-client.ts';
import { deviceTokens, fixedToken, noToken } from '@notevault/client/tokens.ts';
import { Transport } from '@notevault/client/transport.ts';
import type { SyncChange } from '@notevault/protocol/sync.ts';
import { onEachEngine } from '../../kit/engines.ts';
import { startServer } from '../../kit/server.ts';

onEachEngine('the client package against a server', (open) => {
  it('the client package writes, reads, lists, follows and deletes', async () => {
    await using server = await startServer({ open });
    const key = (await server.alice.post('/api-keys', { name: 'client' })).body.key as string;
    const client = new NotevaultClient(new Transport(server.url, fixedToken(key), { deviceId: 'desk' }));
    const { id } = await client.createVault('Notes');
    assert.deepEqual(
      (await client.vaults()).map((vault) => vault.id),
      [id],
    );
    const vault = client.vault(id);
    const note = await vault.upsertNote({ path: 'a b/ü.md', content: '# One\n', mtime: 1 });
    assert.equal((await vault.readNote('a b/ü.md'))?.id, note.id);
    assert.equal(await vault.readNote('none.md'), null);
    const [made] = await vault.upsertNotes([{ path: 'b.md', content: '[[ü]]\n', mtime: 1 }]);
    assert.equal(made?.status, 'ok');
    assert.equal((await vault.backlinksOf(note.id)).length, 1);
    const bytes = new TextEncoder().encode('\x89PNG\r\n\x1a\n');
    const file = await vault.putAttachment('a b/p.png', { bytes: () => bytes, mtime: 2 });
    const read = await vault.readAttachment('a b/p.png');
    assert.equal(read?.hash, file.content_hash);
    assert.deepEqual(new Uint8Array(await new Response(read?.bytes).arrayBuffer()), bytes);
    assert.equal(await vault.readAttachment('none.png'), null);
    assert.deepEqual(
      (await vault.search({ query: 'one' })).results.map(({ path }) => path),
      ['a b/ü.md'],
    );
    await vault.renameFolder('a b', 'c');
    await vault.deleteAttachment('c/p.png');
    server.clock.advance({ ms: 1 });
    await vault.deleteNote(note.id);
    const { items, next_cursor: more } = await vault.trash();
    assert.deepEqual(
      items.map(({ type, path, actor }) => [type, path, actor.name]),
      [
        ['note', 'c/ü.md', 'client'],
        ['attachment', 'c/p.png', 'client'],
      ],
    );
    assert.equal(more, null);
    assert.equal((await vault.restoreFromTrash(note.id, 'd.md')).note?.content, '# One\n');
    await vault.deleteNote(note.id);
    await vault.restoreFromTrash(file.id);
    await vault.deleteAttachment('c/p.png');
    await vault.deleteFromTrash(file.id);
    assert.deepEqual(
      (await vault.trash()).items.map(({ path }) => path),
      ['d.md'],
    );
    const changes = new Map<string, SyncChange>();
    const end = new AbortController();
    for await (const page of vault.follow(null, { signal: end.signal, wait: async () => end.abort() }))
      for (const change of page) changes.set(change.path, change);
    assert.deepEqual(
      [...changes.values()].map(({ path, deleted }) => [path, deleted]),
      [
        ['b.md', false],
        ['d.md', true],
        ['c/p.png', true],
      ],
    );
  });

  it('links a device, which saves its rotated tokens and continues with them', async () => {
    await using server = await startServer({ open });
    const anyone = new NotevaultClient(new Transport(server.url, noToken));
    const { id } = (await server.alice.post('/vaults', { name: 'Notes' })).body.vault;
    let code = '';
    let waits = 0;
    const grant = await linkDevice(
      anyone,
      { device_name: 'desk' },
      ({ user_code }) => {
        code = user_code;
      },
      async (ms) => {
        server.clock.advance({ ms });
        waits += 1;
        if (waits < 2) return;
        assert.equal((await server.alice.get(`/vaults?user_code=${code}`)).status, 200);
        await server.alice.post('/auth/device/authorize', { user_code: code, vault_id: id });
      },
    );
    assert.deepEqual([grant.vault_id, waits], [id, 2]);
    const saved: string[] = [];
    const tokens = deviceTokens(
      grant,
      (refresh) => anyone.refreshDevice(refresh),
      async ({ refresh_token }) => void saved.push(refresh_token),
    );
    const vault = new NotevaultClient(new Transport(server.url, tokens)).vault(id);
    await vault.upsertNote({ path: 'a.md', content: 'a', mtime: 1 });
    server.clock.advance({ minutes: 16 });
    assert.equal((await vault.readNote('a.md'))?.content, 'a');
    assert.equal(saved.length, 1);
    assert.notEqual(saved[0], grant.refresh_token);
  });
});
