import { adminSocketPath, DataFolderBusy, requireData } from '@notevault/server/data/data-folder.ts';
import type { Command } from 'commander';
import { adminClient } from '../admin-client.ts';
import { configOf, storageOptions, withConfig } from '../config-flags.ts';
import { accountMessage, CliError } from '../error-messages.ts';
import { openApp } from '../open-app.ts';
import { localVaultClient, remoteVaultClient, type VaultChoice, type VaultClient } from './vault-client.ts';

/** The flags that locate a vault. */
export interface VaultClientFlags extends Record<string, unknown> {
  readonly user?: string;
  readonly url?: string;
  readonly token?: string;
}

/** Adds these flags to a command. */
export function withVaultClientFlags(command: Command): Command {
  const options = [...storageOptions, 'blobs', 's3Endpoint', 's3Addressing', 'attachmentExtensions'] as const;
  return withConfig(command, [...options, 'plans', 'defaultPlan'])
    .option('--user <email>', 'the account that owns the vault (default: the only account)')
    .option('--url <url>', 'address of a running server that has the vault; needs --token')
    .option('--token <token>', 'access token for --url');
}

/**
 * Runs `work` on a vault: through the server named by the flags, else directly in the data folder, else through the
 * server that uses the data folder. Throws if the folder has no data.
 */
export async function withVaultClient<Result>(
  flags: VaultClientFlags,
  choice: VaultChoice,
  work: (client: VaultClient) => Promise<Result>,
): Promise<Result> {
  checkFlags(flags);
  const { url, token, user } = flags;
  if (url !== undefined && token !== undefined) return work(await remoteVaultClient(url, async () => token, choice));
  const config = configOf(flags);
  requireData(config);
  try {
    try {
      await using app = await openApp(config);
      return await work(await localVaultClient(app, user, choice));
    } catch (error) {
      if (!(error instanceof DataFolderBusy)) throw error;
    }
    const admin = adminClient(adminSocketPath(config.dataDir));
    const session = await admin.openSession(user);
    return await work(await remoteVaultClient(session.url, async () => (await admin.openSession(user)).token, choice));
  } catch (error) {
    throw accountMessage(user, error);
  }
}

function checkFlags({ url, token }: VaultClientFlags): void {
  if ((url === undefined) !== (token === undefined)) {
    throw new CliError('--url and --token must be used together.');
  }
  if (url !== undefined && !/^https?:$/.test(URL.parse(url)?.protocol ?? '')) {
    throw new CliError(`--url "${url}" is invalid: it must be an address such as https://notes.example.org.`);
  }
}
