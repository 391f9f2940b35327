import assert from 'node:assert/strict';
import { test } from 'node:test';
import { builtinPlans } from '../../../src/domains/foundation/plans/plans.ts';
import { onEachEngine } from '../../kit/engines.ts';
import { checkedCallers } from '../../kit/openapi.ts';
import { startServer } from '../../kit/server.ts';

onEachEngine('GET /user/storage', (open) => {
  test("GET /user/storage reports the account's usage in active vaults, and its plan, to any credential", async () => {
    await using server = await startServer({ open });
    const checked = await checkedCallers(server);
    const [alice, bob] = [checked(server.alice), checked(server.bob)];
    const plan = builtinPlans.self_hosted;
    const expected = (fields: object) => ({
      used_bytes: 0,
      reserved_bytes: 0,
      file_count: 0,
      note_count: 0,
      vault_count: 0,
      caps: plan,
      tier: 'self_hosted',
      max_bytes: plan.attachment_bytes_cap,
      max_attachment_bytes: plan.max_file_bytes,
      ...fields,
    });
    const storage = async (who: typeof alice) => (await who.get('/user/storage')).body;
    assert.deepEqual(await storage(alice), expected({}));
    const makeVault = async (name: string) => {
      const { id } = (await alice.post('/vaults', { name })).body.vault;
      const headers = { 'x-vault-id': id };
      await alice.post('/notes', { path: 'A.md', mtime: 1, content: 'a' }, headers);
      await alice.post('/attachments', { path: 'a.txt', content_base64: btoa('12345'), mtime: 1 }, headers);
      await alice.post('/attachments', { path: 'b.txt', content_base64: btoa('12345'), mtime: 1 }, headers);
      return id;
    };
    const [one] = [await makeVault('One'), await makeVault('Two')];
    const both = expected({ used_bytes: 20, file_count: 4, note_count: 2, vault_count: 2 });
    assert.deepEqual(await storage(alice), both);
    const { key } = (await alice.post('/api-keys', { name: 'K', vault_access: { [one]: 'read' } })).body;
    assert.deepEqual(await storage(checked(server.bearer(key))), both);
    await alice.delete(`/vaults/${one}`);
    assert.deepEqual(await storage(alice), expected({ used_bytes: 10, file_count: 2, note_count: 1, vault_count: 1 }));
    assert.deepEqual(await storage(bob), expected({}));
    await server.app.accounts.setPlan(server.bob.email, 'free');
    const free = builtinPlans.free;
    const limits = { max_bytes: 0, max_attachment_bytes: 0, caps: free, tier: 'free' };
    assert.deepEqual(await storage(bob), expected(limits));
  });
});
