import { NEEDS } from '../../kit/operation-variants.ts';
import { type Known, makeWorld, type World } from '../../kit/operations.ts';
import type { Person } from '../../kit/person.ts';
import { oneServer, type TestServer, type TestServerOptions } from '../../kit/server.ts';
import { joinAs } from './standings.ts';

type Refusal = readonly [status: number, error: string];

/** A vault with an editor, and the content of a world. */
export interface Scene {
  readonly server: TestServer;
  readonly owner: Person;
  readonly member: Person;
  readonly world: World;
}

export interface Removal {
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
export const idOf = async (person: Person) => (await person.signed()).id;
const memberUrl = async ({ world, member }: Scene) => `/vaults/${world.vault}/members/${await idOf(member)}`;
export const newSession = async ({ anyone }: Pick<TestServer, 'anyone'>, { email, password }: Person) =>
  (await anyone.post('/auth/login', { email, password })).body.access_token as string;
const suspend = async ({ server }: Scene, person: Person) =>
  server.alice.patch(`/admin/users/${await idOf(person)}`, { suspended: true });

/** Every way in which somebody loses the right to call an operation. */
export const removals: Readonly<Record<string, Removal>> = {
  'the password is changed': {
    token: (scene) => newSession(scene.server, scene.owner),
    take: ({ owner }) =>
      owner.post('/auth/password/change', { old_password: owner.password, new_password: 'another long password' }),
    refusal: [401, 'unauthorized'],
    concerns: ({ rule }) => rule.who !== 'anyone' && rule.who !== 'admin',
  },
  'all other sessions are ended': {
    token: (scene) => newSession(scene.server, scene.server.alice),
    take: ({ server }) => server.alice.delete('/me/sessions'),
    refusal: [401, 'unauthorized'],
    concerns: (operation) =>
      operation.rule.who === 'admin' || (operation.rule.who === 'session' && needOf(operation) === undefined),
  },
  'an admin loses their role': {
    token: async ({ server, owner }) => {
      await server.alice.patch(`/admin/users/${await idOf(owner)}`, { role: 'admin' });
      return (await owner.signed()).accessToken;
    },
    take: async ({ server, owner }) => server.alice.patch(`/admin/users/${await idOf(owner)}`, { role: 'member' }),
    refusal: [403, 'admin_required'],
    concerns: ({ rule }) => rule.who === 'admin',
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

/** The removals after which the holder of the token may not write into the vault of the scene any more. */
export const vaultRemovals = Object.entries(removals).filter(
  ([name]) => name !== 'all other sessions are ended' && name !== 'an admin loses their role',
);

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
