import type { UserId, VaultId } from '@notevault/protocol/ids.ts';
import type { PermissionLevel, Principal } from '../access/access.ts';
import { onlyVault } from './access-scope.ts';
import { openName } from './connection-name.ts';
import type { ConnectionDeps } from './connections.deps.ts';
import * as store from './connections.store.ts';
import type { ConnectionKind } from './connections.tables.ts';
import type { LastUsed } from './last-used.ts';

/** What only some kinds of connections have to tell. */
export interface ConnectionDetails {
  /** The OAuth client's id, or the id of a device's family. */
  readonly clientId: string | null;
  readonly logo: string | null;
  readonly slug: string | null;
  readonly softwareId: string | null;
  readonly softwareVersion: string | null;
  readonly verified: boolean | null;
  readonly redirectUri: string | null;
  readonly redirectUris: readonly string[] | null;
  readonly cimdUrl: string | null;
}

/** A connection as its owner sees it. */
export interface Connection extends ConnectionDetails {
  readonly kind: ConnectionKind;
  readonly keyId: string | null;
  readonly name: string;
  readonly scope: string | null;
  readonly connectedAt: number;
  readonly lastUsedAt: number | null;
  readonly firstIp: string | null;
  readonly firstUserAgent: string | null;
  /** The only vault it can ever reach, while that is active. */
  readonly vaultId: VaultId | null;
  readonly vaultName: string | null;
}

/** Gives the details of a user's connections of one kind, by connection. */
export type DescribeConnections = (userId: UserId) => Promise<ReadonlyMap<string, Partial<ConnectionDetails>>>;

export interface ConnectionQueries {
  /** Every connection of the caller's account, oldest first. Throws `vault_unreadable`. */
  list(principal: Principal): Promise<Connection[]>;
}

const NOTHING: ConnectionDetails = {
  ...{ clientId: null, logo: null, slug: null, softwareId: null, softwareVersion: null },
  ...{ verified: null, redirectUri: null, redirectUris: null, cimdUrl: null },
};

export function createQueries(
  { db, keys, vaults }: ConnectionDeps,
  lastUsed: LastUsed,
  describe: readonly DescribeConnections[],
): ConnectionQueries {
  return {
    async list(principal) {
      const { userId } = principal;
      // What this process has seen used must not look unused.
      await lastUsed.flush();
      const server = await keys.openServer();
      const rows = await db.all(store.listConnections, { userId });
      const permissions = permissionsBy(await db.all(store.listPermissions, { userId }));
      const details = await Promise.all(describe.map((each) => each(userId)));
      const bound = rows.map((row) =>
        onlyVault({ defaultPermission: row.default_permission, permissions: permissions.get(row.id) ?? new Map() }),
      );
      const names = bound.some((id) => id !== null) ? await vaultNames(principal) : new Map<VaultId, string>();
      return rows.map((row, index) => {
        const vaultId = bound[index] ?? null;
        return {
          ...Object.assign({}, NOTHING, ...details.map((each) => each.get(row.id) ?? {})),
          kind: row.kind,
          keyId: row.kind === 'pat' ? row.id : null,
          name: openName(server, { userId, id: row.id }, row.name),
          scope: row.scope,
          connectedAt: row.created_at,
          lastUsedAt: row.last_used_at,
          firstIp: row.first_ip,
          firstUserAgent: row.first_user_agent,
          vaultId,
          vaultName: vaultId === null ? null : (names.get(vaultId) ?? null),
        };
      });
    },
  };

  async function vaultNames(principal: Principal): Promise<ReadonlyMap<VaultId, string>> {
    const active = await vaults.list(principal, { deleted: false });
    return new Map(active.map(({ id, name }) => [id, name]));
  }
}

function permissionsBy(rows: readonly { connection_id: string; vault_id: VaultId; permission: PermissionLevel }[]) {
  const permissions = new Map<string, Map<VaultId, PermissionLevel>>();
  for (const { connection_id, vault_id, permission } of rows) {
    const of = permissions.get(connection_id) ?? new Map<VaultId, PermissionLevel>();
    permissions.set(connection_id, of.set(vault_id, permission));
  }
  return permissions;
}
