import type { DeviceTokensResponse } from '@notevault/protocol/devices.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import { parseUuid, type UserId, type VaultId } from '@notevault/protocol/values/ids.ts';
import type { WriteHandle } from '../../../ports/database/database.ts';
import type { SealingKey } from '../../../ports/keyring/keyring.ts';
import { GRACE_MS, hashOf, newToken, type PresentedToken, prefixes, rotate } from '../../foundation/tokens/tokens.ts';
import type { Client, ConnectionDetails, ConnectionKey, CredentialRow } from '../credentials/credentials.ts';
import * as store from './devices.store.ts';
import type { DeviceDeps } from './devices.ts';

const FAMILY_PREFIX = 'nv_dvr_';
const FAMILY_BYTES = 16;
export const ACCESS_SECONDS = 15 * 60;
export const REFRESH_MS = 90 * 24 * 60 * 60 * 1000;
const NAMELESS = 'Device';

export interface NewDevice {
  readonly userId: UserId;
  readonly vaultId: VaultId;
  readonly name: string | null;
  readonly softwareId: string | null;
}

/** A device's connection and its first tokens, created and sealed before the transaction begins. */
export interface Admission {
  readonly tokens: Omit<DeviceTokensResponse, 'vault_id'>;
  write(handle: WriteHandle, device: NewDevice): Promise<void>;
}

export class DeviceTokens {
  readonly #deps: DeviceDeps;

  constructor(deps: DeviceDeps) {
    this.#deps = deps;
  }

  /** @param client from which the device is authorized. */
  admit(server: SealingKey, client: Client): Admission {
    const { clock } = this.#deps;
    const id = clock.uuid();
    const family = FAMILY_PREFIX + clock.random(FAMILY_BYTES).toString('base64url');
    const refresh = newToken(clock.random, `${family}.`);
    const access = newToken(clock.random, prefixes.device);
    const sealed = server.seal(contextOf(id), Buffer.from(refresh.raw));
    return {
      tokens: tokensOf(access.raw, refresh.raw),
      write: async (handle, device) => {
        const key = { userId: device.userId, id };
        await this.#insert(handle, server, key, { ...device, familyHash: hashOf(family) });
        await handle.run(store.insertRefresh, { ...key, hash: refresh.hash, sealed });
        await this.#insertAccess(handle, key, access.hash);
        // The address from which the device was authorized counts as its first use.
        handle.onCommit(() => this.#deps.credentials.recordFirstUse(key, client));
      },
    };
  }

  /** Ends a device of the user; false when it belongs to another user, or has ended before. */
  async end(handle: WriteHandle, family: ConnectionKey): Promise<boolean> {
    if (!(await this.#deps.credentials.end(handle, 'device', family))) return false;
    await handle.run(store.deleteFamily, family);
    return true;
  }

  /** Returns the next tokens of a device. Throws `invalid_device_token`, `suspended`. */
  async refresh(refreshToken: string): Promise<DeviceTokensResponse> {
    const { db, keys, clock } = this.#deps;
    const [prefix = ''] = refreshToken.split('.', 1);
    const now = clock.now();
    const family = await db.get(store.findFamily, { familyHash: hashOf(prefix), now });
    if (family === undefined) throw new NotevaultError('invalid_device_token');
    if (family.suspended_at !== null) throw new NotevaultError('suspended');
    const { userId, id, vault_id: vaultId } = family;
    const server = await keys.openServer();
    const next = newToken(clock.random, `${prefix}.`);
    const access = newToken(clock.random, prefixes.device);
    const sealed = server.seal(contextOf(id), Buffer.from(next.raw));
    const [key, hash] = [{ userId, id }, hashOf(refreshToken)];
    const current = await db.transact(async (handle) => {
      const presented: PresentedToken = {
        async hold() {
          return (await handle.get(store.prolongFamily, { ...key, expiresAt: now + REFRESH_MS })) !== undefined;
        },
        async replace() {
          if ((await handle.run(store.replaceRefresh, { ...key, hash, now })) === 0) return false;
          await handle.run(store.insertRefresh, { ...key, hash: next.hash, sealed });
          await handle.run(store.deleteReplacedRefresh, { ...key, before: now - GRACE_MS });
          return true;
        },
        async replacedAt() {
          return (await handle.get(store.findRefresh, { ...key, hash }))?.replaced_at;
        },
        async current() {
          return (await handle.get(store.findCurrentRefresh, key))?.sealed;
        },
        end: async () => {
          await this.end(handle, key);
        },
      };
      const found = await rotate(presented, sealed, now);
      if (found !== null) await this.#insertAccess(handle, key, access.hash);
      return found;
    });
    if (current === null) throw new NotevaultError('invalid_device_token');
    // A vault that was purged is null.
    return { ...tokensOf(access.raw, server.open(contextOf(id), current).toString()), vault_id: vaultId };
  }

  /**
   * Ends the device of a refresh token, at its own request. A forged token of its family ends it too, because somebody
   * may have stolen a part of one. Has no effect on unknown or ended devices.
   */
  async signOff(refreshToken: string): Promise<void> {
    const { db, clock } = this.#deps;
    const [prefix = ''] = refreshToken.split('.', 1);
    const family = await db.get(store.findFamily, { familyHash: hashOf(prefix), now: clock.now() });
    if (family === undefined) return;
    const { userId, id } = family;
    await db.transact((handle) => this.end(handle, { userId, id }));
  }

  /** Ends a device; has no effect on one that has ended before. Throws `connection_not_found`. */
  async revoke(userId: UserId, familyId: string): Promise<void> {
    const { db, credentials } = this.#deps;
    const id = parseUuid(familyId);
    if (id === null) throw new NotevaultError('connection_not_found');
    await db.transact(async (handle) => {
      if (await this.end(handle, { userId, id })) return;
      if (!(await credentials.existed(handle, 'device', { userId, id }))) {
        throw new NotevaultError('connection_not_found');
      }
    });
  }

  find(token: string): Promise<readonly CredentialRow[]> {
    const { db, clock } = this.#deps;
    return db.all(store.findAccess, { hash: hashOf(token), now: clock.now() });
  }

  async describe(userId: UserId): Promise<ReadonlyMap<string, ConnectionDetails>> {
    const { db, keys } = this.#deps;
    const server = await keys.openServer();
    const rows = await db.all(store.listFamilies, { user_id: userId });
    return new Map(
      rows.map(({ id, software }) => {
        const softwareId = software === null ? null : server.open(softwareContext(id), software).toString();
        return [id, { clientId: id, softwareId }];
      }),
    );
  }

  async #insert(
    handle: WriteHandle,
    server: SealingKey,
    { userId, id }: ConnectionKey,
    { vaultId, name, softwareId, familyHash }: NewDevice & { readonly familyHash: Buffer },
  ): Promise<void> {
    const { clock, credentials } = this.#deps;
    const permissions = new Map([[vaultId, 'write'] as const]);
    const grant = { defaultPermission: 'none', permissions, scope: null } as const;
    const connection = { ...grant, userId, id, kind: 'device', name: name ?? NAMELESS, secretHash: null } as const;
    await credentials.insert(handle, server, connection);
    const software = softwareId === null ? null : server.seal(softwareContext(id), Buffer.from(softwareId));
    const family = { family_hash: familyHash, software, expires_at: clock.now() + REFRESH_MS };
    await handle.run(store.insertFamily, { user_id: userId, id, ...family });
  }

  async #insertAccess(handle: WriteHandle, family: ConnectionKey, hash: Buffer): Promise<void> {
    const now = this.#deps.clock.now();
    await handle.run(store.deleteExpiredAccess, { ...family, now });
    await handle.run(store.insertAccess, { ...family, hash, expiresAt: now + ACCESS_SECONDS * 1000 });
  }
}

function tokensOf(accessToken: string, refreshToken: string) {
  return { access_token: accessToken, refresh_token: refreshToken, token_type: 'Bearer', expires_in: ACCESS_SECONDS };
}

const softwareContext = (id: string) => ({ kind: 'device_families.software', row: id, version: 0 });
const contextOf = (familyId: string) => ({ kind: 'device_refresh_tokens.sealed', row: familyId, version: 0 });
