import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Role, Rule } from '@notevault/protocol/operations.ts';
import { onSqlite } from '../../kit/engines.ts';
import { type Known, knownOperations, linkDevice, makeWorld, type World } from '../../kit/operations.ts';
import { type Answer, type Caller, Person } from '../../kit/person.ts';
import { startServer, type TestServer } from '../../kit/server.ts';
import { tokenOf } from '../../kit/shared-vault.ts';

/*
 * Calls every operation that concerns a vault as everybody who has the vault beside its owner, or had it, or never did,
 * with every kind of credential. What must be answered follows from the table of operations, so a new operation is
 * called without a change here. access.ts does the same for the owner.
 */

type Standing = Exclude<Role, 'owner'> | 'removed' | 'stranger';
type Level = 'none' | 'read' | 'write';
type Refusal = readonly [status: number, error: string];

interface Credential {
  readonly name: string;
  readonly isSession: boolean;
  /** The level on the vault, before that of the role. */
  readonly level: Level;
  readonly make: (server: TestServer, person: Person, world: World) => Promise<Caller>;
}

function key(name: string, level: Level, body: (vault: string) => object): Credential {
  return {
    name,
    isSession: false,
    level,
    make: async (server, person, { vault }) => {
      const made = await person.post('/connections/pat', { name, ...body(vault) });
      assert.equal(made.status, 201, JSON.stringify(made.body));
      return server.bearer(made.body.key);
    },
  };
}

const SESSION: Credential = { name: 'a session', isSession: true, level: 'write', make: async (_, person) => person };
const UNNAMED = key('a key without limits, which names no vault', 'none', () => ({}));
const credentials: readonly Credential[] = [
  SESSION,
  UNNAMED,
  key('a key to write here', 'write', (vault) => ({ vault_access: { [vault]: 'write' } })),
  key('a key to read here', 'read', (vault) => ({ default_access: 'write', vault_access: { [vault]: 'read' } })),
  key('a key to write here with a scope to read', 'read', (vault) => ({
    vault_access: { [vault]: 'write' },
    scope: 'mcp:read',
  })),
  {
    name: 'a device linked to the vault',
    isSession: false,
    level: 'write',
    make: async (server, person, { vault }) => server.bearer((await linkDevice(person, vault)).access),
  },
];

/** Deleted vaults are those of their owner only. */
const OF_DELETED_VAULTS = ['restoreVault', 'purgeVault'];
/** Their rows name things of the owner alone: a code that the owner has claimed, and an import. */
const OF_THE_OWNER = ['authorizeDevice', 'applyImport'];

function refusal({ name, rule }: Known, standing: Standing, { isSession, level }: Credential): Refusal | null {
  const { who, vault, named, role: least }: Rule = rule;
  if (who === 'session' && !isSession) return [403, 'api_key_not_allowed'];
  const unknown: Refusal =
    vault !== undefined || name === 'startImport' ? [404, 'Vault not found'] : [404, 'not found'];
  if (standing === 'removed' || standing === 'stranger' || OF_DELETED_VAULTS.includes(name)) return unknown;
  const reached = standing === 'viewer' && level === 'write' ? 'read' : level;
  if (reached === 'none') return vault === undefined ? unknown : [403, 'API key does not have access to this vault'];
  const lacksRole = least === 'owner' || (least === 'editor' && standing === 'viewer');
  const lacksLevel = (vault ?? named) === 'write' && reached === 'read';
  const required: Refusal = least === 'owner' ? [403, 'owner_required'] : [403, 'insufficient_access'];
  // The vault of a request is opened first, one that is named is looked at as a whole.
  if (lacksLevel && (vault !== undefined || !lacksRole)) return [403, 'insufficient_access'];
  // Members may remove themselves only.
  if (lacksRole || name === 'removeMember') return name === 'removeMember' ? [403, 'owner_required'] : required;
  return null;
}

interface Everybody {
  readonly owner: Person;
  readonly people: Readonly<Record<Standing, Person>>;
}

/** A world of the owner whose vault has the people as they stand. */
async function sharedWorld({ owner, people }: Everybody, word: string, { needs }: Known): Promise<World> {
  const world = await makeWorld(owner, word, needs === undefined ? [] : [needs]);
  for (const standing of ['viewer', 'editor', 'removed'] as const) {
    const role = standing === 'removed' ? 'editor' : standing;
    const { url } = (await owner.post(`/vaults/${world.vault}/invitations`, { role })).body;
    assert.equal((await people[standing].post(`/invitations/${tokenOf(url)}/accept`)).status, 200);
  }
  const { user } = (await people.removed.get('/me')).body;
  assert.equal((await owner.delete(`/vaults/${world.vault}/members/${user.id}`)).status, 204);
  return world;
}

/** What refused calls must not change. */
async function stateOf(owner: Person, { vault }: World): Promise<unknown> {
  const headers = { 'x-vault-id': vault };
  const asked = [`/vaults/${vault}`, `/vaults/${vault}/members`, '/sync/changes', '/trash', '/folders'];
  return Promise.all(asked.map(async (url) => (await owner.get(url, headers)).body));
}

onSqlite('every operation that concerns a vault', (open) => {
  test('members, former members and strangers are answered as their role, level and credential say', {
    timeout: 15 * 60_000,
  }, async (t) => {
    await using server = await startServer({ open, config: { authRateLimit: 100_000 } });
    const known = (await knownOperations(server.anyone)).filter(
      ({ name, rule }) =>
        (rule.vault ?? rule.named) !== undefined && rule.later === undefined && !OF_THE_OWNER.includes(name),
    );
    for (const operation of known) {
      const person = (name: string) =>
        new Person(server.url, `${operation.name}-${name}`.toLowerCase(), () => server.alice.signed());
      const people = {
        viewer: person('viewer'),
        editor: person('editor'),
        removed: person('removed'),
        stranger: person('stranger'),
      };
      await t.test(operation.name, () => askAll(server, { owner: person('owner'), people }, operation));
    }
  });
});

onSqlite('[S1] an operation on one vault that names things of another', (open) => {
  test('[S1] ids, paths and cursors of a vault that is not shared neither change it nor show it to a member', {
    timeout: 15 * 60_000,
  }, async (t) => {
    await using server = await startServer({ open, config: { authRateLimit: 100_000 } });
    const needs = ['cursor', 'trash'] as const;
    const [owner, editor] = ['owner', 'editor'].map(
      (name) => new Person(server.url, name, () => server.alice.signed()),
    );
    assert.ok(owner !== undefined && editor !== undefined);
    const shared = await makeWorld(owner, 'Shared', needs);
    const { url } = (await owner.post(`/vaults/${shared.vault}/invitations`, { role: 'editor' })).body;
    await editor.post(`/invitations/${tokenOf(url)}/accept`);
    const own = await makeWorld(editor, 'Own', needs);
    const hidden = await makeWorld(owner, 'Hidden', needs);
    for (const operation of (await knownOperations(server.anyone)).filter(({ rule }) => rule.vault !== undefined)) {
      await t.test(operation.name, async () => {
        for (const { vault } of [shared, own]) {
          const before = await stateOf(owner, hidden);
          const { url, body, headers } = operation.request({ ...hidden, fresh: `${operation.name}${vault}` });
          const sent = { ...headers, 'x-vault-id': vault };
          const answer: Answer = await editor.call(operation.method, url, body, sent);
          const what: string = `${operation.name} → ${answer.status} ${answer.bytes.toString().slice(0, 200)}`;
          assert.doesNotMatch(answer.bytes.toString(), /words of Hidden|bytes of Hidden|kind-Hidden/, what);
          assert.deepEqual(await stateOf(owner, hidden), before, what);
        }
      });
    }
    // The other way round: the vault of the request is not theirs, what it names is.
    for (const operation of (await knownOperations(server.anyone)).filter(({ rule }) => rule.vault !== undefined)) {
      const { url, body, headers } = operation.request({ ...own, fresh: `${operation.name} back` });
      const answer = await editor.call(operation.method, url, body, { ...headers, 'x-vault-id': hidden.vault });
      assert.deepEqual([answer.status, answer.body?.error], [404, 'Vault not found'], operation.name);
    }
  });
});

async function askAll(server: TestServer, everybody: Everybody, operation: Known): Promise<void> {
  let made = 0;
  const fresh = () => sharedWorld(everybody, `${operation.name}${++made}`, operation);
  let world: World | undefined = await fresh();
  const before = await stateOf(everybody.owner, world);
  const allowed: [Person, Credential][] = [];
  for (const [standing, person] of Object.entries(everybody.people) as [Standing, Person][]) {
    // A credential that names the vault cannot be made without a role, and one that did has ended with it.
    const has = standing === 'viewer' || standing === 'editor' ? credentials : [SESSION, UNNAMED];
    for (const credential of has) {
      const expected = refusal(operation, standing, credential);
      if (expected === null) {
        allowed.push([person, credential]);
        continue;
      }
      const { answer, what } = await ask(server, operation, world, person, credential, standing);
      assert.deepEqual([answer.status, answer.body?.error], expected, what);
    }
  }
  assert.deepEqual(
    await stateOf(everybody.owner, world),
    before,
    `${operation.name}: a refused call changed something`,
  );
  for (const [person, credential] of allowed) {
    world ??= await fresh();
    const { answer, what } = await ask(server, operation, world, person, credential, 'member');
    assert.equal(answer.status, operation.answers, what);
    if (operation.method !== 'GET') world = undefined;
  }
}

async function ask(
  server: TestServer,
  operation: Known,
  world: World,
  person: Person,
  { name, make }: Credential,
  standing: string,
) {
  const caller = await make(server, person, world);
  const { url, body, headers } = operation.request(world);
  const answer = await caller.call(operation.method, url, body, headers ?? {});
  const what = `${operation.name} by ${standing} with ${name} → ${answer.status} ${JSON.stringify(answer.body)?.slice(0, 200)}`;
  return { answer, what };
}
