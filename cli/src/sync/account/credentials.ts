import { createHash } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DeviceTokens, TokenSource } from '@notevault/client/tokens.ts';
import { CliError } from '../../error-messages.ts';
import { replaceFile } from '../state/folder-registry.ts';

/** What `notevault login` got: the tokens of this device for one vault of one server. */
export interface Credential {
  readonly url: string;
  readonly vault_id: string;
  readonly vault_name: string;
  readonly email: string;
  readonly access_token: string;
  readonly refresh_token: string;
  /** Whether the user allowed plain HTTP to this server. */
  readonly allow_http: boolean;
}

/** Files with credentials, one for each vault of each server, which only their owner can read. */
export class Credentials {
  readonly #folder: string;

  constructor(configFolder: string) {
    this.#folder = join(configFolder, 'credentials');
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

  /** Stores a credential durably; it replaces the one of the same vault. */
  async save(credential: Credential): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await chmod(this.#folder, 0o700);
    await replaceFile(this.#fileOf(credential), `${JSON.stringify(credential, null, 2)}\n`);
  }

  async remove(credential: Credential): Promise<void> {
    await rm(this.#fileOf(credential), { force: true });
  }

  /**
   * The tokens of a credential. Several processes may use it: one that finds its token refused first looks whether
   * another has stored a newer one.
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
    try {
      return JSON.parse(await readFile(path, 'utf8')) as Credential;
    } catch (cause) {
      throw new CliError(`${path} cannot be read (${(cause as Error).message}): remove it and sign in again.`, {
        cause,
      });
    }
  }

  #fileOf({ url, vault_id }: Pick<Credential, 'url' | 'vault_id'>): string {
    const name = createHash('sha256').update(`${url} ${vault_id}`).digest('hex').slice(0, 32);
    return join(this.#folder, `${name}.json`);
  }
}
