import assert from 'node:assert/strict';
import { NEEDS } from '../../kit/operation-variants.ts';
import { type Known, makeWorld, type World } from '../../kit/operations.ts';
import type { Answer, Person } from '../../kit/person.ts';
import { oneServer, type TestServer, type TestServerOptions } from '../../kit/server.ts';
import { OF_THE_OWNER, type Refusal, refusalOf, UNAUTHORIZED } from './refusals.ts';
import { type Credential, joinAs } from './standings.ts';

/** A vault with an editor, and the content of a world. */
export interface Scene {
  readonly server: TestServer;
  readonly owner: Person;
  readonly member: Person;
  readonly world: World;
}

export interface Removal {
  readonly holder: 'owner' | 'member' | 'admin';
  /** Whether the holder is, or is made, an admin. */
  readonly isAdmin?: boolean;
  readonly take: (scene: Scene) => Promise<{ readonly status: number }>;
  /** The answer to an operation afterwards; null if the holder may still call it with this credential. */
  readonly refusal: (operation: Known, credential: Credential) => Refusal | null;
}

export const idOf = async (person: Person) => (await person.signed()).id;
const memberUrl = async ({ world, member }: Scene) => `/vaults/${world.vault}/members/${await idOf(member)}`;
export const newSession = async ({ anyone }: Pick<TestServer, 'anyone'>, { email, password }: Person) =>
  (await anyone.post('/auth/login', { email, password })).body.access_token as string;
const suspend = async ({ server }: Scene, person: Person) =>
  server.alice.patch(`/admin/users/${await idOf(person)}`, { suspended: true });

const setRole = async ({ alice }: TestServer, person: Person, role: 'admin' | 'member') =>
  alice.patch(`/admin/users/${await idOf(person)}`, { role });

const writes = ({ rule }: Known) => (rule.vault ?? rule.named) === 'write';
function vaultGone({ name, rule }: Known): Refusal | null {
  if ((rule.vault ?? rule.named) === undefined || rule.later !== undefined) return null;
  if (name === 'authorizeDevice') return [403, 'vault not found or not owned by user'];
  return [404, rule.vault !== undefined || name === 'startImport' ? 'Vault not found' : 'not found'];
}
const sessionEnded = (_: Known, { isSession }: Credential) => (isSession ? UNAUTHORIZED : null);

/** Ends everything that acts for the owner, except the session with which they do it. */
async function endAll({ owner }: Scene): Promise<Answer> {
  const shown = (await owner.get('/connections')).body as { kind: string; key_id: string | null; client_id: string }[];
  for (const { kind, key_id, client_id } of shown) {
    const { status } = await owner.delete(`/connections/${kind}/${encodeURIComponent(key_id ?? client_id)}`);
    assert.ok(status < 300, `${kind} ${status}`);
  }
  return owner.delete('/me/sessions');
}

/** Every way in which somebody loses the right to call an operation. */
export const removals: Readonly<Record<string, Removal>> = {
  'the password is changed': {
    holder: 'owner',
    take: ({ owner }) =>
      owner.post('/auth/password/change', { old_password: owner.password, new_password: 'another long password' }),
    refusal: sessionEnded,
  },
  'all other sessions are ended': {
    holder: 'admin',
    isAdmin: true,
    take: ({ server }) => server.alice.delete('/me/sessions'),
    refusal: sessionEnded,
  },
  'an admin loses their role': {
    holder: 'owner',
    isAdmin: true,
    take: ({ server, owner }) => setRole(server, owner, 'member'),
    refusal: ({ rule }) => (rule.who === 'admin' ? [403, 'admin_required'] : null),
  },
  'the credential is revoked': { holder: 'owner', take: endAll, refusal: () => UNAUTHORIZED },
  'the account is suspended': {
    holder: 'owner',
    take: (scene) => suspend(scene, scene.owner),
    refusal: () => [403, 'suspended'],
  },
  'the account is deleted': {
    holder: 'member',
    take: ({ member }) => member.delete('/me', { password: member.password }),
    refusal: () => UNAUTHORIZED,
  },
  'the member is removed': {
    holder: 'member',
    take: async (scene) => scene.owner.delete(await memberUrl(scene)),
    refusal: (operation, credential) => refusalOf(operation, 'removed', credential),
  },
  'the role is lowered': {
    holder: 'member',
    take: async (scene) => scene.owner.patch(await memberUrl(scene), { role: 'viewer' }),
    refusal: (operation, credential) => refusalOf(operation, 'viewer', credential),
  },
  'the vault is handed over': {
    holder: 'owner',
    take: async (scene) => scene.owner.patch(await memberUrl(scene), { role: 'owner' }),
    refusal: (operation, credential) =>
      refusalOf(operation, 'editor', credential.namesOwn ? { ...credential, level: 'write' } : credential),
  },
  'the owner is suspended': {
    holder: 'member',
    take: (scene) => suspend(scene, scene.owner),
    refusal: (operation) => (writes(operation) ? [403, 'owner_suspended'] : null),
  },
  'the vault is deleted': {
    holder: 'owner',
    take: ({ owner, world }) => owner.delete(`/vaults/${world.vault}`),
    refusal: vaultGone,
  },
};

/** The removals after which the holder may not write into the vault of the scene any more. */
export const vaultRemovals = Object.entries(removals).filter(
  ([name]) => !['all other sessions are ended', 'an admin loses their role', 'the vault is handed over'].includes(name),
);

/** Makes a token of the holder with which operations begin. Sessions are new ones, which the holder's first one can end. */
export async function tokenOf(scene: Scene, { holder, isAdmin }: Removal, credential: Credential): Promise<string> {
  const { server, world } = scene;
  const person = holder === 'admin' ? server.alice : scene[holder];
  if (isAdmin) await setRole(server, person, 'admin');
  return credential.isSession ? newSession(server, person) : credential.make(server, person, world);
}

/** Whether the holder may call an operation with a credential before the removal. */
export function mayCall(operation: Known, { holder, isAdmin = false }: Removal, credential: Credential): boolean {
  const { name, rule } = operation;
  if (rule.who === 'anyone') return false;
  if (rule.who === 'admin') return isAdmin && credential.isSession;
  // The vault is not the admin's.
  if (holder === 'admin') return (rule.vault ?? rule.named) === undefined;
  if (holder === 'member' && OF_THE_OWNER.includes(name)) return false;
  return refusalOf(operation, holder === 'owner' ? 'owner' : 'editor', credential) === null;
}

/** Makes scenes on one server, with the parts of a world; must be called inside a `describe`. */
export function makerOfScenes(open: TestServerOptions['open'], parts = NEEDS): (word: string) => Promise<Scene> {
  const started = oneServer(() => ({ open, config: { authRateLimit: 100_000, mcpWritesPerMinute: 0 } }));
  // The first alice is the admin.
  let first: ReturnType<typeof started> | undefined;
  return async (word) => {
    first ??= started();
    const server = await first;
    const [owner, member] = [server.person(`${word}-owner`), server.person(`${word}-member`)];
    const world = await makeWorld(owner, word, parts);
    await joinAs(member, 'editor', { owner, vault: world.vault });
    return { server, owner, member, world };
  };
}
