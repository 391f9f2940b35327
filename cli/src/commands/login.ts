import { hostname } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { LinkRefused, linkDevice } from '@notevault/client/device-link.ts';
import { NotevaultClient } from '@notevault/client/notevault-client.ts';
import { fixedToken, noToken } from '@notevault/client/tokens.ts';
import { ApiError, Transport } from '@notevault/client/transport.ts';
import { sharingInWords } from '@notevault/client/vault-sharing.ts';
import { Command } from 'commander';
import { processEnvironment } from '../environment.ts';
import { CliError } from '../error-messages.ts';
import { print } from '../print.ts';
import { deviceTokensOf } from '../sync/account/connect.ts';
import { type Credential, Credentials } from '../sync/account/credentials.ts';
import { serverOrigin } from '../sync/account/server-address.ts';

interface LoginFlags {
  readonly device: string;
  readonly vault?: string;
  readonly allowHttp?: boolean;
  readonly keychain: boolean;
}

export function loginCommand(): Command {
  return new Command('login')
    .description(
      'Link this device to a vault, which you approve on the server’s page; run it again for each further vault',
    )
    .argument('<url>', 'address of the server')
    .option('--vault <name>', 'name to suggest for a new vault')
    .option('--device <name>', 'name of this device in the server’s list', hostname())
    .option('--allow-http', 'allow unencrypted HTTP, in a network that you trust')
    .option('--no-keychain', 'store the credential in a file that only you can read, even if the system has a keychain')
    .action(async (address: string, flags: LoginFlags) => {
      const url = serverOrigin(address, flags.allowHttp === true);
      const client = new NotevaultClient(new Transport(url, noToken));
      const names = { device_name: flags.device, ...(flags.vault !== undefined && { vault_name: flags.vault }) };
      const grant = await linkDevice(client, names, show, (ms) => wait(ms)).catch((error: unknown) => {
        if (!(error instanceof LinkRefused)) throw error;
        throw new CliError(
          error.message === 'access_denied'
            ? 'The link was refused on the server’s page.'
            : 'The code has expired: run "notevault login" again.',
        );
      });
      const { access_token, refresh_token, vault_id, user_email: email } = grant;
      if (vault_id === null) throw new CliError('The vault was deleted in the meantime.');
      const vaults = await new NotevaultClient(new Transport(url, fixedToken(access_token))).vaults();
      const vault = vaults.find(({ id }) => id === vault_id);
      const vault_name = vault?.name ?? vault_id;
      const vault_sharing = vault === undefined ? null : sharingInWords(vault);
      const allow_http = flags.allowHttp === true;
      const link = { url, vault_id, vault_name, vault_sharing, email, access_token, refresh_token, allow_http };
      const credential: Credential = { ...link, in_keychain: flags.keychain };
      const inKeychain = await new Credentials(processEnvironment().configFolder).save(credential);
      print(
        `Linked to the vault ${vault_sharing === null ? `"${vault_name}" of ${email}` : `"${vault_name}", ${vault_sharing}`}. Its credential is in ${inKeychain ? 'the keychain of this system' : 'a file that only you can read'}.`,
      );
      print('Next, sync a folder:');
      print('  notevault sync FOLDER');
    });
}

function show(started: { user_code: string; verification_uri: string; verification_uri_complete: string }): void {
  print(`Open ${started.verification_uri_complete}`);
  print(`or enter the code ${started.user_code} at ${started.verification_uri}`);
  print('Waiting for your approval …');
}

interface LogoutFlags {
  readonly vault?: string;
}

export function logoutCommand(): Command {
  return new Command('logout')
    .description('Unlink this device from a server; folders and their notes stay')
    .argument('<url>', 'address of the server')
    .option('--vault <name>', 'unlink only this vault (name or id)')
    .action(async (address: string, flags: LogoutFlags) => {
      const url = serverOrigin(address, true);
      const credentials = new Credentials(processEnvironment().configFolder);
      const ours = (await credentials.list()).filter(
        (one) => one.url === url && (flags.vault === undefined || [one.vault_id, one.vault_name].includes(flags.vault)),
      );
      if (ours.length === 0) throw new CliError(`This device is not linked to ${url}.`);
      for (const credential of ours) {
        await end(credentials, credential);
        print(`Unlinked from the vault "${credential.vault_name}".`);
      }
    });
}

async function end(credentials: Credentials, credential: Credential): Promise<void> {
  const anyone = new NotevaultClient(new Transport(credential.url, noToken));
  await anyone.endDevice(credential.refresh_token);
  // Checks that the server now refuses the access token.
  const transport = new Transport(credential.url, deviceTokensOf(credentials, credential));
  const isEnded = await new NotevaultClient(transport).vaults().then(
    () => false,
    (error: unknown) => error instanceof ApiError && error.status === 401,
  );
  if (!isEnded) throw new CliError('The server still accepts this device: unlink it on the server’s page.');
  await credentials.remove(credential);
}
