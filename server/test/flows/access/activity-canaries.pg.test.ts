import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Assistant } from '../../kit/clients/mcp.ts';
import { onEachEngine } from '../../kit/engines.ts';
import { oneServer } from '../../kit/server.ts';
import { startShared } from '../../kit/shared-vault.ts';

/** Words that occur only in paths and texts of the vault. */
const CANARY = /canary|kanarie/i;

onEachEngine('activity and those who may not see it', (open) => {
  const start = oneServer(() => ({ open }));

  test('no answer shows a word of the vault to viewers, former members and strangers', async () => {
    const shared = await startShared(await start());
    const { server, alice, bob, carol, dave, headers, vault } = shared;
    await alice.post('/notes', { path: 'canary.md', content: 'one kanarie', mtime: 1 }, headers);
    await alice.post('/notes', { path: 'canary.md', content: 'two kanaries', mtime: 1 }, headers);
    await alice.post('/notes/rename', { old_path: 'canary.md', new_path: 'canary 2.md' }, headers);
    const items = (await alice.get('/vault/activity', headers)).body.items.map(({ id }: { id: string }) => id);
    await shared.join(carol, 'viewer');
    const former = await shared.join(bob, 'editor');
    const reach = { name: 'reader', vault_access: { [vault]: 'write' } };
    const { key } = (await carol.post('/connections/pat', reach)).body;
    await alice.delete(`/vaults/${vault}/members/${former}`);
    const own = (await dave.post('/vaults', { name: 'Own' })).body.vault.id as string;
    for (const [caller, sent] of [
      [carol, headers],
      [server.bearer(key), headers],
      [bob, headers],
      [dave, headers],
      // The vault is one's own, the item is not.
      [dave, { 'x-vault-id': own }],
    ] as const) {
      const answers = [await caller.get('/vault/activity?diffs=true', sent)];
      for (const id of items) {
        answers.push(await caller.get(`/vault/activity/${id}`, sent));
        answers.push(await caller.post(`/vault/activity/${id}/undo`, { dry_run: true }, sent));
      }
      for (const { body } of answers) assert.doesNotMatch(JSON.stringify(body), CANARY);
      const refused = answers.filter(({ status }) => status === 403 || status === 404);
      assert.equal(refused.length, answers.length - (sent === headers ? 0 : 1));
    }
    await using assistant = await Assistant.connect(server, key);
    for (const [tool, input] of [
      ['recent_changes', {}],
      ['undo_change', { item: items[0], dry_run: true }],
    ] as const) {
      const { isError, text } = await assistant.call(tool, { vault, ...input }).catch((error: Error) => ({
        ...{ isError: true, text: error.message },
      }));
      assert.deepEqual([isError, CANARY.test(text)], [true, false], `${tool}: ${text}`);
    }
  });

  test('an item shows an editor only what the vault has, not what its author did in others', async () => {
    const shared = await startShared(await start());
    const { server, alice, bob, headers, vault } = shared;
    await shared.join(bob, 'editor');
    const other = { 'x-vault-id': (await alice.post('/vaults', { name: 'Private' })).body.vault.id as string };
    const { key } = (await alice.post('/api-keys', { name: 'canary key', default_access: 'write' })).body;
    const caller = server.bearer(key);
    for (const [path, where] of [
      ['open.md', headers],
      ['canary.md', other],
      ['open 2.md', headers],
    ] as const) {
      await caller.post('/notes', { path, content: path, mtime: 1 }, where);
    }
    const { body } = await bob.get('/vault/activity?diffs=true', { 'x-vault-id': vault });
    assert.equal(body.items[0].count, 2);
    // Names of other people's keys are not shown.
    assert.doesNotMatch(JSON.stringify(body), CANARY);
  });
});
