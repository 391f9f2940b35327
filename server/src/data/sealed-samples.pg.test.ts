import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VaultId } from '@notevault/protocol/values/ids.ts';
import { OAuthApp } from '../../test/kit/clients/oauth-app.ts';
import { uploadRaw } from '../../test/kit/content/files.ts';
import { createUpload, sendSlice } from '../../test/kit/content/slices.ts';
import { onEachEngine, rawOf } from '../../test/kit/engines.ts';
import { startServer, type TestServer } from '../../test/kit/server.ts';
import { MasterKeyring } from '../ports/keyring/master-key.ts';
import { openSamples } from './sealed-samples.ts';

const OPENED = [
  ...['vaults.meta', 'link_texts.texts', 'idempotent_responses.response', 'log_records.record'],
  ...['refresh_tokens.sealed', 'connections.name', 'device_authorizations.names', 'device_families.software'],
  ...['device_refresh_tokens.sealed', 'oauth_secrets.sealed', 'oauth_clients.payload', 'oauth_grants.details'],
  ...['oauth_tokens.payload', 'tickets.payload', 'uploads.meta', 'uploads.outcome'],
];

onEachEngine('one value of each table', (open) => {
  test('one value of each table is opened in a sound database, and its column named when it is damaged', async () => {
    await using server = await startServer({ open });
    await fill(server);
    const keyring = new MasterKeyring(server.masterKey, server.clock.random);
    const sound = await openSamples(server.db, keyring);
    assert.deepEqual(sound.damaged, []);
    const missing = OPENED.filter((column) => !sound.opened.includes(column));
    assert.deepEqual(missing, []);
    assert.deepEqual(await openSamples(server.db, keyring, true), sound);

    await using raw = await rawOf(server.db);
    for (const column of OPENED) {
      const [table = '', name = ''] = column.split('.');
      const [row] = await raw.all(`select ${name} as value from ${table} where ${name} is not null`);
      const value = row?.value;
      assert.ok(Buffer.isBuffer(value), column);
      await raw.run(`update ${table} set ${name} = $1 where ${name} is not null`, Buffer.alloc(value.length, 1));
      const { damaged } = await openSamples(server.db, keyring);
      assert.ok(damaged.includes(column), column);
    }
  });

  test('one value of each table is told apart when search made it from the notes, because it is made again', async () => {
    await using server = await startServer({ open });
    const { body } = await server.alice.post('/vaults', { name: 'Home' });
    assert.equal((await server.alice.post('/notes', { path: 'a.md', content: 'roses', mtime: 1 })).status, 200);
    const vault = await server.app.vaults.openAsSystem(body.vault.id as VaultId);
    assert.ok(vault !== null);
    await server.app.search.rebuild(vault, () => undefined);
    await using raw = await rawOf(server.db);
    assert.ok((await raw.run('update search_segments set data = $1', Buffer.alloc(64))) > 0);
    const keyring = new MasterKeyring(server.masterKey, server.clock.random);
    const { damaged, rebuilt } = await openSamples(server.db, keyring);
    assert.deepEqual({ damaged, rebuilt }, { damaged: [], rebuilt: ['search_segments.data'] });
    const found = await server.alice.post('/search', { query: 'roses', mode: 'keyword' });
    assert.equal(found.body.results.length, 1);
  });
});

/** Writes rows to as many tables as a few requests can reach. */
async function fill({ alice, anyone, ...server }: TestServer): Promise<void> {
  assert.equal((await alice.post('/vaults', { name: 'Home' })).status, 201);
  for (const content of ['first', 'second [[b]]', 'third [[b]]']) {
    assert.equal((await alice.post('/notes', { path: 'folder/a.md', content, mtime: 1 })).status, 200);
  }
  assert.equal((await uploadRaw(alice, 'a.txt', Buffer.from('bytes'))).status, 200);
  const ticket = { operation: 'attachment.get', path: 'a.txt' };
  assert.equal((await alice.post('/tickets', ticket)).status, 200);
  const upload = await createUpload(alice, 'sent.txt', 5);
  assert.equal((await sendSlice(alice, upload, 0, Buffer.from('bytes'))).status, 204);
  const keyed = { 'x-idempotency-key': 'a-key' };
  assert.ok((await alice.post('/folders', { folder: 'made' }, keyed)).status < 300);
  assert.equal((await alice.post('/logs', { logs: [{ level: 'info', message: 'a line' }] })).status, 200);
  const link = async () => (await anyone.post('/auth/device', { client_id: 'x', device_name: 'phone' })).body;
  const { user_code, device_code } = await link();
  assert.equal((await alice.post('/auth/device/authorize', { user_code, vault_id: 'new' })).status, 200);
  assert.equal((await anyone.post('/auth/device/token', { device_code })).status, 200);
  await link();
  const app = await OAuthApp.register({ alice, anyone, ...server });
  await app.connect();
}
