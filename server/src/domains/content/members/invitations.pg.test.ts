import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FlakySocket } from '../../../../test/kit/clients/provider-clients.ts';
import { countedDatabase } from '../../../../test/kit/database/counted-database.ts';
import { onEachEngine } from '../../../../test/kit/engines.ts';
import type { Answer } from '../../../../test/kit/person.ts';
import { startServer, type TestServer } from '../../../../test/kit/server.ts';
import { startShared, tokenOf } from '../../../../test/kit/shared-vault.ts';
import { until } from '../../../../test/kit/until.ts';
import { Secret } from '../../../config/values.ts';

const refusalOf = ({ status, body }: Answer) => [status, body?.error];

/** A server that only lets invited people register, with a vault of alice, its admin. */
async function startInviteOnly(open: Parameters<typeof startServer>[0]['open']) {
  const server = await startServer({ open, config: { registration: 'invite_only' } });
  const vault = (await server.alice.post('/vaults', { name: 'Shared' })).body.vault.id as string;
  const path = `/vaults/${vault}`;
  const invite = async (body: object) => tokenOf((await server.alice.post(`${path}/invitations`, body)).body.url);
  const register = (name: string, token: string): Promise<Answer> =>
    server.anyone.post('/auth/register', { email: `${name}@example.org`, password: 'long enough', invite: token });
  return { server, vault, path, invite, register, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

async function vaultsOf(server: TestServer, registered: Answer) {
  return (await server.bearer(registered.body.access_token).get('/vaults')).body.vaults as {
    id: string;
    role: string;
  }[];
}

onEachEngine('invitations to a vault', (open) => {
  test('[S7] dead invitations of every kind are refused with the same bytes after the same statements', async () => {
    const counted = countedDatabase(await open());
    await using shared = await startShared({ open: async () => counted, config: { authRateLimit: 1000 } });
    const { server, alice, bob, dave, vault } = shared;
    await dave.get('/me');
    const used = await shared.invite({ role: 'viewer' });
    await bob.post(`/invitations/${used.token}/accept`);
    const withdrawn = await shared.invite({ role: 'viewer' });
    await alice.delete(`/vaults/${vault}/invitations/${withdrawn.id}`);
    const expired = await shared.invite({ role: 'viewer', expires_in: 60 });
    const gone = (await bob.post('/vaults', { name: 'Gone' })).body.vault.id;
    const ofGone = tokenOf((await bob.post(`/vaults/${gone}/invitations`, { role: 'viewer' })).body.url);
    await bob.delete(`/vaults/${gone}`);
    const suspended = (await shared.carol.post('/vaults', { name: 'Hers' })).body.vault.id;
    const ofSuspended = tokenOf(
      (await shared.carol.post(`/vaults/${suspended}/invitations`, { role: 'viewer' })).body.url,
    );
    await alice.patch(`/admin/users/${await shared.idOf(shared.carol)}`, { suspended: true });
    server.clock.advance({ minutes: 1 });
    const seen = new Set<string>();
    for (const token of [used.token, withdrawn.token, expired.token, ofGone, ofSuspended, 'nv_vin_none', 'x']) {
      for (const ask of [
        () => server.anyone.get(`/invitations/${token}`),
        () => dave.post(`/invitations/${token}/accept`),
      ]) {
        const statements: number[] = [];
        const answers = new Set<string>();
        // A request that waits on a busy machine compares its rights once more: the fewest of three count.
        for (let at = 0; at < 3; at++) {
          counted.reset();
          const { status, bytes, headers } = await ask();
          statements.push(counted.counts.statements);
          const kept = [...headers].filter(([name]) => !/^(date|x-request-id|x-ratelimit)/.test(name));
          answers.add(JSON.stringify([status, bytes.toString(), kept, ask.toString().includes('accept')]));
        }
        for (const answer of answers) seen.add(`${answer} ${Math.min(...statements)}`);
      }
    }
    assert.equal(seen.size, 2, [...seen].join('\n'));
  });

  test('an invitation made at the moment of a removal lets the person rejoin, and an earlier one does not', async () => {
    await using shared = await startShared({ open });
    const { alice, bob, path } = shared;
    const accept = ({ token }: { token: string }) => bob.post(`/invitations/${token}/accept`);
    for (let round = 0; round < 3; round++) {
      const bobs = await shared.join(bob, 'editor');
      const before = await shared.invite({ role: 'editor', uses: 2 });
      assert.equal((await alice.delete(`${path}/${bobs}`)).status, 204);
      assert.deepEqual(refusalOf(await accept(before)), [404, 'invitation_invalid']);
      // No time passes on the clock of this test.
      const after = await shared.invite({ role: 'viewer' });
      assert.equal((await accept(after)).body.vault.role, 'viewer');
      assert.deepEqual(refusalOf(await accept(before)), [404, 'invitation_invalid'], 'nor a higher role');
      assert.equal((await bob.delete(`${path}/${bobs}`)).status, 204);
    }
  });

  test('an admin’s invitation to a vault registers invited people on a closed server, as often as it says', async () => {
    await using at = await startInviteOnly(open);
    const { server, vault, invite, register } = at;
    const token = await invite({ role: 'editor', uses: 2 });
    assert.equal((await server.anyone.get(`/invitations/${token}`)).body.registers, true);
    const answers = await Promise.all(['bob', 'carol', 'dave', 'erin'].map((name) => register(name, token)));
    const made = answers.filter(({ status }) => status === 201);
    assert.equal(made.length, 2);
    for (const answer of made) {
      const listed = await vaultsOf(server, answer);
      assert.deepEqual(
        listed.map(({ id, role }) => [id, role]),
        [[vault, 'editor']],
      );
      const again = await server.bearer(answer.body.access_token).post(`/invitations/${token}/accept`);
      assert.deepEqual([again.status, again.body.vault.id], [200, vault], 'what the page does next changes nothing');
    }
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      assert.deepEqual(refusalOf(answer), [403, 'invite_invalid']);
    }
    const named = await invite({ role: 'viewer', email: 'frank@example.org' });
    assert.deepEqual(refusalOf(await register('grace', named)), [403, 'invite_invalid']);
    assert.equal((await register('frank', named)).status, 201);
    const { users } = (await server.alice.get('/admin/users')).body;
    assert.equal(users.length, 4, 'a refused registration makes no account');
  });

  test('an invitation by a non-admin, or a dead one, registers nobody; none does where registration is off', async () => {
    await using at = await startInviteOnly(open);
    const { server, vault, path, invite, register } = at;
    const bobs = (await register('bob', await invite({ role: 'editor' }))).body;
    const bob = server.bearer(bobs.access_token);
    const own = (await bob.post('/vaults', { name: 'Own' })).body.vault.id;
    const byBob = tokenOf((await bob.post(`/vaults/${own}/invitations`, { role: 'viewer' })).body.url);
    assert.equal((await server.anyone.get(`/invitations/${byBob}`)).body.registers, false);
    const withdrawn = (await server.alice.post(`${path}/invitations`, { role: 'viewer' })).body;
    await server.alice.delete(`${path}/invitations/${withdrawn.invitation.id}`);
    for (const token of [byBob, tokenOf(withdrawn.url), 'nv_vin_none', 'nv_inv_none']) {
      assert.deepEqual(refusalOf(await register('carol', token)), [403, 'invite_invalid'], token);
    }
    const { db, clock, masterKey } = server;
    await using closed = await startServer({
      open: async () => db,
      clock,
      masterKey,
      config: { registration: 'closed' },
    });
    const alive = await invite({ role: 'viewer' });
    assert.equal((await closed.anyone.get(`/invitations/${alive}`)).body.registers, false);
    const body = { email: 'carol@example.org', password: 'long enough', invite: alive };
    assert.deepEqual(refusalOf(await closed.anyone.post('/auth/register', body)), [403, 'registration_closed']);
    assert.equal((await server.alice.get(`/vaults/${vault}`)).body.vault.members, 1);
  });
});

onEachEngine('a change of the people of a vault', (open) => {
  test('changes of the people of a vault are logged by ids and counted, without names, addresses and tokens', async () => {
    const lines: string[] = [];
    const config = { metricsToken: new Secret('a-token') };
    await using shared = await startShared({ open, config, log: (line) => lines.push(line) });
    const { server, alice, bob, carol, vault, path } = shared;
    await bob.patch('/me', { display_name: 'Bobby' });
    const bobs = await shared.join(bob, 'viewer');
    await alice.patch(`${path}/${bobs}`, { role: 'editor' });
    const carols = await shared.join(carol, 'viewer');
    await alice.delete(`${path}/${carols}`);
    await alice.patch(`${path}/${bobs}`, { role: 'owner' });
    const handOver = { email: server.alice.email };
    assert.equal((await alice.post(`/admin/vaults/${vault}/hand-over`, handOver)).status, 204);
    await bob.delete(`${path}/${bobs}`);
    const changes = lines.map((line) => JSON.parse(line)).filter(({ component }) => component === 'members');
    const alices = await shared.idOf(alice);
    assert.deepEqual(
      changes.map(({ event, vault: of, user }) => [event, of, user]),
      [
        ...[
          ['invited', vault, alices],
          ['joined', vault, bobs],
          ['role_changed', vault, bobs],
        ],
        ...[
          ['invited', vault, alices],
          ['joined', vault, carols],
          ['removed', vault, carols],
        ],
        ...[
          ['handed_over', vault, bobs],
          ['handed_over', vault, alices],
          ['left', vault, bobs],
        ],
      ],
    );
    assert.doesNotMatch(lines.join(''), /Bobby|Shared|@example|nv_vin_/);
    const { body } = await server.bearer('a-token').get('/../metrics');
    assert.match(body, /notevault_people_changes_total\{change="handed_over"\} 2/);
    assert.match(body, /notevault_people_changes_total\{change="invitation_withdrawn"\} 0/);
  });

  test('clients of a vault are told when its people change, in every process', async () => {
    await using shared = await startShared({ open });
    const { server, alice, bob, vault, path } = shared;
    const bobs = await shared.join(bob, 'viewer');
    using line = new FlakySocket(server.url);
    using watch = await line.open(`vault:${vault}`, (await server.bob.signed()).accessToken).synced();
    const before = watch.received.stateless.length;
    await alice.patch(`${path}/${bobs}`, { role: 'owner' });
    await until(() => watch.received.stateless.length > before, 'a signal');
    assert.equal(JSON.parse(watch.received.stateless.at(-1) ?? '').type, 'changed');
  });
});
