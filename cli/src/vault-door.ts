import { type RemoteResult, type RemoteSearch, type RemoteVault, RestClient } from '@notevault/client/rest.ts';
import type { AdminVerbs } from '@notevault/server/admin.ts';
import type { App } from '@notevault/server/app.ts';
import { adminSocketPath, DataFolderBusy, requireData } from '@notevault/server/data-folder.ts';
import { adminClient } from './admin-client.ts';
import { configOf } from './config-flags.ts';
import { CliError, explainAccount } from './explain.ts';
import { openApp } from './open-app.ts';

/** What the command line asks of an account's vaults: the same verbs, in this process or through a running server. */
export interface VaultDoor {
  vaults(): Promise<readonly RemoteVault[]>;
  search(vault: string, request: RemoteSearch): Promise<readonly RemoteResult[]>;
  /** Makes a vault's search index anew; resolves to the notes in it. */
  rebuild(vault: string, progress: (notes: number) => void): Promise<number>;
}

const PROGRESS_MS = 500;

/** Straight into the data folder, else through the server that works in it; as the account named, or the only one. */
export async function withVaults<T>(flags: Record<string, unknown>, work: (door: VaultDoor) => Promise<T>): Promise<T> {
  const user = typeof flags.user === 'string' ? flags.user : undefined;
  const config = configOf(flags);
  requireData(config);
  try {
    try {
      await using app = await openApp(config);
      return await work(await localDoor(app, user));
    } catch (error) {
      if (!(error instanceof DataFolderBusy)) throw error;
    }
    return await work(await remoteDoor(adminClient(adminSocketPath(config.dataDir)), user));
  } catch (error) {
    throw explainAccount(user, error);
  }
}

async function remoteDoor(admin: AdminVerbs, user: string | undefined): Promise<VaultDoor> {
  const session = await admin.openSession(user);
  const client = new RestClient(session.url, async () => (await admin.openSession(user)).token);
  return {
    vaults: () => client.listVaults(),
    search: (vault, request) => client.search(vault, request),
    rebuild: (vault, progress) => rebuild(admin, user, vault, progress),
  };
}

/** Asks now and then how far it is: the verb itself answers at the end. */
async function rebuild(
  admin: AdminVerbs,
  user: string | undefined,
  vault: string,
  progress: (notes: number) => void,
): Promise<number> {
  const timer = setInterval(() => admin.rebuiltNotes(vault).then(progress, () => undefined), PROGRESS_MS);
  try {
    return await admin.rebuildIndex(user, vault);
  } finally {
    clearInterval(timer);
  }
}

async function localDoor(app: App, user: string | undefined): Promise<VaultDoor> {
  const { token } = await app.accounts.openSession(user);
  const principal = await app.accounts.authenticate(`Bearer ${token}`);
  const { adminVerbs } = await import('@notevault/server/admin.ts');
  const admin = adminVerbs(app, () => '');
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
    rebuild: (vault, progress) => rebuild(admin, user, vault, progress),
  };
}

/** The vault of a name, or the account's default one. */
export async function vaultNamed(door: VaultDoor, name: string | undefined) {
  const vaults = await door.vaults();
  const found = vaults.filter((vault) => (name === undefined ? vault.is_default : vault.name === name));
  if (found.length > 1) throw new CliError(`There are ${found.length} vaults named "${name}": rename one.`);
  const [vault] = found;
  if (vault !== undefined) return vault;
  throw new CliError(name === undefined ? 'The account has no vault.' : `There is no vault named "${name}".`);
}
