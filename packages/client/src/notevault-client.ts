import type {
  BootstrapResponse,
  ProfileBody,
  Session,
  SessionsResponse,
  SignedInResponse,
  TokensResponse,
  User,
  UserResponse,
} from '@notevault/protocol/accounts.ts';
import type { Connection, ConnectionsResponse } from '@notevault/protocol/connections.ts';
import type { DeviceGrantResponse, DeviceStarted, DeviceTokensResponse } from '@notevault/protocol/devices.ts';
import type { UploadInto, UploadsInto } from '@notevault/protocol/uploads.ts';
import { cleanText } from '@notevault/protocol/values/clean-text.ts';
import type { StorageResponse, Vault, VaultResponse, VaultsResponse } from '@notevault/protocol/vaults.ts';
import { AdminClient } from './admin-client.ts';
import { ImportsClient } from './imports-client.ts';
import type { Transport } from './transport.ts';
import { VaultClient } from './vault-client.ts';

/** The operations on an account. All of them throw ApiError and ConnectionError. */
export class NotevaultClient {
  readonly transport: Transport;

  constructor(transport: Transport) {
    this.transport = transport;
  }

  /** The operations of admins. */
  get admin(): AdminClient {
    return new AdminClient(this.transport);
  }

  /** Imports of archives, and exports of vaults. */
  get imports(): ImportsClient {
    return new ImportsClient(this.transport);
  }

  vault(id: string): VaultClient {
    return new VaultClient(this.transport, id);
  }

  async me(): Promise<User> {
    return (await this.#get<UserResponse>('/me')).user;
  }

  async updateMe(json: ProfileBody): Promise<User> {
    return (await this.transport.json<UserResponse>({ method: 'PATCH', path: '/me', json })).user;
  }

  async vaults(): Promise<Vault[]> {
    return (await this.#get<VaultsResponse>('/vaults')).vaults;
  }

  async createVault(name: string): Promise<Vault> {
    return (await this.transport.json<VaultResponse>({ method: 'POST', path: '/vaults', json: { name } })).vault;
  }

  /** Returns the open uploads into the account's vaults, whoever began them. */
  async uploadsInto(): Promise<UploadInto[]> {
    return (await this.#get<UploadsInto>('/user/storage/uploads')).uploads;
  }

  async storage(): Promise<StorageResponse> {
    return this.#get<StorageResponse>('/user/storage');
  }

  async connections(): Promise<Connection[]> {
    return this.#get<ConnectionsResponse>('/connections');
  }

  /** Returns whether the first account is still missing, who may register, and whether this needs the setup token. */
  async bootstrap(): Promise<BootstrapResponse> {
    return this.#get<BootstrapResponse>('/auth/bootstrap');
  }

  /** Creates an account and signs in. A lost answer is not requested again: sign in instead. */
  async register(account: {
    readonly email: string;
    readonly password: string;
    readonly display_name?: string;
    readonly invite?: string;
    readonly setup_token?: string;
  }): Promise<SignedInResponse> {
    return this.transport.json({ method: 'POST', path: '/auth/register', json: account, repeatable: false });
  }

  /** Returns the sessions of the account, the one used last first. */
  async sessions(): Promise<Session[]> {
    return (await this.#get<SessionsResponse>('/me/sessions')).sessions;
  }

  async endSession(id: string): Promise<void> {
    await this.transport.json({ method: 'DELETE', path: `/me/sessions/${encodeURIComponent(id)}` });
  }

  /** Ends every session but this one; resolves to their number. */
  async endOtherSessions(): Promise<number> {
    const { deleted } = await this.transport.json<{ deleted: number }>({ method: 'DELETE', path: '/me/sessions' });
    return deleted;
  }

  /** Signs in; the answer carries a refresh cookie for browsers. */
  async login(email: string, password: string): Promise<TokensResponse> {
    return this.transport.json({ method: 'POST', path: '/auth/login', json: { email, password }, repeatable: false });
  }

  /**
   * Starts to link a device to a vault: show the code, and poll until a person has approved it on the server's page.
   */
  async startDeviceLink(names: { device_name?: string; vault_name?: string }): Promise<DeviceStarted> {
    // Names of computers and folders may have characters that the server refuses.
    const json = { device_name: cleanText(names.device_name), vault_name: cleanText(names.vault_name) };
    return this.transport.json({ method: 'POST', path: '/auth/device', json });
  }

  /** Returns the device's tokens once its link is approved; until then throws ApiError `authorization_pending`. */
  async pollDeviceLink(deviceCode: string): Promise<DeviceGrantResponse> {
    // A code works once, so a lost answer cannot be requested again.
    const json = { device_code: deviceCode };
    return this.transport.json({ method: 'POST', path: '/auth/device/token', json, repeatable: false });
  }

  /** Returns the next pair of tokens of a device; the server accepts the old one for another half minute. */
  async refreshDevice(refreshToken: string): Promise<DeviceTokensResponse> {
    return this.transport.json({
      method: 'POST',
      path: '/auth/token/refresh',
      json: { refresh_token: refreshToken },
    });
  }

  /** Ends a linked device: its tokens stop working. Resolves also when it has ended before. */
  async endDevice(refreshToken: string): Promise<void> {
    const json = { refresh_token: refreshToken };
    await this.transport.json({ method: 'POST', path: '/auth/token/revoke', json });
  }

  #get<Body>(path: string): Promise<Body> {
    return this.transport.json({ method: 'GET', path });
  }
}
