import { NotevaultClient } from '@notevault/client/notevault-client.ts';
import { tokensFrom } from '@notevault/client/tokens.ts';
import { Transport } from '@notevault/client/transport.ts';
import type { ActivityPage, ActivityQuery, ActivityUndone } from '@notevault/protocol/activity.ts';
import type { MembersResponse, NewInvitation } from '@notevault/protocol/members.ts';
import type { NewPublicLink, PublicLink } from '@notevault/protocol/public-links.ts';
import type { SearchRequest, SearchResponse } from '@notevault/protocol/search.ts';
import type { Vault } from '@notevault/protocol/vaults.ts';
import type { AdminCommands } from '@notevault/server/admin.ts';
import type { App } from '@notevault/server/app.ts';
import { adminSocketPath, DataFolderBusy, requireData } from '@notevault/server/data/data-folder.ts';
import { adminClient } from './admin-client.ts';
import { configOf } from './config-flags.ts';
import { accountMessage, CliError } from './error-messages.ts';
import { openApp } from './open-app.ts';

/** Fields of a vault that commands use. */
type ListedVault = Pick<Vault, 'id' | 'name' | 'is_default' | 'note_count'>;

/** Operations on an account's vaults that commands use, in this process or through a running server. */
export interface VaultsClient {
  vaults(): Promise<readonly ListedVault[]>;
  search(vault: string, request: SearchRequest): Promise<SearchResponse>;
  activity(vault: string, query: ActivityQuery): Promise<ActivityPage>;
  undo(vault: string, activity: string, dryRun: boolean): Promise<ActivityUndone>;
  /** Rebuilds a vault's search index; resolves to the number of notes in it. */
  rebuild(vault: string, progress: (notes: number) => void): Promise<number>;
  members(vault: string): Promise<MembersResponse>;
  /** Creates an invitation; resolves to the link for the invited person. */
  invite(vault: string, invitation: NewInvitation): Promise<string>;
  /** Removes a member by their e-mail. */
  removeMember(vault: string, email: string): Promise<void>;
  publicLinks(vault: string): Promise<readonly PublicLink[]>;
  /** Makes a public link to a note or folder; resolves to its address. */
  makePublicLink(vault: string, path: string, options: Pick<NewPublicLink, 'expires_in' | 'password'>): Promise<string>;
  endPublicLink(vault: string, id: string): Promise<void>;
}

const PROGRESS_MS = 500;

/**
 * Runs `work` as the named account, or the only one: directly in the data folder, or through the server that uses it.
 */
export async function withVaults<T>(
  flags: Record<string, unknown>,
  work: (client: VaultsClient) => Promise<T>,
): Promise<T> {
  const user = typeof flags.user === 'string' ? flags.user : undefined;
  const config = configOf(flags);
  requireData(config);
  try {
    try {
      await using app = await openApp(config);
      return await work(await localVaultsClient(app, user));
    } catch (error) {
      if (!(error instanceof DataFolderBusy)) throw error;
    }
    return await work(await remoteVaultsClient(adminClient(adminSocketPath(config.dataDir)), user));
  } catch (error) {
    throw accountMessage(user, error);
  }
}

async function remoteVaultsClient(admin: AdminCommands, user: string | undefined): Promise<VaultsClient> {
  const session = await admin.openSession(user);
  const tokens = tokensFrom(async () => (await admin.openSession(user)).token);
  const client = new NotevaultClient(new Transport(session.url, tokens));
  return {
    vaults: () => client.vaults(),
    search: (vault, request) => client.vault(vault).search(request),
    activity: (vault, query) => client.vault(vault).activity(query),
    undo: (vault, activity, dryRun) => client.vault(vault).undoActivity(activity, dryRun),
    ...operatorOperations(admin, user),
  };
}

/** Returns the operations that run with the operator's rights. */
function operatorOperations(
  admin: AdminCommands,
  user: string | undefined,
): Omit<VaultsClient, 'vaults' | 'search' | 'activity' | 'undo'> {
  return {
    members: (vault) => admin.listMembers(user, vault),
    invite: (vault, invitation) => admin.inviteMember(user, vault, invitation),
    removeMember: (vault, email) => admin.removeMember(user, vault, email),
    publicLinks: (vault) => admin.listPublicLinks(user, vault),
    makePublicLink: (vault, path, options) => admin.makePublicLink(user, vault, path, options),
    endPublicLink: (vault, id) => admin.endPublicLink(user, vault, id),
    rebuild: (vault, progress) =>
      polling(
        () => admin.rebuiltNotes(vault).then(progress),
        () => admin.rebuildIndex(user, vault),
      ),
  };
}

/** Runs a long operation and polls its progress meanwhile. */
async function polling<Result>(poll: () => Promise<void>, operation: () => Promise<Result>): Promise<Result> {
  const timer = setInterval(() => poll().catch(() => undefined), PROGRESS_MS);
  try {
    return await operation();
  } finally {
    clearInterval(timer);
  }
}

async function localVaultsClient(app: App, user: string | undefined): Promise<VaultsClient> {
  const { token } = await app.accounts.openSession(user);
  const principal = await app.accounts.authenticate(`Bearer ${token}`);
  const { adminCommands } = await import('@notevault/server/admin.ts');
  const admin = adminCommands(app, { address: () => '', publicUrl: null, dataDir: '' });
  return {
    async vaults() {
      const vaults = await app.vaults.list(principal, { deleted: false });
      return vaults.map(({ id, name, isDefault, noteCount }) => ({
        id,
        name,
        is_default: isDefault,
        note_count: noteCount,
      }));
    },
    search: async (id, request) =>
      app.search.find(principal, await app.vaults.openVault(principal, id, 'read'), request),
    activity: async (id, query) => app.activity.list(await app.vaults.openVault(principal, id, 'read'), query),
    async undo(id, activity, dryRun) {
      const vault = await app.vaults.openVault(principal, id, 'write');
      const { kind, name, userId } = principal;
      return app.activity.undo({ vault, actor: { kind, name, userId }, device: null }, activity, dryRun);
    },
    ...operatorOperations(admin, user),
  };
}

/** Returns the vault with a name. Without a name, returns the account's default vault, or its only vault. */
export async function vaultNamed(client: VaultsClient, name: string | undefined) {
  const vaults = await client.vaults();
  const isMeant = (vault: (typeof vaults)[number]) =>
    name === undefined ? vault.is_default || vaults.length === 1 : vault.name === name;
  const found = vaults.filter(isMeant);
  if (found.length > 1) throw new CliError(`There are ${found.length} vaults named "${name}": rename one.`);
  const [vault] = found;
  if (vault !== undefined) return vault;
  if (name !== undefined) throw new CliError(`There is no vault named "${name}".`);
  throw new CliError(
    vaults.length === 0 ? 'The account has no vault.' : 'The account owns no vault: name one with --vault.',
  );
}
