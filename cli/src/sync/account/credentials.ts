import { createHash } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DeviceTokens, TokenSource } from '@notevault/client/tokens.ts';
import { CliError } from '../../error-messages.ts';
import { replaceFile } from '../state/folder-registry.ts';
import { type Keychain, systemKeychain } from './keychain.ts';

/** Credential that `notevault login` stores: this device's tokens for one vault of a server. */
export interface Credential {
  readonly url: string;
  readonly vault_id: string;
  readonly vault_name: string;
  /** Owner and role in words, for a shared vault. */
  readonly vault_sharing?: string | null;
  readonly email: string;
  readonly access_token: string;
  readonly refresh_token: string;
  /** Whether the user allowed plain HTTP to this server. */
  readonly allow_http: boolean;
  /** Whether its tokens are in the keychain of the system instead of the file. */
  readonly in_keychain: boolean;
}

type StoredCredential = Omit<Credential, 'access_token' | 'refresh_token'> & Partial<DeviceTokens>;

/**
 * Credential files, one per vault and server, that only the user can read. Tokens are in the file or in the system's
 * keychain.
 */
export class Credentials {
  readonly #folder: string;
  readonly #open: () => Promise<Keychain | null>;
  #keychain: Promise<Keychain | null> | null = null;

  /** @param open opens the keychain once a credential needs it. */
  constructor(configFolder: string, open: () => Promise<Keychain | null> = systemKeychain) {
    this.#folder = join(configFolder, 'credentials');
    this.#open = open;
  }

  #openKeychain(): Promise<Keychain | null> {
    this.#keychain ??= this.#open();
    return this.#keychain;
  }

  async list(): Promise<Credential[]> {
    const names = await readdir(this.#folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
    const files = names.filter((name) => name.endsWith('.json')).sort();
    return Promise.all(files.map((name) => this.#read(join(this.#folder, name))));
  }

  async find(url: string, vaultId: string): Promise<Credential | null> {
    return (await this.list()).find((one) => one.url === url && one.vault_id === vaultId) ?? null;
  }

  /**
   * Stores a credential durably, replacing the one of the same vault. Resolves to whether its tokens are in the
   * keychain; without a working keychain they are in the file.
   */
  async save(credential: Credential): Promise<boolean> {
    const { access_token, refresh_token, ...rest } = credential;
    const tokens = { access_token, refresh_token };
    const in_keychain = credential.in_keychain && (await this.#keepInKeychain(nameOf(credential), tokens));
    const stored: StoredCredential = in_keychain ? rest : { ...rest, ...tokens, in_keychain };
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await chmod(this.#folder, 0o700);
    await replaceFile(this.#fileOf(credential), `${JSON.stringify(stored, null, 2)}\n`);
    return in_keychain;
  }

  async #keepInKeychain(name: string, tokens: DeviceTokens): Promise<boolean> {
    const keychain = await this.#openKeychain();
    if (keychain === null) return false;
    try {
      keychain.write(name, JSON.stringify(tokens));
      // Some services take a secret without keeping it.
      return keychain.read(name) === JSON.stringify(tokens);
    } catch {
      return false;
    }
  }

  async remove(credential: Credential): Promise<void> {
    if (credential.in_keychain) (await this.#openKeychain())?.remove(nameOf(credential));
    await rm(this.#fileOf(credential), { force: true });
  }

  /**
   * Returns a credential's tokens. Several processes may share a credential: before a process refreshes a refused
   * token, it checks whether another one has stored a newer token.
   *
   * @param rotate exchanges a refresh token, like NotevaultClient.refreshDevice.
   */
  tokens(credential: Credential, rotate: (refreshToken: string) => Promise<DeviceTokens>): TokenSource {
    let current = credential;
    let renewed: Promise<string> | null = null;
    const renew = async (refused: string | null): Promise<string> => {
      current = (await this.find(credential.url, credential.vault_id)) ?? current;
      if (current.access_token === refused) {
        const { access_token, refresh_token } = await rotate(current.refresh_token);
        current = { ...current, access_token, refresh_token };
        await this.save(current);
      }
      return current.access_token;
    };
    return {
      token: async () => current.access_token,
      async refresh(refused) {
        if (current.access_token !== refused) return current.access_token;
        renewed ??= renew(refused).finally(() => {
          renewed = null;
        });
        return renewed;
      },
    };
  }

  async #read(path: string): Promise<Credential> {
    let stored: StoredCredential;
    try {
      stored = JSON.parse(await readFile(path, 'utf8')) as StoredCredential;
    } catch (cause) {
      throw new CliError(
        `${path} cannot be read (${(cause as Error).message}): remove it, then run "notevault login" again.`,
        {
          cause,
        },
      );
    }
    return { ...stored, ...(await this.#tokensOf(stored)) };
  }

  async #tokensOf(stored: StoredCredential): Promise<DeviceTokens> {
    const { access_token, refresh_token, in_keychain, vault_name, url } = stored;
    if (!in_keychain && access_token !== undefined && refresh_token !== undefined)
      return { access_token, refresh_token };
    const kept = (await this.#openKeychain())?.read(nameOf(stored)) ?? null;
    if (kept !== null) return JSON.parse(kept) as DeviceTokens;
    throw new CliError(
      `The system’s keychain returned no tokens for the vault "${vault_name}": unlock it, or run "notevault login ${url}" again.`,
    );
  }

  #fileOf({ url, vault_id }: Pick<Credential, 'url' | 'vault_id'>): string {
    const name = createHash('sha256').update(nameOf({ url, vault_id })).digest('hex').slice(0, 32);
    return join(this.#folder, `${name}.json`);
  }
}

function nameOf({ url, vault_id }: Pick<Credential, 'url' | 'vault_id'>): string {
  return `${url} ${vault_id}`;
}
