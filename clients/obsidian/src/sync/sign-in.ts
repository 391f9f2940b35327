import type { DeviceTokens, TokenSource } from '@notevault/client/tokens.ts';
import { ServerStopped } from '@notevault/sync/engine/ports.ts';
import type { SecretStorage } from 'obsidian';

/** Thrown where a device is signed out: nothing of its state changes by that. */
export class SignedOut extends ServerStopped {}

/**
 * The tokens of this device in the app’s store of secrets, which all plugins of the vault share. Nothing deletes a
 * secret: an empty one says signed out, and so does none, because some systems lose them. Neither says new device.
 */
export class SignIn {
  readonly #secrets: Pick<SecretStorage, 'getSecret' | 'setSecret'>;
  readonly #id: string;
  /** Tokens of this app run, for systems without a secret store. */
  #tokens: DeviceTokens | null = null;
  #isStored = true;

  constructor(secrets: Pick<SecretStorage, 'getSecret' | 'setSecret'>, folderId: string) {
    this.#secrets = secrets;
    this.#id = `notevault-${folderId}`;
  }

  /** Null if this device is signed out. */
  get tokens(): DeviceTokens | null {
    if (!this.#isStored) return this.#tokens;
    try {
      const value = this.#secrets.getSecret(this.#id);
      return value ? (JSON.parse(value) as DeviceTokens) : null;
    } catch {
      return null;
    }
  }

  /** Whether the system keeps the tokens; if not, this device is signed out once the app ends. */
  get isStored(): boolean {
    return this.#isStored;
  }

  save({ access_token, refresh_token }: DeviceTokens): void {
    this.#tokens = { access_token, refresh_token };
    const value = JSON.stringify(this.#tokens);
    try {
      this.#secrets.setSecret(this.#id, value);
      this.#isStored = this.#secrets.getSecret(this.#id) === value;
    } catch {
      this.#isStored = false;
    }
  }

  clear(): void {
    this.#tokens = null;
    this.#isStored = true;
    try {
      this.#secrets.setSecret(this.#id, '');
    } catch {
      // It stores none.
    }
  }

  /** @param rotate exchanges a refresh token, like NotevaultClient.refreshDevice */
  source(rotate: (refreshToken: string) => Promise<DeviceTokens>): TokenSource {
    let renewed: Promise<string> | null = null;
    const current = (): DeviceTokens => {
      const { tokens } = this;
      if (tokens === null) throw new SignedOut('this device is signed out');
      return tokens;
    };
    const renew = async (): Promise<string> => {
      const next = await rotate(current().refresh_token);
      this.save(next);
      return next.access_token;
    };
    return {
      token: async () => current().access_token,
      async refresh(refused) {
        const { access_token } = current();
        if (access_token !== refused) return access_token;
        renewed ??= renew().finally(() => {
          renewed = null;
        });
        return renewed;
      },
    };
  }
}
