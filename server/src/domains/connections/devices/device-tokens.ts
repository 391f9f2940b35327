import { NotevaultError } from '@notevault/protocol/errors.ts';
import { parseUuid, type UserId, type VaultId } from '@notevault/protocol/ids.ts';
import type { WriteHandle } from '../../../ports/database/database.ts';
import type { SealingKey } from '../../../ports/keyring/keyring.ts';
import { GRACE_MS, hashOf, newToken, type PresentedToken, prefixes, rotate } from '../../tokens/tokens.ts';
import { insertConnection } from '../api-keys/api-keys.ts';
import type { TokenLookup } from '../authentication.ts';
import type { ConnectionDepsWithUsage } from '../connections.deps.ts';
import * as connections from '../connections.store.ts';
import type { Client } from '../last-used.ts';
import type { DescribeConnections } from '../queries.ts';
import * as store from './device.store.ts';

const FAMILY_PREFIX = 'nv_dvr_';
const FAMILY_BYTES = 16;
const ACCESS_SECONDS = 15 * 60;
const REFRESH_MS = 90 * 24 * 60 * 60 * 1000;
const NAMELESS = 'Device';

/** What a device gets when it is let in, and at each refresh. */
export interface DevicePair {
  readonly accessToken: string;
  readonly refreshToken: string;
  /** Seconds the access token is valid for. */
  readonly expiresIn: number;
  /** The vault it reaches; null once that was purged. */
  readonly vaultId: VaultId | null;
}

/** A device to let in. */
export interface NewDevice {
  readonly userId: UserId;
  readonly vaultId: VaultId;
  readonly name: string | null;
  readonly softwareId: string | null;
}

/** A device's connection and its first tokens: made and sealed before the transaction opens. */
export interface Admission {
  readonly tokens: Omit<DevicePair, 'vaultId'>;
  write(handle: WriteHandle, device: NewDevice): Promise<void>;
}

export interface DeviceTokens {
  admit(server: SealingKey, client: Client): Admission;
  /** Ends a device of the user; false when it is not theirs, or has ended before. */
  end(handle: WriteHandle, family: Family): Promise<boolean>;
  /** The next tokens of a device. Throws `invalid_device_token`. */
  refresh(refreshToken: string): Promise<DevicePair>;
  /** Ends a device; one that was ended before stays so. Throws `connection_not_found`. */
  revoke(userId: UserId, familyId: string): Promise<void>;
  readonly lookup: TokenLookup;
  readonly describe: DescribeConnections;
}

interface Family {
  readonly userId: UserId;
  readonly id: string;
}

export function createDeviceTokens({ db, keys, clock, events, lastUsed }: ConnectionDepsWithUsage): DeviceTokens {
  async function writeAccess(handle: WriteHandle, family: Family, hash: Buffer): Promise<void> {
    const now = clock.now();
    await handle.run(store.deleteExpiredAccess, { ...family, now });
    await handle.run(store.insertAccess, { ...family, hash, expiresAt: now + ACCESS_SECONDS * 1000 });
  }

  async function end(handle: WriteHandle, family: Family): Promise<boolean> {
    const { userId, id } = family;
    const revoked = await handle.run(connections.markRevoked, { userId, id, kind: 'device', now: clock.now() });
    if (revoked === 0) return false;
    await handle.run(connections.deletePermissions, { userId, connectionId: id });
    await handle.run(store.deleteFamily, { userId, id });
    handle.onCommit(() => events.emit('credentialsChanged', { userId }));
    return true;
  }

  function presented(handle: WriteHandle, family: Family, { hash, next, sealed, now }: Rotation): PresentedToken {
    const { userId, id } = family;
    return {
      async hold() {
        const expiresAt = now + REFRESH_MS;
        return (await handle.get(store.prolongFamily, { userId, id, expiresAt })) !== undefined;
      },
      async replace() {
        if ((await handle.run(store.replaceRefresh, { userId, id, hash, now })) === 0) return false;
        await handle.run(store.insertRefresh, { userId, id, hash: next, sealed });
        await handle.run(store.deleteReplacedRefresh, { userId, id, before: now - GRACE_MS });
        return true;
      },
      async replacedAt() {
        return (await handle.get(store.findRefresh, { userId, id, hash }))?.replaced_at;
      },
      async current() {
        return (await handle.get(store.findCurrentRefresh, { userId, id }))?.sealed;
      },
      async end() {
        await end(handle, family);
      },
    };
  }

  return {
    end,
    admit(server, client) {
      const id = clock.uuid();
      const family = FAMILY_PREFIX + clock.random(FAMILY_BYTES).toString('base64url');
      const refresh = newToken(clock.random, `${family}.`);
      const access = newToken(clock.random, prefixes.device);
      const sealed = server.seal(contextOf(id), Buffer.from(refresh.raw));
      return {
        tokens: { accessToken: access.raw, refreshToken: refresh.raw, expiresIn: ACCESS_SECONDS },
        async write(handle, { userId, vaultId, name, softwareId }) {
          const now = clock.now();
          const reach = {
            defaultPermission: 'none',
            permissions: new Map([[vaultId, 'write'] as const]),
            scope: null,
          } as const;
          const connection = { id, kind: 'device', name: name ?? NAMELESS, secretHash: null, ...reach } as const;
          await insertConnection(handle, server, userId, connection, now);
          const expiresAt = now + REFRESH_MS;
          const software = softwareId === null ? null : server.seal(softwareContext(id), Buffer.from(softwareId));
          await handle.run(store.insertFamily, { userId, id, familyHash: hashOf(family), software, expiresAt });
          await handle.run(store.insertRefresh, { userId, id, hash: refresh.hash, sealed });
          await writeAccess(handle, { userId, id }, access.hash);
          // The first address is the one it was let in from.
          handle.onCommit(() => lastUsed.record(userId, id, null, client));
        },
      };
    },
    async refresh(refreshToken) {
      const [prefix = ''] = refreshToken.split('.', 1);
      const now = clock.now();
      const family = await db.get(store.findFamily, { familyHash: hashOf(prefix), now });
      if (family === undefined) throw new NotevaultError('invalid_device_token');
      const server = await keys.openServer();
      const next = newToken(clock.random, `${prefix}.`);
      const access = newToken(clock.random, prefixes.device);
      const sealed = server.seal(contextOf(family.id), Buffer.from(next.raw));
      const rotation = { hash: hashOf(refreshToken), next: next.hash, sealed, now };
      const current = await db.transact(async (handle) => {
        const found = await rotate(presented(handle, family, rotation), sealed, now);
        if (found !== null) await writeAccess(handle, family, access.hash);
        return found;
      });
      if (current === null) throw new NotevaultError('invalid_device_token');
      const raw = server.open(contextOf(family.id), current).toString();
      return { accessToken: access.raw, refreshToken: raw, expiresIn: ACCESS_SECONDS, vaultId: family.vault_id };
    },
    async revoke(userId, familyId) {
      const id = parseUuid(familyId);
      if (id === null) throw new NotevaultError('connection_not_found');
      await db.transact(async (handle) => {
        if (await end(handle, { userId, id })) return;
        const ever = await handle.get(connections.findAnyConnection, { userId, id, kind: 'device' });
        if (ever === undefined) throw new NotevaultError('connection_not_found');
      });
    },
    lookup: (token) => db.all(store.findAccess, { hash: hashOf(token), now: clock.now() }),
    async describe(userId) {
      const server = await keys.openServer();
      const rows = await db.all(store.listFamilies, { userId });
      return new Map(
        rows.map(({ id, software }) => {
          const softwareId = software === null ? null : server.open(softwareContext(id), software).toString();
          return [id, { clientId: id, softwareId }];
        }),
      );
    },
  };
}

interface Rotation {
  readonly hash: Buffer;
  readonly next: Buffer;
  readonly sealed: Buffer;
  readonly now: number;
}

const softwareContext = (id: string) => ({ kind: 'device_families.software', row: id, version: 0 });
const contextOf = (familyId: string) => ({ kind: 'device_refresh_tokens.sealed', row: familyId, version: 0 });
