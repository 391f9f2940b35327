import assert from 'node:assert/strict';
import type { Role } from '@notevault/protocol/operations.ts';
import { OAuthApp } from '../../kit/clients/oauth-app.ts';
import { CONTENT, linkDevice, makeWorld, type Need, type World } from '../../kit/operations.ts';
import { Person } from '../../kit/person.ts';
import type { TestServer } from '../../kit/server.ts';
import { tokenOf } from '../../kit/shared-vault.ts';

/* Everybody who has a vault, had it, or never did, and every kind of credential that they can have. */

export type Standing = Exclude<Role, 'owner'> | 'removed' | 'stranger';
export type Level = 'none' | 'read' | 'write';

export interface Credential {
  readonly name: string;
  readonly isSession: boolean;
  /** The level on the vault, before that of the role. */
  readonly level: Level;
  /** Whether it reaches vaults of the person’s own too, so that it outlives their membership. */
  readonly elsewhere: boolean;
  /** Whether it names every vault that the person has when it is made. */
  readonly namesOwn?: true;
  /** Resolves to its token. */
  readonly make: (server: TestServer, person: Person, world: Pick<World, 'vault'>) => Promise<string>;
}

type Reach = Pick<Credential, 'level' | 'elsewhere'>;
const READS_HERE: Reach = { level: 'read', elsewhere: false };
const WRITES_HERE: Reach = { level: 'write', elsewhere: false };
const ELSEWHERE: Reach = { level: 'none', elsewhere: true };

function key(name: string, reach: Reach, body: (vault: string) => object, url = '/connections/pat'): Credential {
  const make: Credential['make'] = async (_, person, { vault }) => {
    const made = await person.post(url, { name, ...body(vault) });
    assert.ok(made.status < 300, JSON.stringify(made.body));
    return made.body.key;
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
    return access_token;
  };
  return { name, isSession: false, ...reach, ...(elsewhere === 'none' ? {} : { namesOwn: true }), make };
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

export const SESSION: Credential = {
  name: 'a session',
  isSession: true,
  level: 'write',
  elsewhere: true,
  make: async (_, person) => (await person.signed()).accessToken,
};
/** Credentials of every kind that the server's pages can create. */
export const credentials: readonly Credential[] = [
  SESSION,
  key('a key without limits, which names no vault', ELSEWHERE, () => ({})),
  key('a key to write here', WRITES_HERE, (vault) => ({ vault_access: { [vault]: 'write' } })),
  key('an API key to write here', WRITES_HERE, (vault) => ({ vault_access: { [vault]: 'write' } }), '/api-keys'),
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
    make: async (_, person, { vault }) => (await linkDevice(person, vault)).access,
  },
  application('an application let in to write here', WRITES_HERE, 'mcp', 'none'),
  application('an application let in by a scope to read here', READS_HERE, 'mcp:read', 'none'),
  application('an application let in everywhere, which names no vault', ELSEWHERE, 'mcp', 'write'),
];

export interface Everybody {
  readonly owner: Person;
  readonly people: Readonly<Record<Standing, Person>>;
}

export interface SharedWorld {
  readonly world: World;
  /** Credentials that removed members had created before. */
  readonly left: ReadonlyMap<Credential, string>;
}

/** A world of the owner, with content and what else is needed, whose vault has the people as they stand. */
export async function sharedWorld(
  server: TestServer,
  everybody: Everybody,
  word: string,
  needs: readonly Need[] = [],
): Promise<SharedWorld> {
  const world = await makeWorld(everybody.owner, word, [...CONTENT, ...needs]);
  return { world, left: await letIn(server, everybody, world) };
}

/** Makes people members of a vault, each as they stand; resolves to what those who are removed had made before. */
async function letIn(server: TestServer, { owner, people }: Everybody, world: World): Promise<SharedWorld['left']> {
  for (const standing of ['viewer', 'editor', 'removed'] as const) {
    await joinAs(people[standing], standing === 'removed' ? 'editor' : standing, { owner, vault: world.vault });
  }
  const left = new Map<Credential, string>();
  for (const each of credentials) left.set(each, await each.make(server, people.removed, world));
  const { user } = (await people.removed.get('/me')).body;
  assert.equal((await owner.delete(`/vaults/${world.vault}/members/${user.id}`)).status, 204);
  return left;
}

/** Makes somebody a member of an owner's vault. */
export async function joinAs(
  person: Person,
  role: 'viewer' | 'editor',
  { owner, vault }: { readonly owner: Person; readonly vault: string },
): Promise<void> {
  const { url } = (await owner.post(`/vaults/${vault}/invitations`, { role })).body;
  assert.equal((await person.post(`/invitations/${tokenOf(url)}/accept`)).status, 200);
}

/** Five accounts, by how they stand to a vault that is shared later. */
export async function makeEverybody(server: TestServer, word: string): Promise<Everybody> {
  const person = (name: string) => new Person(server.url, `${word}-${name}`.toLowerCase(), () => server.alice.signed());
  const people = {
    viewer: person('viewer'),
    editor: person('editor'),
    removed: person('removed'),
    stranger: person('stranger'),
  };
  // What reaches everything of one's own needs something to reach.
  for (const each of Object.values(people)) await each.post('/vaults', { name: 'Own' });
  return { owner: person('owner'), people };
}

/** Returns the level of a credential in the vault; `ended` if the credential has ended with the membership. */
export function levelOf(standing: Standing | 'owner', { level, elsewhere }: Credential): Level | 'ended' {
  if (standing === 'removed' && !elsewhere) return 'ended';
  if (standing === 'removed' || standing === 'stranger') return 'none';
  if (standing === 'owner') return level === 'none' ? 'write' : level;
  return standing === 'viewer' && level === 'write' ? 'read' : level;
}

/** Returns the credentials that a person in this standing can use. */
export function credentialsOf(standing: Standing | 'owner'): readonly Credential[] {
  // Only who has a vault can name it.
  return standing === 'stranger'
    ? credentials.filter(({ level, isSession }) => isSession || level === 'none')
    : credentials;
}

export type Tried = (credential: Credential, standing: Standing | 'owner') => boolean;

const reaches = Map.groupBy(credentials, ({ isSession, level, elsewhere }) => `${isSession} ${level} ${elsewhere}`);
const firsts = new Set([...reaches.values()].map(([first]) => first));

/**
 * Every credential of an editor, and of the others one of each reach: whose a credential is says nothing about how it is
 * presented. roles.ts asks every operation, which tools and sockets rely on, with all of them.
 */
export const oneOfEachReach: Tried = (credential, standing) => standing === 'editor' || firsts.has(credential);
