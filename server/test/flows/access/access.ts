import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Rule } from '@notevault/protocol/operations.ts';
import type { Database } from '../../../src/ports/database/database.ts';
import { OAuthApp } from '../../kit/clients/oauth-app.ts';
import { NEEDS, needsOfRow } from '../../kit/operation-variants.ts';
import { type Known, knownOperations, linkDevice, makeWorld, type World } from '../../kit/operations.ts';
import { type Answer, type Caller, Person } from '../../kit/person.ts';
import { startServer, type TestServer } from '../../kit/server.ts';

/** The rights of a credential; `nobody` means no credential. */
interface Rights {
  readonly kind: 'nobody' | 'session' | 'other';
  /** Level on the vault that the request names. */
  readonly level: 'none' | 'read' | 'write';
  readonly creates: boolean;
  readonly isAdmin?: true;
}

interface Credential {
  readonly name: string;
  readonly rights: Rights;
  /** A caller with this credential; the keys of the owner are created for it over `world`. */
  readonly caller: (server: TestServer, owner: Person, world: World) => Promise<Caller>;
}

const NOBODY = { kind: 'nobody', level: 'none', creates: false } as const;
const SESSION = { kind: 'session', level: 'write', creates: true } as const;

function keyWith(name: string, level: Rights['level'], creates: boolean, reach: (vault: string) => object): Credential {
  const caller: Credential['caller'] = async (server, owner, { vault }) => {
    const made = await owner.post('/connections/pat', { name, ...reach(vault) });
    assert.equal(made.status, 201, name);
    return server.bearer(made.body.key);
  };
  return { name, rights: { kind: 'other', level, creates }, caller };
}

const apps = new WeakMap<TestServer, Promise<OAuthApp>>();

/** A caller with the access token of an application that the owner authorized. */
async function letIn(
  server: TestServer,
  owner: Person,
  scope: string,
  levels: Readonly<Record<string, string>>,
  elsewhere: string,
): Promise<Caller> {
  const app = apps.get(server) ?? OAuthApp.register(server);
  apps.set(server, app);
  const { access_token } = await (await app).connect({ scope }, owner, { levels, elsewhere });
  return server.bearer(access_token);
}

const credentials: readonly Credential[] = [
  { name: 'no credential', rights: NOBODY, caller: async (server) => server.anyone },
  { name: 'a made-up key', rights: NOBODY, caller: async (server) => server.bearer(`nv_key_${'A'.repeat(43)}`) },
  { name: 'a made-up session', rights: NOBODY, caller: async (server) => server.bearer(`nv_ses_${'A'.repeat(43)}`) },
  {
    name: 'a revoked key',
    rights: NOBODY,
    caller: async (server, owner) => {
      const { id, key } = (await owner.post('/api-keys', { name: 'revoked' })).body;
      await owner.delete(`/api-keys/${id}`);
      return server.bearer(key);
    },
  },
  keyWith('a key for everything but this vault', 'none', true, (vault) => ({
    default_access: 'write',
    vault_access: { [vault]: 'none' },
  })),
  keyWith('a key to read this vault', 'read', false, (vault) => ({ vault_access: { [vault]: 'read' } })),
  keyWith('a key to read by default', 'read', false, () => ({ default_access: 'read' })),
  keyWith('a key to read here and write elsewhere', 'read', true, (vault) => ({
    default_access: 'write',
    vault_access: { [vault]: 'read' },
  })),
  keyWith('a key with scope mcp:read', 'read', false, () => ({ scope: 'mcp:read' })),
  keyWith('a key to write this vault', 'write', false, (vault) => ({ vault_access: { [vault]: 'write' } })),
  keyWith('a key to write here and read elsewhere', 'write', false, (vault) => ({
    default_access: 'read',
    vault_access: { [vault]: 'write' },
  })),
  keyWith('a key without limits', 'write', true, () => ({})),
  {
    name: 'a device linked to this vault',
    rights: { kind: 'other', level: 'write', creates: false },
    caller: async (server, owner, { vault }) => server.bearer((await linkDevice(owner, vault)).access),
  },
  {
    name: 'a device linked to another vault',
    rights: { kind: 'other', level: 'none', creates: false },
    caller: async (server, owner) => {
      const [another] = (await owner.get('/vaults')).body.vaults;
      return server.bearer((await linkDevice(owner, another.id)).access);
    },
  },
  {
    name: 'an application let in to read this vault',
    rights: { kind: 'other', level: 'read', creates: false },
    caller: async (server, owner, { vault }) => letIn(server, owner, 'mcp', { [vault]: 'read' }, 'none'),
  },
  {
    name: 'an application let in by a scope to read',
    rights: { kind: 'other', level: 'read', creates: false },
    caller: async (server, owner, { vault }) => letIn(server, owner, 'mcp:read', { [vault]: 'write' }, 'write'),
  },
  {
    name: 'an application let in to write everywhere',
    rights: { kind: 'other', level: 'write', creates: true },
    caller: async (server, owner, { vault }) => letIn(server, owner, 'mcp', { [vault]: 'write' }, 'write'),
  },
  { name: 'a session', rights: SESSION, caller: async (_server, owner) => owner },
];

const byRights = Map.groupBy(credentials, ({ rights }) => JSON.stringify(rights));

/** One credential of each set of rights. */
export const oneOfEachRights: readonly Credential[] = [...byRights.values()].flatMap(([first]) => first ?? []);

type Refusal = readonly [status: number, error: string];
const UNAUTHORIZED: Refusal = [401, 'unauthorized'];
const INSUFFICIENT: Refusal = [403, 'insufficient_access'];
const NO_ACCESS: Refusal = [403, 'API key does not have access to this vault'];

/** The refusal that a caller with these rights must get under a rule; null when access is granted. */
function refusal({ who, vault, named, later }: Rule, { kind, level, creates }: Rights): Refusal | null {
  if (who === 'anyone') return null;
  if (kind === 'nobody') return UNAUTHORIZED;
  if (who === 'admin') return [403, 'admin_required'];
  if (who === 'session') return kind === 'session' ? null : [403, 'api_key_not_allowed'];
  if (later !== undefined) return creates ? null : INSUFFICIENT;
  const need = vault ?? named;
  if (need === undefined) return null;
  if (level === 'none') return vault === undefined ? [404, 'not found'] : NO_ACCESS;
  return need === 'write' && level === 'read' ? INSUFFICIENT : null;
}

/**
 * Access control: calls every operation of the OpenAPI document with every kind of credential at every level. Refused
 * calls and reads change nothing, so they share one account, world and set of credentials.
 *
 * @param tried the credentials; all by default.
 */
export function defineAccess(open: () => Promise<Database>, tried = credentials): void {
  // Thousands of requests, so it may take longer than one test usually may.
  test('asks every operation with every kind of credential', { timeout: 15 * 60_000 }, async (t) => {
    await using server = await startServer({ open });
    const operations = await knownOperations(server.anyone);
    const shared = await makeShared(server, tried);
    for (const operation of operations) await t.test(operation.name, () => askWithAll(server, shared, operation));
  });
}

interface Shared {
  readonly owner: Person;
  readonly world: World;
  readonly callers: ReadonlyMap<Credential, Caller>;
  /** The owner's view of it, which must not change. */
  readonly state: unknown;
}

async function makeShared(server: TestServer, tried: readonly Credential[]): Promise<Shared> {
  const owner = await makeOwner(server, 'shared');
  const world = await makeWorld(owner, 'shared', NEEDS);
  const callers = new Map<Credential, Caller>();
  for (const each of tried) callers.set(each, await each.caller(server, owner, world));
  return { owner, world, callers, state: await everythingIn(owner, world) };
}

async function makeOwner(server: TestServer, name: string): Promise<Person> {
  const owner = new Person(server.url, name.toLowerCase(), () => server.alice.signed());
  // A second vault, so that a request without a vault header has no single vault to default to.
  await owner.post('/vaults', { name: 'Another' });
  return owner;
}

async function askWithAll(server: TestServer, shared: Shared, operation: Known): Promise<void> {
  const { rule, method } = operation;
  // A public call would end a session whose token it is given; it needs no credential anyway. Some work once only, such
  // as polling a code.
  const isPublic = rule.who === 'anyone';
  const asking = [...shared.callers.keys()].filter(({ rights }) => !isPublic || rights.kind === 'nobody');
  const writers: Credential[] = [];
  for (const credential of asking) {
    const refused = refusal(rule, credential.rights);
    if (refused === null && (isPublic || method !== 'GET')) {
      writers.push(credential);
      continue;
    }
    const { answer, what } = await ask(operation, credential, shared.world, shared.callers.get(credential));
    if (refused === null) {
      assert.equal(answer.status, operation.answers, what);
    } else {
      assert.deepEqual([answer.status, answer.body?.error], refused, what);
      checkChallenge(answer, what);
    }
  }
  const what = `${operation.name}: a call that was refused, or reads, changed something`;
  assert.deepEqual(await everythingIn(shared.owner, shared.world), shared.state, what);
  await askInOwnWorlds(server, operation, writers);
}

/** Each credential gets a world of its own, with what the operation needs. */
async function askInOwnWorlds(server: TestServer, operation: Known, writers: readonly Credential[]): Promise<void> {
  const { name, rule } = operation;
  // The rows of these bring a wrong password, so they change nothing either.
  const unchanged = rule.stepUp !== undefined;
  const needs = unchanged ? NEEDS : needsOfRow(operation);
  if (writers.length === 0) return;
  const owner = await makeOwner(server, name);
  for (const [at, credential] of writers.entries()) {
    const world = await makeWorld(owner, `${name}${at}`, needs);
    const caller = await credential.caller(server, owner, world);
    const before: unknown = unchanged ? await everythingIn(owner, world) : undefined;
    const { answer, what } = await ask(operation, credential, world, caller);
    assert.equal(answer.status, operation.answers, what);
    if (unchanged) assert.deepEqual(await everythingIn(owner, world), before, what);
  }
}

async function ask({ name, method, request }: Known, credential: Credential, world: World, caller: Caller | undefined) {
  assert.ok(caller !== undefined, credential.name);
  const { url, body, headers } = request(world);
  const answer = await caller.call(method, url, body, headers ?? {});
  const what = `${name} with ${credential.name} → ${answer.status} ${JSON.stringify(answer.body)?.slice(0, 200)}`;
  return { answer, what };
}

/** RFC 6750, section 3: an answer that refuses a credential also says so in a header. */
function checkChallenge({ status, body, headers }: Answer, what: string): void {
  const challenge = headers.get('www-authenticate');
  if (status === 401) assert.match(challenge ?? '', /^Bearer resource_metadata="/, what);
  else if (body.error === 'insufficient_access') assert.equal(challenge, 'Bearer error="insufficient_scope"', what);
  else assert.equal(challenge, null, what);
}

/** Reads the owner's view of a world, for comparison. */
async function everythingIn(owner: Caller, { vault, note, other, key }: World): Promise<unknown> {
  const headers = { 'x-vault-id': vault };
  const asked = [
    ...['/me', '/vaults', '/vaults?deleted=true'].map((url) => owner.get(url)),
    ...['/folders', `/notes/by-id/${note}`, `/notes/by-id/${other}`].map((url) => owner.get(url, headers)),
  ];
  const keys = (await owner.get('/api-keys')).body.keys.map(({ id }: { id: string }) => id);
  return [...(await Promise.all(asked)).map(({ status, body }) => [status, body]), keys.includes(key)];
}
