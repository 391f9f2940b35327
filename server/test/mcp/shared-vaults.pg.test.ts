/** Assistants in the vault of somebody else: they see whose it is, and what the role of their person lets them do. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Assistant } from '../kit/clients/mcp.ts';
import { onEachEngine } from '../kit/engines.ts';
import { startShared } from '../kit/shared-vault.ts';

onEachEngine('assistants in a shared vault', (open) => {
  test('see whose it is, and the tools that the role of their person allows at the time', async () => {
    await using shared = await startShared({ open });
    const { alice, bob, vault, path, server } = shared;
    await alice.patch('/me', { display_name: 'Alice' });
    const id = await shared.join(bob, 'editor');
    const made = await bob.post('/connections/pat', { name: 'robot', vault_access: { [vault]: 'write' } });
    await using assistant = await Assistant.connect(server, made.body.key);
    const listed = await assistant.call('list_vaults');
    assert.match(listed.text, /Shared {2}\(1 note, writable, shared by Alice, to edit\)/);
    assert.deepEqual(listed.data.vaults, [
      { id: vault, name: 'Shared', access: 'write', notes: 1, shared_by: 'Alice' },
    ]);
    const all = await assistant.tools();
    assert.ok(['create_note', 'recent_changes', 'undo_change'].every((name) => all.includes(name)));
    assert.equal((await assistant.call('create_note', { path: 'b.md', content: 'two' })).isError, false);

    await alice.patch(`${path}/${id}`, { role: 'viewer' });
    assert.match((await assistant.call('list_vaults')).text, /\(2 notes, read only, shared by Alice, to read\)/);
    // A client keeps the list of tools for a minute.
    await using later = await Assistant.connect(server, made.body.key);
    const tools = await later.tools();
    const shown = ['get_notes', 'create_note', 'recent_changes', 'get_history'].map((name) => tools.includes(name));
    assert.deepEqual(shown, [true, false, false, false]);
    const refused = await assistant.call('create_note', { path: 'c.md', content: 'three' });
    assert.deepEqual([refused.isError, /can read this vault, but/.test(refused.text)], [true, true], refused.text);
    const { notes } = (await assistant.call('get_notes', { paths: ['b.md'] })).data as { notes: { path: string }[] };
    assert.deepEqual(
      notes.map((note) => note.path),
      ['b.md'],
    );

    await alice.delete(`${path}/${id}`);
    await assert.rejects(
      assistant.call('get_notes', { paths: ['b.md'] }),
      'a credential that reaches nothing is revoked',
    );
  });

  test('reach it only where their credential names it, and write beside it in one of their own', async () => {
    await using shared = await startShared({ open });
    const { bob, vault, server } = shared;
    await shared.join(bob, 'viewer');
    const own = (await bob.post('/vaults', { name: 'Own' })).body.vault.id as string;
    const everywhere = (await bob.post('/connections/pat', { name: 'own' })).body.key;
    await using alone = await Assistant.connect(server, everywhere);
    assert.doesNotMatch((await alone.call('list_vaults')).text, /Shared/);
    assert.match((await alone.call('get_notes', { vault, paths: ['a.md'] })).text, /There is no such vault/);
    const both = { name: 'both', vault_access: { [vault]: 'write', [own]: 'write' } };
    await using assistant = await Assistant.connect(server, (await bob.post('/connections/pat', both)).body.key);
    assert.ok((await assistant.tools()).includes('create_note'), 'some vault may be written');
    assert.equal((await assistant.call('create_note', { vault: 'Own', path: 'b.md', content: 'b' })).isError, false);
    const refused = await assistant.call('create_note', { vault: 'Shared', path: 'b.md', content: 'b' });
    assert.deepEqual([refused.isError, /can read this vault, but/.test(refused.text)], [true, true], refused.text);
  });
});
