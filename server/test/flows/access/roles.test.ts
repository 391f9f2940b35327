import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Role, Rule } from '@notevault/protocol/operations.ts';
import { OAuthApp } from '../../kit/clients/oauth-app.ts';
import { onSqlite } from '../../kit/engines.ts';
import { type Known, knownOperations, linkDevice, makeWorld, type World } from '../../kit/operations.ts';
import { type Caller, Person } from '../../kit/person.ts';
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
  /** Whether it reaches vaults of the person’s own too, so that it outlives their membership. */
  readonly elsewhere: boolean;
  readonly make: (server: TestServer, person: Person, world: World) => Promise<Caller>;
}

type Reach = Pick<Credential, 'level' | 'elsewhere'>;
const READS_HERE: Reach = { level: 'read', elsewhere: false };
const WRITES_HERE: Reach = { level: 'write', elsewhere: false };
const ELSEWHERE: Reach = { level: 'none', elsewhere: true };

function key(name: string, reach: Reach, body: (vault: string) => object): Credential {
  const make: Credential['make'] = async (server, person, { vault }) => {
    const made = await person.post('/connections/pat', { name, ...body(vault) });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    return server.bearer(made.body.key);
  };
  return { name, isSession: false, ...reach, make };
}

function application(name: string, reach: Reach, scope: string, elsewhere: 'none' | 'write'): Credential {
  const make: Credential['make'] = async (server, person, { vault }) => {
    // The page proposes levels for every vault.
    const { vaults } = (await person.get('/vaults')).body as { vaults: { id: string; role: string }[] };
    const named = vaults.map(({ id, role }) => [id, role === 'owner' ? elsewhere : 'none']);
    const levels = { ...Object.fromEntries(named), ...(reach === ELSEWHERE ? {} : { [vault]: 'write' }) };
    const { access_token } = await (await appOf(server, name)).connect({ scope }, person, { levels, elsewhere });
    return server.bearer(access_token);
  };
  return { name, isSession: false, ...reach, make };
}

const apps = new WeakMap<TestServer, Map<string, Promise<OAuthApp>>>();

/** An application for each credential: what a person grants to one later replaces what they granted before. */
function appOf(server: TestServer, name: string): Promise<OAuthApp> {
  const ofServer = apps.get(server) ?? new Map<string, Promise<OAuthApp>>();
  apps.set(server, ofServer);
  const app = ofServer.get(name) ?? OAuthApp.register(server);
  ofServer.set(name, app);
  return app;
}

const SESSION: Credential = {
  name: 'a session',
  isSession: true,
  level: 'write',
  elsewhere: true,
  make: async (_, person) => person,
};
/** Of every kind that the pages of this server can make. */
const credentials: readonly Credential[] = [
  SESSION,
  key('a key without limits, which names no vault', ELSEWHERE, () => ({})),
  key('a key to write here', WRITES_HERE, (vault) => ({ vault_access: { [vault]: 'write' } })),
  key('a key to read here and write elsewhere', { level: 'read', elsewhere: true }, (vault) => ({
    default_access: 'write',
    vault_access: { [vault]: 'read' },
  })),
  key('a key to write here with a scope to read', READS_HERE, (vault) => ({
    vault_access: { [vault]: 'write' },
    scope: 'mcp:read',
  })),
  {
    name: 'a device linked to the vault',
    isSession: false,
    ...WRITES_HERE,
    make: async (server, person, { vault }) => server.bearer((await linkDevice(person, vault)).access),
  },
  application('an application let in to write here', WRITES_HERE, 'mcp', 'none'),
  application('an application let in by a scope to read here', READS_HERE, 'mcp:read', 'none'),
  application('an application let in everywhere, which names no vault', ELSEWHERE, 'mcp', 'write'),
];

/** Deleted vaults are those of their owner only. */
const OF_DELETED_VAULTS = ['restoreVault', 'purgeVault'];
/** Their rows name things of the owner alone: a code that the owner has claimed, and an import. */
const OF_THE_OWNER = ['authorizeDevice', 'applyImport'];

function refusal({ name, rule }: Known, standing: Standing, credential: Credential): Refusal | null {
  const { who, vault, named, role: least }: Rule = rule;
  const { isSession, level, elsewhere } = credential;
  // What reached nothing else has ended with the membership.
  if (standing === 'removed' && !elsewhere) return [401, 'unauthorized'];
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

interface SharedWorld {
  readonly world: World;
  /** What those who are removed had made before. */
  readonly left: ReadonlyMap<Credential, Caller>;
}

/** A world of the owner whose vault has the people as they stand. */
async function sharedWorld(
  server: TestServer,
  { owner, people }: Everybody,
  word: string,
  { needs }: Known,
): Promise<SharedWorld> {
  const world = await makeWorld(owner, word, needs === undefined ? [] : [needs]);
  for (const standing of ['viewer', 'editor', 'removed'] as const) {
    const role = standing === 'removed' ? 'editor' : standing;
    const { url } = (await owner.post(`/vaults/${world.vault}/invitations`, { role })).body;
    assert.equal((await people[standing].post(`/invitations/${tokenOf(url)}/accept`)).status, 200);
  }
  const left = new Map<Credential, Caller>();
  for (const each of credentials) left.set(each, await each.make(server, people.removed, world));
  const { user } = (await people.removed.get('/me')).body;
  assert.equal((await owner.delete(`/vaults/${world.vault}/members/${user.id}`)).status, 204);
  return { world, left };
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
      // What reaches everything of one's own needs something to reach.
      for (const each of Object.values(people)) await each.post('/vaults', { name: 'Own' });
      await t.test(operation.name, () => askAll(server, { owner: person('owner'), people }, operation));
    }
  });
});

/** What somebody can call with, given how they stand. */
function credentialsOf(standing: Standing): readonly Credential[] {
  // Only who has a vault can name it.
  return standing === 'stranger'
    ? credentials.filter(({ level, isSession }) => isSession || level === 'none')
    : credentials;
}

async function askAll(server: TestServer, everybody: Everybody, operation: Known): Promise<void> {
  let made = 0;
  const fresh = () => sharedWorld(server, everybody, `${operation.name}${++made}`, operation);
  let shared: SharedWorld | undefined = await fresh();
  const before = await stateOf(everybody.owner, shared.world);
  const allowed: [Person, Credential][] = [];
  for (const [standing, person] of Object.entries(everybody.people) as [Standing, Person][]) {
    for (const credential of credentialsOf(standing)) {
      const expected = refusal(operation, standing, credential);
      if (expected === null) {
        allowed.push([person, credential]);
        continue;
      }
      const caller = standing === 'removed' ? shared.left.get(credential) : undefined;
      const by = { person, credential, standing, caller };
      const { answer, what } = await ask(server, operation, shared.world, by);
      assert.deepEqual([answer.status, answer.body?.error], expected, what);
    }
  }
  assert.deepEqual(
    await stateOf(everybody.owner, shared.world),
    before,
    `${operation.name}: a refused call changed something`,
  );
  for (const [person, credential] of allowed) {
    shared ??= await fresh();
    const { answer, what } = await ask(server, operation, shared.world, { person, credential, standing: 'member' });
    assert.equal(answer.status, operation.answers, what);
    if (operation.method !== 'GET') shared = undefined;
  }
}

interface By {
  readonly person: Person;
  readonly credential: Credential;
  readonly standing: string;
  /** Calls with the credential, if it was made before. */
  readonly caller?: Caller | undefined;
}

async function ask(server: TestServer, operation: Known, world: World, { person, credential, standing, caller }: By) {
  const by = caller ?? (await credential.make(server, person, world));
  const { url, body, headers } = operation.request(world);
  const answer = await by.call(operation.method, url, body, headers ?? {});
  const what = `${operation.name} by ${standing} with ${credential.name} → ${answer.status} ${JSON.stringify(answer.body)?.slice(0, 200)}`;
  return { answer, what };
}
