import { linkDevice } from '@notevault/client/device-link.ts';
import { NotevaultClient } from '@notevault/client/notevault-client.ts';
import { type DeviceTokens, noToken, type TokenSource } from '@notevault/client/tokens.ts';
import { type Http, Transport } from '@notevault/client/transport.ts';
import { requireFit } from '@notevault/client/version-fit.ts';
import type { DeviceStarted } from '@notevault/protocol/devices.ts';
import { sleep } from './app-clock.ts';

/** The vault with which this one is synced. None of it is a secret. */
export interface Connection {
  readonly url: string;
  readonly vaultId: string;
  readonly vaultName: string;
}

/** Returns the address of a server as somebody types it, or as its page has it; null for none. */
export function addressOf(typed: string): string | null {
  const text = typed.trim();
  try {
    const url = new URL(/^https?:\/\//i.test(text) ? text : `https://${text}`);
    if (url.hostname === '' || url.username !== '') return null;
    return url.origin + url.pathname.replace(/\/+(?:(?:api|vaults)(?:\/.*)?)?$/, '');
  } catch {
    return null;
  }
}

/** Returns whether what is sent to an address can be read on the way. */
export function isOpenToAll(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === 'http:' && !['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}

export interface ConnectOptions {
  /** The server's address, also below a path of its host. */
  readonly address: string;
  readonly deviceName: string;
  readonly vaultName: string;
  readonly http: Http;
  readonly signal: AbortSignal;
  /** Shows the code and the page on which a person approves it, and chooses or makes a vault. */
  readonly show: (started: DeviceStarted) => void;
}

/** Links this device. Throws VersionMisfit, LinkRefused, ApiError, ConnectionError, and the signal’s reason. */
export async function connect({ address, http, signal, ...options }: ConnectOptions) {
  const anyone = new NotevaultClient(new Transport(address, noToken, { fetch: http, sleep, signal }));
  await requireFit(anyone.transport);
  // The list of connections must tell it from a synced folder on the same device.
  const names = { device_name: `Obsidian (${options.deviceName})`, vault_name: options.vaultName };
  const grant = await linkDevice(anyone, names, options.show, (ms) => sleep(ms, signal));
  const vaultId = grant.vault_id;
  if (vaultId === null) throw new Error('the server named no vault');
  const tokens: DeviceTokens = { access_token: grant.access_token, refresh_token: grant.refresh_token };
  const token: TokenSource = { ...noToken, token: async () => tokens.access_token };
  const vaults = await new NotevaultClient(new Transport(address, token, { fetch: http, sleep, signal })).vaults();
  const vaultName = vaults.find(({ id }) => id === vaultId)?.name ?? options.vaultName;
  return { connection: { url: address, vaultId, vaultName } satisfies Connection, tokens, email: grant.user_email };
}

/** Ends the link on the server; a server that is away hears nothing, and its token ends by itself. */
export async function disconnect(url: string, tokens: DeviceTokens, http: Http): Promise<void> {
  const anyone = new NotevaultClient(new Transport(url, noToken, { fetch: http, sleep, tries: 1 }));
  await anyone.endDevice(tokens.refresh_token);
}
