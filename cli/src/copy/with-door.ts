import { adminSocketPath, DataFolderBusy } from '@notevault/server/data-folder.ts';
import type { Command } from 'commander';
import { adminClient } from '../admin-client.ts';
import { configOf, storageOptions, withConfig } from '../config-flags.ts';
import { CliError, explainAccount } from '../explain.ts';
import { openApp } from '../open-app.ts';
import { type Door, localDoor, remoteDoor, type Wanted } from './doors.ts';

/** The flags that say where a vault is. */
export interface DoorFlags extends Record<string, unknown> {
  readonly user?: string;
  readonly url?: string;
  readonly token?: string;
}

/** Adds them to a command. */
export function withDoorFlags(command: Command): Command {
  const options = [...storageOptions, 'blobs', 's3Endpoint', 's3Addressing', 'attachmentExtensions'] as const;
  return withConfig(command, [...options, 'plans', 'defaultPlan'])
    .option('--user <email>', 'whose vault (default: the only account)')
    .option('--url <url>', 'a running server that has the vault, with --token')
    .option('--token <token>', 'an access token for it');
}

/** Through the server named, else straight into the data folder, else through the server that works in it. */
export async function withDoor<Result>(
  flags: DoorFlags,
  wanted: Wanted,
  work: (door: Door) => Promise<Result>,
): Promise<Result> {
  checkFlags(flags);
  const { url, token, user } = flags;
  if (url !== undefined && token !== undefined) return work(await remoteDoor(url, async () => token, wanted));
  const config = configOf(flags);
  try {
    try {
      await using app = await openApp(config);
      return await work(await localDoor(app, user, wanted));
    } catch (error) {
      if (!(error instanceof DataFolderBusy)) throw error;
    }
    const admin = adminClient(adminSocketPath(config.dataDir));
    const session = await admin.openSession(user);
    return await work(await remoteDoor(session.url, async () => (await admin.openSession(user)).token, wanted));
  } catch (error) {
    throw explainAccount(user, error);
  }
}

function checkFlags({ url, token }: DoorFlags): void {
  if ((url === undefined) !== (token === undefined)) {
    throw new CliError('--url and --token go together: the server, and the credential to use it with.');
  }
  if (url !== undefined && !/^https?:$/.test(URL.parse(url)?.protocol ?? '')) {
    throw new CliError(`--url is "${url}": it must be an address such as https://notes.example.org.`);
  }
}
