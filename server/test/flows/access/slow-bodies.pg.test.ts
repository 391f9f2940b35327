/** Operations that were let in before a right was taken away, and whose bodies end after it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SlowCall, watchDecisions } from '../../kit/clients/slow-call.ts';
import { onEachEngine } from '../../kit/engines.ts';
import { NEEDS } from '../../kit/operation-variants.ts';
import { type Known, knownOperations, makeWorld, type World } from '../../kit/operations.ts';
import type { Caller, Person } from '../../kit/person.ts';
import { oneServer, type TestServer } from '../../kit/server.ts';
import { until } from '../../kit/until.ts';
import { joinAs } from './standings.ts';

type Refusal = readonly [status: number, error: string];

interface Scene {
  readonly server: TestServer;
  readonly owner: Person;
  readonly member: Person;
  readonly world: World;
}

interface Removal {
  /** Makes the token with which the operations begin. */
  readonly token: (scene: Scene) => Promise<string>;
  readonly take: (scene: Scene) => Promise<{ readonly status: number }>;
  readonly refusal: Refusal;
  /** Which operations the token may call before, and not after. */
  readonly concerns: (operation: Known) => boolean;
}

const needOf = ({ rule }: Known) => rule.vault ?? rule.named;
const ofVault = ({ rule }: Known) => rule.vault !== undefined && rule.who === 'credential';
const writes = (operation: Known) =>
  ofVault(operation) && needOf(operation) === 'write' && operation.rule.role !== 'owner';
const idOf = async (person: Person) => (await person.signed()).id;
const memberUrl = async ({ world, member }: Scene) => `/vaults/${world.vault}/members/${await idOf(member)}`;
const newSession = async ({ server }: Scene, { email, password }: Person) =>
  (await server.anyone.post('/auth/login', { email, password })).body.access_token as string;
const suspend = async ({ server }: Scene, person: Person) =>
  server.alice.patch(`/admin/users/${await idOf(person)}`, { suspended: true });

const removals: Readonly<Record<string, Removal>> = {
  'the password is changed': {
    token: (scene) => newSession(scene, scene.owner),
    take: ({ owner }) =>
      owner.post('/auth/password/change', { old_password: owner.password, new_password: 'another long password' }),
    refusal: [401, 'unauthorized'],
    concerns: ({ rule }) => rule.who !== 'anyone' && rule.who !== 'admin',
  },
  'all other sessions are ended': {
    token: (scene) => newSession(scene, scene.server.alice),
    take: ({ server }) => server.alice.delete('/me/sessions'),
    refusal: [401, 'unauthorized'],
    concerns: (operation) =>
      operation.rule.who === 'admin' || (operation.rule.who === 'session' && needOf(operation) === undefined),
  },
  'a token is revoked': {
    token: async ({ owner, world }) =>
      (await owner.post('/api-keys', { name: 'k', vault_access: { [world.vault]: 'write' } })).body.key,
    take: async ({ owner }) => {
      const { id } = (await owner.get('/api-keys')).body.keys.find(({ name }: { name: string }) => name === 'k');
      return owner.delete(`/api-keys/${id}`);
    },
    refusal: [401, 'unauthorized'],
    concerns: ofVault,
  },
  'the account is suspended': {
    token: ({ owner }) => owner.signed().then(({ accessToken }) => accessToken),
    take: (scene) => suspend(scene, scene.owner),
    refusal: [403, 'suspended'],
    concerns: ({ rule }) => rule.who !== 'anyone' && rule.who !== 'admin',
  },
  'the account is deleted': {
    token: ({ member }) => member.signed().then(({ accessToken }) => accessToken),
    take: ({ member }) => member.delete('/me', { password: member.password }),
    refusal: [401, 'unauthorized'],
    concerns: (operation) => writes(operation) || (operation.rule.who === 'session' && needOf(operation) === undefined),
  },
  'the member is removed': {
    token: ({ member }) => member.signed().then(({ accessToken }) => accessToken),
    take: async (scene) => scene.owner.delete(await memberUrl(scene)),
    refusal: [404, 'Vault not found'],
    concerns: (operation) => ofVault(operation) && operation.rule.role !== 'owner',
  },
  'the role is lowered': {
    token: ({ member }) => member.signed().then(({ accessToken }) => accessToken),
    take: async (scene) => scene.owner.patch(await memberUrl(scene), { role: 'viewer' }),
    refusal: [403, 'insufficient_access'],
    concerns: writes,
  },
  'the owner is suspended': {
    token: ({ member }) => member.signed().then(({ accessToken }) => accessToken),
    take: (scene) => suspend(scene, scene.owner),
    refusal: [403, 'owner_suspended'],
    concerns: writes,
  },
  'the vault is deleted': {
    token: ({ owner }) => owner.signed().then(({ accessToken }) => accessToken),
    take: ({ owner, world }) => owner.delete(`/vaults/${world.vault}`),
    refusal: [404, 'Vault not found'],
    concerns: ofVault,
  },
};

/** Returns the parts of a world that a refused call must not change. */
async function stateOf(caller: Caller, { vault }: World): Promise<unknown> {
  const asked = ['/sync/changes', '/trash', '/folders', '/connections', '/me/sessions', '/me/preferences'];
  return Promise.all(asked.map(async (url) => (await caller.get(url, { 'x-vault-id': vault })).body));
}

function begin(server: TestServer, { method, request }: Known, world: World, token: string): SlowCall {
  const { url, body, headers } = request(world);
  return new SlowCall(server, method, url, body, { authorization: `Bearer ${token}`, ...headers });
}

onEachEngine('an operation whose body ends after a right was taken away', (open) => {
  const started = oneServer(() => ({ open, config: { authRateLimit: 100_000 } }));
  // The first alice is the admin.
  let first: ReturnType<typeof started> | undefined;
  const start = () => {
    first ??= started();
    return first;
  };
  async function makeScene(word: string): Promise<Scene> {
    const server = await start();
    const [owner, member] = [server.person(`${word}-owner`), server.person(`${word}-member`)];
    const world = await makeWorld(owner, word, NEEDS);
    await joinAs(member, 'editor', { owner, vault: world.vault });
    return { server, owner, member, world };
  }

  for (const [at, [name, { token, take, refusal, concerns }]] of Object.entries(removals).entries()) {
    test(`is refused when ${name}`, async () => {
      const scene = await makeScene(`slow${at}`);
      const { server, owner, world } = scene;
      // There is no upload of which a slice could be sent: uploads.pg.test.ts has one.
      const operations = (await knownOperations(server.anyone)).filter(
        (operation) =>
          concerns(operation) && operation.request(world).body !== undefined && operation.name !== 'appendToUpload',
      );
      assert.ok(operations.length > 5, `${operations.length} operations`);
      const bearer = await token(scene);
      using decisions = watchDecisions(server);
      const calls = operations.map((operation) => begin(server, operation, world, bearer));
      await decisions.decided(calls.length, operations.filter(({ rule }) => rule.vault !== undefined).length);
      const taken = await take(scene);
      assert.ok(taken.status < 300, `${taken.status}`);
      const before = await stateOf(owner, world);
      for (const [index, call] of calls.entries()) {
        const { status, body } = await call.end();
        const answered = [status, (body as { error?: string } | null)?.error];
        assert.deepEqual(answered, refusal, `${operations[index]?.name} → ${JSON.stringify(body)}`);
      }
      assert.deepEqual(await stateOf(owner, world), before, 'a refused call changed something');
    });
  }

  test('is carried out when only its access token expired, and when the right that was taken away is another', async () => {
    const { server, owner, member, world } = await makeScene('slow-kept');
    const { accessToken } = await member.signed();
    const session = await newSession({ server } as Scene, member);
    using decisions = watchDecisions(server);
    const headers = { authorization: `Bearer ${accessToken}`, 'x-vault-id': world.vault };
    const call = new SlowCall(server, 'POST', '/notes', { path: 'kept.md', content: 'kept', mtime: 1 }, headers);
    await decisions.decided(1, 1);
    assert.equal((await server.bearer(session).post('/auth/logout')).status, 204);
    server.clock.advance({ minutes: 20 });
    assert.equal((await call.end()).status, 200);
    assert.equal((await owner.get('/me')).status, 401, 'an access token expires');
  });

  test('by a ticket is refused, and writes nothing', async () => {
    const { server, owner, member, world } = await makeScene('slow-ticket');
    const headers = { 'x-vault-id': world.vault };
    const { url } = (await member.post('/tickets', { operation: 'attachment.put', path: 'by ticket.txt' }, headers))
      .body;
    using decisions = watchDecisions(server);
    const call = new SlowCall(server, 'PUT', new URL(url).pathname.slice('/api'.length), 'bytes', {});
    await decisions.decided(0, 1);
    assert.equal((await owner.delete(`/vaults/${world.vault}/members/${await idOf(member)}`)).status, 204);
    assert.deepEqual(await call.end(), { status: 404, body: { error: 'not_found' } });
    assert.equal((await owner.get('/attachments/by%20ticket.txt', headers)).status, 404);
  });

  test('is cut while it goes on', async () => {
    const { server, owner, member, world } = await makeScene('slow-stream');
    const { accessToken } = await member.signed();
    using decisions = watchDecisions(server);
    const call = new SlowCall(server, 'PUT', '/attachments/long.txt', Buffer.alloc(2), {
      authorization: `Bearer ${accessToken}`,
      'x-vault-id': world.vault,
      'content-length': '100000000',
    });
    await decisions.decided(1, 1);
    assert.equal((await owner.delete(`/vaults/${world.vault}/members/${await idOf(member)}`)).status, 204);
    await until(() => {
      call.write(Buffer.alloc(1000, 'a'));
      return call.isAnswered;
    });
    assert.equal((await call.answer()).status, 404);
  });
});
