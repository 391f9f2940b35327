/**
 * Tests that refused callers learn nothing. The mistakes of other services, M1 to M14, are listed in docs/security.md.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Assistant } from '../../kit/clients/mcp.ts';
import { FlakySocket } from '../../kit/clients/provider-clients.ts';
import { onEachEngine } from '../../kit/engines.ts';
import { requestsOf } from '../../kit/operation-variants.ts';
import { knownOperations, type World } from '../../kit/operations.ts';
import { type Caller, Person } from '../../kit/person.ts';
import { oneServer } from '../../kit/server.ts';
import { startShared, tokenOf } from '../../kit/shared-vault.ts';
import { until } from '../../kit/until.ts';
import { makeEverybody, sharedWorld } from './standings.ts';

/** Answers to every read, and to every search, of somebody about a world. */
async function readAll(anyone: Caller, caller: Caller, world: World): Promise<Map<string, string>> {
  const told = new Map<string, string>();
  for (const operation of await knownOperations(anyone)) {
    const { rule, method, name } = operation;
    const reads =
      method === 'GET' || ['search', 'queryNotes', 'findKnownNotes', 'createTicket', 'recordOpenedNote'].includes(name);
    if (!reads || rule.who === 'anyone' || rule.who === 'admin') continue;
    for (const [at, form] of requestsOf(operation).entries()) {
      const { url, body, headers } = form({ ...world, fresh: 'x' });
      const answer = await caller.call(method, url, body, headers ?? {});
      // What was sent may be repeated.
      const text = answer.bytes.toString().replaceAll(decodeURIComponent(url), '');
      told.set(`${name} ${at}`, text);
    }
  }
  const headers = { 'x-vault-id': world.vault };
  for (const url of ['/sync/changes', '/sync/changes?fields=all&limit=500']) {
    told.set(url, (await caller.get(url, headers)).bytes.toString());
  }
  return told;
}

const whoTell = (told: ReadonlyMap<string, string>, secrets: readonly string[]) =>
  [...told].flatMap(([name, text]) => secrets.filter((each) => text.includes(each)).map((each) => `${name}: ${each}`));

onEachEngine('what somebody learns who may not', (open) => {
  const start = oneServer(() => ({ open, config: { authRateLimit: 100_000 } }));

  test('[S5] former members and strangers learn no title, text, id, address or name of a vault by any read', async () => {
    await using server = await start();
    const everybody = await makeEverybody(server, 'leaks');
    const { world } = await sharedWorld(server, everybody, 'tiger', ['cursor', 'trash', 'devices', 'people']);
    await everybody.owner.patch('/me', { display_name: 'Zoe' });
    const secrets = ['words of tiger', 'bytes of tiger', 'kind-tiger', 'tag-tiger', 'Vault tiger', 'Zoe'];
    secrets.push(everybody.owner.email, everybody.people.editor.email, world.trashed, world.folder);
    for (const [name, person] of Object.entries(everybody.people)) {
      if (name !== 'removed' && name !== 'stranger') continue;
      assert.deepEqual(whoTell(await readAll(server.anyone, person, world), secrets), [], name);
      const own = (await person.get('/vaults')).body.vaults as { name: string }[];
      assert.deepEqual(
        own.map((vault) => vault.name),
        ['Own'],
        name,
      );
    }
  });

  test('[S5] a viewer learns nothing of the trash, of older texts, of addresses and of keys by any read', async () => {
    await using server = await start();
    const everybody = await makeEverybody(server, 'viewing');
    const { world } = await sharedWorld(server, everybody, 'tiger', ['cursor', 'trash', 'devices', 'people']);
    const secrets = ['Old tiger', 'old words of tiger', 'first words of tiger', 'Key tiger', world.invitation];
    secrets.push(everybody.owner.email, everybody.people.editor.email);
    assert.deepEqual(whoTell(await readAll(server.anyone, everybody.people.viewer, world), secrets), []);
  });

  test('[M8] an invitation for an address answers alike with and without an account, and reveals none', async () => {
    const { alice, bob, server, vault, path, dave, join } = await startShared(await start());
    await join(bob, 'editor');
    await dave.get('/me');
    const invite = async (email: string) => {
      const { status, body } = await alice.post(`/vaults/${vault}/invitations`, { role: 'viewer', email });
      const { id: _, email: __, ...shown } = body.invitation;
      return JSON.stringify([status, shown, Object.keys(body)]);
    };
    assert.equal(await invite(server.person('dave').email), await invite('nobody@example.org'));
    const { members } = (await bob.get(path)).body as { members: { email?: string }[] };
    assert.deepEqual(
      members.flatMap(({ email }) => email ?? []),
      [server.bob.email],
      'a member sees their own only',
    );
  });

  test('[M2] viewers, former members and strangers get nothing of what is in the trash, and restore nothing of it', async () => {
    await using server = await start();
    const everybody = await makeEverybody(server, 'trash');
    const { world } = await sharedWorld(server, everybody, 'tiger', ['trash']);
    const { owner, people } = everybody;
    const headers = { 'x-vault-id': world.vault };
    const note = `/notes/by-id/${world.trashed}`;
    for (const [standing, person] of Object.entries(people)) {
      const answers = [
        await person.get('/trash', headers),
        await person.post(`/trash/${world.trashed}/restore`, { path: 'mine.md' }, headers),
        await person.post(`/trash/${world.trashed}/restore`, { path: 'mine.md' }),
        await person.delete(`/trash/${world.trashed}`, undefined, headers),
        await person.get(`${note}/versions`, headers),
        await person.get(`${note}/versions/1`, headers),
        await person.post(`${note}/restore`, { version: 1 }, headers),
        await person.get(note, headers),
      ];
      if (standing === 'editor') {
        assert.match(answers[0]?.bytes.toString() ?? '', /Old tiger/);
        await owner.delete(`/notes/by-id/${world.trashed}`, undefined, headers);
        continue;
      }
      for (const { status, bytes } of answers) {
        assert.ok(status === 403 || status === 404, `${standing}: ${status}`);
        assert.doesNotMatch(bytes.toString(), /Old tiger|old words/, standing);
      }
    }
    const { items } = (await owner.get('/trash', headers)).body;
    assert.deepEqual(
      items.map(({ path }: { path: string }) => path.replace('mine', 'Old tiger')),
      ['Old tiger.md'],
    );
  });

  test('[M9] what anybody may ask about an invitation names no address, also of a person without a name', async () => {
    const { server, alice, bob, invite } = await startShared(await start());
    const { id, token } = await invite({ role: 'editor', email: server.bob.email });
    const about = async () => (await server.anyone.get(`/invitations/${token}`)).body;
    const { expires_at } = await about();
    const said = { vault_name: 'Shared', invited_by: null, role: 'editor', expires_at, registers: true };
    assert.deepEqual(await about(), said);
    await alice.patch('/me', { display_name: 'Alice' });
    assert.deepEqual(await about(), { ...said, invited_by: 'Alice' });
    const accepted = (await bob.post(`/invitations/${token}/accept`)).bytes.toString();
    assert.doesNotMatch(accepted, /@/, id);
  });

  test('[M10] what the owner of a vault gave away ends with their account, and with the vault', async () => {
    await using shared = await startShared({ open });
    const { server, alice, bob, carol, dave } = shared;
    const own = (await bob.post('/vaults', { name: 'Bob’s' })).body.vault.id as string;
    const of = { 'x-vault-id': own };
    const { url } = (await bob.post(`/vaults/${own}/invitations`, { role: 'viewer', uses: 5 })).body;
    const token = tokenOf(url);
    assert.equal((await carol.post(`/invitations/${token}/accept`)).status, 200);
    const ticketOf = async (caller: Caller) =>
      new URL((await caller.post('/tickets', { operation: 'vault.export' }, of)).body.url).pathname;
    const [bobs, carols] = [await ticketOf(bob), await ticketOf(carol)];
    const offered = async () => [
      (await server.anyone.get(`/invitations/${token}`)).status,
      (await dave.post(`/invitations/${token}/accept`)).status,
    ];
    const id = await shared.idOf(bob);
    const suspend = async (suspended: boolean) =>
      assert.equal((await alice.patch(`/admin/users/${id}`, { suspended })).status, 200);
    await suspend(true);
    assert.deepEqual([await offered(), (await fetch(server.url + bobs)).status], [[404, 404], 404]);
    assert.deepEqual((await dave.get('/vaults')).body.vaults, []);
    assert.equal((await carol.get('/sync/manifest', of)).status, 200, 'members go on reading');
    await suspend(false);
    assert.equal((await bob.delete(`/vaults/${own}`)).status, 200);
    assert.deepEqual([await offered(), (await fetch(server.url + carols)).status], [[404, 404], 404]);
  });

  test('what a suspended member has open of a shared vault ends with their account, and others go on', async () => {
    await using shared = await startShared({ open });
    const { server, alice, bob, carol, headers, note } = shared;
    const bobs = await shared.join(bob, 'editor');
    await shared.join(carol, 'editor');
    const ticket = new URL((await bob.post('/tickets', { operation: 'vault.export' }, headers)).body.url).pathname;
    using line = new FlakySocket(server.url);
    using his = await line.open(note, (await server.bob.signed()).accessToken).synced();
    using others = new FlakySocket(server.url);
    using hers = await others.open(
      note,
      (await new Person(server.url, 'erin', () => server.alice.signed()).signed()).accessToken,
    );
    assert.equal((await alice.patch(`/admin/users/${bobs}`, { suspended: true })).status, 200);
    await until(() => his.received.closed.length > 0, 'the end of his editor');
    assert.equal((await fetch(server.url + ticket)).status, 404);
    assert.equal((await bob.get('/sync/manifest', headers)).status, 403);
    assert.equal((await carol.get('/sync/manifest', headers)).status, 200);
    assert.deepEqual(hers.received.scopes, [], 'and a stranger was never let in');
  });

  test('[M14] a person’s page, keys and assistants see the same vaults, shared and read-only ones too', async () => {
    const { server, bob, vault, join } = await startShared(await start());
    await join(bob, 'viewer');
    const own = (await bob.post('/vaults', { name: 'Own' })).body.vault.id as string;
    const named = { [vault]: 'read', [own]: 'read' };
    const { key } = (await bob.post('/connections/pat', { name: 'reads', vault_access: named, scope: 'mcp:read' }))
      .body;
    const idsOf = (vaults: { id: string }[]) => vaults.map(({ id }) => id).sort();
    const page = idsOf((await bob.get('/vaults')).body.vaults);
    assert.deepEqual(idsOf((await server.bearer(key).get('/vaults')).body.vaults), page);
    await using assistant = await Assistant.connect(server, key);
    assert.deepEqual(idsOf((await assistant.call('list_vaults')).data.vaults), page);
    const read = await assistant.call('get_notes', { vault, paths: ['a.md'] });
    assert.deepEqual([read.isError, read.text.includes('one')], [false, true]);
  });
});
