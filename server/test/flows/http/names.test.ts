import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NotevaultClient } from '@notevault/client/notevault-client.ts';
import { fixedToken } from '@notevault/client/tokens.ts';
import { Transport } from '@notevault/client/transport.ts';
import { createAdapters } from '../../../src/domains/connecting/oauth/adapter.ts';
import { Keys } from '../../../src/domains/foundation/keys/keys.ts';
import { MasterKeyring } from '../../../src/ports/keyring/master-key.ts';
import { Browser } from '../../kit/clients/oauth.ts';
import { OAuthApp } from '../../kit/clients/oauth-app.ts';
import { onSqlite, rawOf } from '../../kit/engines.ts';
import { startServer, type TestServer } from '../../kit/server.ts';

const HIDDEN = ['Ho\u202eme', 'Ho\u200bme', 'Ho\u0007me', 'Home\u200d'];
const VISIBLE = '👩\u200d💻 می\u200cخواهم ❤\ufe0f';

/** Every request that takes a name which people are shown, with the field of the name. */
async function requestsOf({ alice, anyone }: TestServer) {
  const { id } = (await alice.post('/vaults', { name: 'Home' })).body.vault;
  const account = { email: 'carol@example.org', password: 'long enough' };
  const code = async () => (await anyone.post('/auth/device', {})).body.user_code as string;
  return [
    ['display_name', (name: string) => anyone.post('/auth/register', { ...account, display_name: name })],
    ['display_name', (name: string) => alice.patch('/me', { display_name: name })],
    ['name', (name: string) => alice.post('/vaults', { name })],
    ['name', (name: string) => alice.post('/vaults/register', { client_id: 'laptop', name })],
    ['name', (name: string) => alice.patch(`/vaults/${id}`, { name })],
    ['name', (name: string) => alice.post('/api-keys', { name })],
    ['name', (name: string) => alice.post('/connections/pat', { name })],
    ['device_name', (name: string) => anyone.post('/auth/device', { device_name: name })],
    ['vault_name', (name: string) => anyone.post('/auth/device', { vault_name: name })],
    [
      'vault_name',
      async (name: string) =>
        alice.post('/auth/device/authorize', { user_code: await code(), vault_id: 'new', vault_name: name }),
    ],
  ] as const;
}

onSqlite('names that people are shown', (open) => {
  test('names of people, vaults, keys and devices are refused with characters that nobody sees, by field', async () => {
    await using server = await startServer({ open, config: { registration: 'open' } });
    for (const [field, send] of await requestsOf(server)) {
      for (const name of HIDDEN) {
        const { status, body } = await send(name);
        const message = 'must not have control or invisible characters';
        assert.deepEqual([status, body], [422, { errors: { [field]: [message] } }], `${send} ${JSON.stringify(name)}`);
      }
      assert.ok((await send(VISIBLE)).status < 300, `${send}`);
    }
  });

  test('a name of an application with invisible characters is refused, and one stored before stays usable', async () => {
    await using server = await startServer({ open });
    for (const client_name of HIDDEN) {
      const body = { client_name, redirect_uris: ['https://app.example/callback'] };
      const answer = await fetch(`${server.url}/oauth/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      const said = (await answer.json()) as { error: string; error_description: string };
      assert.deepEqual([answer.status, said.error], [400, 'invalid_client_metadata']);
      assert.match(said.error_description, /client_name must not have/);
    }
    const app = await OAuthApp.register(server, { client_name: VISIBLE });
    const keyring = new MasterKeyring(server.masterKey, (bytes) => server.clock.random(bytes));
    const key = await new Keys(server.db, keyring).openServer();
    const none = () => assert.fail();
    const { db, clock } = server;
    const stored = createAdapters({
      db,
      clock,
      server: key,
      credentials: server.app.credentials,
      refuseUsedCode: none,
    });
    const clients = stored('Client');
    const payload = await clients.find(app.client.client_id);
    assert.equal(payload?.client_name, VISIBLE);
    await clients.destroy(app.client.client_id);
    await clients.upsert(app.client.client_id, { ...payload, client_name: 'Reading\u202e Room' }, 0);
    const browser = new Browser(server);
    const first = await browser.open((await app.ask()).url);
    assert.match((await browser.open(first.url)).text, /<h1>[^<]*Reading Room/);
  });

  test('names of computers and folders are sent by the client without characters that nobody sees', async () => {
    await using server = await startServer({ open });
    const client = new NotevaultClient(new Transport(server.url, fixedToken('')));
    const started = await client.startDeviceLink({ device_name: 'PC\u200f', vault_name: '\u200fNotes' });
    const shown = (await server.alice.get(`/vaults?user_code=${started.user_code}`)).body;
    assert.deepEqual([shown.suggested_device_name, shown.suggested_vault_name], ['PC', 'Notes']);
  });

  test('a stored name with invisible characters stays readable, and can be changed', async () => {
    await using server = await startServer({ open });
    const { user } = (await server.alice.get('/me')).body;
    const old = 'Al\u202eice';
    await using raw = await rawOf(server.db);
    await raw.run('update users set display_name = $1 where id = $2', old, user.id);
    assert.equal((await server.alice.get('/me')).body.user.display_name, old);
    assert.equal((await server.alice.patch('/me', { locale: 'de' })).body.user.display_name, old);
    assert.equal((await server.alice.patch('/me', { display_name: 'Alice' })).body.user.display_name, 'Alice');
  });
});
