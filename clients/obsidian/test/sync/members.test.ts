import assert from 'node:assert/strict';
import { it } from 'node:test';
import { VaultGone } from '@notevault/sync/engine/ports.ts';
import { onSqlite } from '../../../../server/test/kit/engines.ts';
import { startServer } from '../../../../server/test/kit/server.ts';
import { tokenOf } from '../../../../server/test/kit/shared-vault.ts';
import { PluginDevice, vaultOf } from './plugin-device.ts';

onSqlite('the plugin’s sync in a vault of somebody else', (open) => {
  /** Returns a vault of alice with notes, and the phone of bob, who is a member. */
  async function sharedWith(role: 'viewer' | 'editor') {
    const server = await startServer({ open });
    const { alice, bob } = server;
    const vault = await vaultOf(server, role);
    for (const path of ['a.md', 'b.md', 'c.md']) await vault.write(path, `${path}\n`);
    const { url } = (await alice.post(`/vaults/${vault.vaultId}/invitations`, { role })).body;
    assert.equal((await bob.post(`/invitations/${tokenOf(url)}/accept`)).status, 200);
    // It reaches vaults of his own too, so that it is not revoked with this one.
    const reach = { name: 'phone', default_access: 'write', vault_access: { [vault.vaultId]: 'write' } };
    const { key } = (await bob.post('/connections/pat', reach)).body;
    const phone = new PluginDevice({ ...vault, key }, { platform: 'ios' });
    await phone.sync();
    const { user } = (await bob.get('/me')).body;
    const remove = () => alice.delete(`/vaults/${vault.vaultId}/members/${user.id}`);
    return { vault, phone, remove, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
  }

  const sent = ({ requests }: PluginDevice) => requests.filter((request) => !request.startsWith('GET'));

  it('[S8] a viewer’s edits, renames and deletions are undone in one round, with a copy of the edit', async () => {
    await using at = await sharedWith('viewer');
    const { phone, vault } = at;
    await phone.write('a.md', 'a.md\nedited\n');
    await phone.app.vault.rename(phone.file('b.md'), 'renamed.md');
    await phone.app.vault.delete(phone.file('c.md'));
    const { kind, isReadOnly, unsynced } = await phone.sync();
    assert.deepEqual([kind, isReadOnly, sent(phone)], ['in step', true, []]);
    const named = phone.paths.map((path) => path.replace(/\(conflict [^)]*\)/, '(conflict)'));
    assert.deepEqual(named, ['a (conflict).md', 'a.md', 'b.md', 'c.md']);
    for (const path of ['a.md', 'b.md', 'c.md']) assert.equal(phone.text(path), `${path}\n`);
    const kept = phone.paths.find((path) => path.includes('conflict')) ?? '';
    assert.equal(phone.text(kept), 'a.md\nedited\n');
    assert.deepEqual(
      unsynced.map(({ path }) => path),
      [kept],
    );
    await vault.write('b.md', 'b.md\nmore\n');
    const later = await phone.sync();
    assert.deepEqual([later.kind, later.done, later.unsynced.length, sent(phone)], ['in step', 1, 1, []]);
    assert.deepEqual(await vault.paths(), ['a.md', 'b.md', 'c.md']);
  });

  it('[S10] the vault in the app of a removed member stays as it is, and nothing of it is sent', async () => {
    await using at = await sharedWith('editor');
    const { phone, vault, remove } = at;
    await phone.write('a.md', 'a.md\noffline\n');
    await phone.write('mine.md', 'mine\n');
    assert.equal((await remove()).status, 204);
    for (let round = 0; round < 2; round++) {
      await assert.rejects(phone.sync(), { name: VaultGone.name });
      assert.deepEqual(sent(phone), []);
      phone.restart();
    }
    assert.deepEqual(phone.paths, ['a.md', 'b.md', 'c.md', 'mine.md']);
    assert.deepEqual([phone.text('a.md'), phone.text('mine.md')], ['a.md\noffline\n', 'mine\n']);
    assert.deepEqual(await vault.paths(), ['a.md', 'b.md', 'c.md']);
  });
});
