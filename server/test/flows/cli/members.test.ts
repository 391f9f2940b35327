import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Caller } from '../../kit/person.ts';
import { cli, Folder, startServe } from '../../kit/programs/process.ts';
import { registerAt } from '../../kit/setup-tokens.ts';
import { tokenOf } from '../../kit/shared-vault.ts';

test('members of a vault are invited, listed, removed and made owner by commands beside a running server', async () => {
  using folder = new Folder();
  const env = { NOTEVAULT_DATA_DIR: folder.at('data'), NOTEVAULT_REGISTRATION: 'open', NOTEVAULT_LOG_LEVEL: 'error' };
  await using server = await startServe({ env });
  const join = async (name: string) => {
    const account = { email: `${name}@example.org`, password: 'a long enough password' };
    const { body } = await registerAt(server.url, account);
    return new Caller(server.url, async () => ({ authorization: `Bearer ${body.access_token}` }));
  };
  const [alice, bob] = [await join('alice'), await join('bob')];
  const { vault } = (await alice.post('/vaults', { name: 'Work' })).body;
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await cli(args, { env });
    assert.equal(code, 0, stderr);
    return stdout;
  };
  const members = (...args: string[]) => run('members', ...args, '--user', 'alice@example.org');
  const invite = async () => tokenOf((await members('invite', 'editor', '--email', 'bob@example.org')).trim());
  const token = await invite();
  assert.match(await members('list'), /^owner +alice@example\.org.*\neditor +invited: bob@example\.org, until .*\n$/);
  assert.equal((await bob.post(`/invitations/${token}/accept`)).status, 200);
  assert.match(await members('list'), /\neditor +bob@example\.org {2}No name {2}since .*\n$/);
  const byBob = await cli(['members', 'remove', 'alice@example.org', '--user', 'bob@example.org'], { env });
  assert.deepEqual([byBob.code, byBob.stderr], [1, 'notevault: Only the owner of the vault may do this.\n']);
  assert.equal(await members('remove', 'Bob@Example.org'), 'Bob@Example.org is no longer a member of the vault.\n');
  assert.equal((await bob.get(`/vaults/${vault.id}`)).status, 404);
  await bob.post(`/invitations/${await invite()}/accept`);
  assert.equal(await run('admin', 'hand-over', vault.id, 'bob@example.org'), 'bob@example.org now owns the vault.\n');
  assert.equal((await bob.get(`/vaults/${vault.id}`)).body.vault.role, 'owner');
  const { code, stderr } = await cli(['admin', 'hand-over', vault.id, 'nobody@example.org'], { env });
  assert.deepEqual([code, stderr], [1, 'notevault: No account has this e-mail.\n']);
});
