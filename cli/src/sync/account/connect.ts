import { NotevaultClient } from '@notevault/client/notevault-client.ts';
import { fixedToken, noToken, type TokenSource } from '@notevault/client/tokens.ts';
import { Transport } from '@notevault/client/transport.ts';
import type { VaultClient } from '@notevault/client/vault-client.ts';
import { sharingInWords } from '@notevault/client/vault-sharing.ts';
import type { Vault } from '@notevault/protocol/vaults.ts';
import { reached } from '@notevault/sync/adapters/vault-server.ts';
import { ServerStopped, ServerUnreachable } from '@notevault/sync/engine/ports.ts';
import type { Environment } from '../../environment.ts';
import { CliError } from '../../error-messages.ts';
import { ask } from './ask.ts';
import { type Credential, Credentials } from './credentials.ts';
import { nodeUpload } from './node-upload.ts';
import { serverOrigin } from './server-address.ts';

export interface ConnectFlags {
  readonly url?: string;
  /** Name or id of the vault. */
  readonly vault?: string;
  readonly allowHttp?: boolean;
}

/** A vault that this device can reach, and how. */
export interface VaultAccess {
  readonly url: string;
  readonly vaultId: string;
  readonly vaultName: string;
  readonly tokens: TokenSource;
}

/** Server and vault of a folder's earlier sync; for a copied folder only the vault is known. */
export type Known =
  | Pick<VaultAccess, 'url' | 'vaultId' | 'vaultName'>
  | { readonly url?: undefined; readonly vaultId: string; readonly vaultName?: undefined };

/**
 * Finds the vault to sync with and its credential: a token from the environment, else one that `login` stored. Asks the
 * user if neither the flags nor an earlier sync determine the vault. Throws ServerUnreachable if a token's vaults must
 * be listed and the server is offline.
 */
export async function chooseVault(
  flags: ConnectFlags,
  { token, configFolder }: Environment,
  known: Known | null,
): Promise<VaultAccess> {
  if (token !== null) return byToken(token, flags, known);
  const credentials = new Credentials(configFolder);
  const url = flags.url === undefined ? known?.url : serverOrigin(flags.url, true);
  const fitting = (await credentials.list()).filter(
    (one) =>
      (url === undefined || one.url === url) &&
      (known === null || one.vault_id === known.vaultId) &&
      (flags.vault === undefined || [one.vault_id, one.vault_name].includes(flags.vault)),
  );
  if (fitting.length === 0) throw new CliError(notSignedIn(url, flags.vault));
  const names = fitting.map(
    ({ vault_id, vault_name, vault_sharing, url: at }) =>
      `${vaultInWords(vault_name, vault_sharing ?? null)} on ${at} (${vault_id})`,
  );
  const flagsOfChoice = '--vault, by name or id, and --url';
  const chosen = fitting.length === 1 ? fitting[0] : fitting[await ask('Which vault?', names, flagsOfChoice)];
  if (chosen === undefined) throw new CliError(notSignedIn(url, flags.vault));
  serverOrigin(chosen.url, chosen.allow_http || flags.allowHttp === true);
  const tokens = deviceTokensOf(credentials, chosen);
  return { url: chosen.url, vaultId: chosen.vault_id, vaultName: chosen.vault_name, tokens };
}

/** Returns a stored credential's tokens, which the server that issued them renews. */
export function deviceTokensOf(credentials: Credentials, credential: Credential): TokenSource {
  const anyone = new NotevaultClient(new Transport(credential.url, noToken));
  return credentials.tokens(credential, (refreshToken) => anyone.refreshDevice(refreshToken));
}

async function byToken(token: string, flags: ConnectFlags, known: Known | null): Promise<VaultAccess> {
  const address = flags.url ?? known?.url;
  if (address === undefined) throw new CliError('NOTEVAULT_TOKEN is set: pass the server’s address with --url.');
  const url = serverOrigin(address, flags.allowHttp === true);
  const tokens = fixedToken(token);
  let vaults: readonly Vault[];
  try {
    vaults = await reached(new NotevaultClient(new Transport(url, tokens)).vaults());
  } catch (error) {
    if (error instanceof ServerStopped)
      throw new CliError(`${url} refuses NOTEVAULT_TOKEN: it may be revoked, or belong to another server.`);
    // The known vault is enough to start; the token is checked once the server is back.
    if (error instanceof ServerUnreachable && known?.vaultName !== undefined) return { ...known, url, tokens };
    throw error;
  }
  const wanted = flags.vault ?? known?.vaultId;
  const fitting = vaults.filter(({ id, name }) => wanted === undefined || id === wanted || name === wanted);
  if (fitting.length === 0)
    throw new CliError(`The token has no access to ${wanted === undefined ? 'any vault' : `the vault ${wanted}`}.`);
  const names = fitting.map((vault) => `${vaultInWords(vault.name, sharingInWords(vault))} (${vault.id})`);
  const flagOfChoice = '--vault, by name or id';
  const chosen = fitting.length === 1 ? fitting[0] : fitting[await ask('Which vault?', names, flagOfChoice)];
  if (chosen === undefined) throw new CliError('No vault was chosen.');
  if (known !== null && known.vaultId !== chosen.id)
    throw new CliError(
      'The folder is synced with another vault. To sync it with this one, first remove its .notevault folder.',
    );
  return { url, vaultId: chosen.id, vaultName: chosen.name, tokens };
}

/** Returns a client of the vault that sends a device id, so that the server remembers the device's feed position. */
export function vaultClientOf({ url, vaultId, tokens }: VaultAccess, deviceId: string): VaultClient {
  return new NotevaultClient(new Transport(url, tokens, { deviceId, upload: nodeUpload })).vault(vaultId);
}

/** Describes a vault to people. @param sharing owner and role of a shared vault, see sharingInWords */
export function vaultInWords(name: string, sharing: string | null): string {
  return `"${name}"${sharing === null ? '' : `, ${sharing},`}`;
}

function notSignedIn(url: string | undefined, vault: string | undefined): string {
  const place = `${vault === undefined ? '' : ` for the vault ${vault}`}${url === undefined ? '' : ` on ${url}`}`;
  return `This device is not signed in${place}: run "notevault login ${url ?? 'https://…'}" first, or set NOTEVAULT_TOKEN.`;
}
