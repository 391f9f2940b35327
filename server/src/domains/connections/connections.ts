import type { VaultId } from '@notevault/protocol/values/ids.ts';
import { onlyVault, type Principal } from '../access/access.ts';
import type {
  ConnectionDetails,
  ConnectionKind,
  Credentials,
  DescribeConnections,
  StoredConnection,
} from '../credentials/credentials.ts';
import type { Vaults } from '../vaults/vaults.ts';

/** The injected dependencies of the domain. */
export interface ConnectionDeps {
  readonly credentials: Pick<Credentials, 'list' | 'permissions'>;
  readonly vaults: Pick<Vaults, 'list'>;
  /** Returns details that only some kinds of connections have. */
  readonly describe: readonly DescribeConnections[];
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
  /** The only vault that it can ever access, while that vault is active. */
  readonly vaultId: VaultId | null;
  readonly vaultName: string | null;
}

const NO_DETAILS: ConnectionDetails = {
  clientId: null,
  logo: null,
  slug: null,
  softwareId: null,
  softwareVersion: null,
  verified: null,
  redirectUri: null,
  redirectUris: null,
  cimdUrl: null,
};

/** Everything that may act for an account without its password: keys, linked devices, OAuth clients. */
export class Connections {
  readonly #deps: ConnectionDeps;

  constructor(deps: ConnectionDeps) {
    this.#deps = deps;
  }

  /** Every connection of the caller's account, oldest first. Throws `vault_unreadable`. */
  async list(principal: Principal): Promise<Connection[]> {
    const { credentials, describe } = this.#deps;
    const { userId } = principal;
    const stored = await credentials.list(userId);
    const permissions = await credentials.permissions(userId);
    const details = await Promise.all(describe.map((each) => each(userId)));
    const vaultIds = stored.map(({ id, defaultPermission }) =>
      onlyVault({ defaultPermission, permissions: permissions.get(id) ?? new Map() }),
    );
    const names = vaultIds.some((id) => id !== null) ? await this.#vaultNames(principal) : new Map<VaultId, string>();
    return stored.map((connection, index) => {
      const told = Object.assign({}, ...details.map((each) => each.get(connection.id) ?? {}));
      return connectionOf(connection, told, vaultIds[index] ?? null, names);
    });
  }

  async #vaultNames(principal: Principal): Promise<ReadonlyMap<VaultId, string>> {
    const active = await this.#deps.vaults.list(principal, { deleted: false });
    return new Map(active.map(({ id, name }) => [id, name]));
  }
}

function connectionOf(
  stored: StoredConnection,
  details: Partial<ConnectionDetails>,
  vaultId: VaultId | null,
  vaultNames: ReadonlyMap<VaultId, string>,
): Connection {
  return {
    ...NO_DETAILS,
    ...details,
    kind: stored.kind,
    keyId: stored.kind === 'pat' ? stored.id : null,
    name: stored.name,
    scope: stored.scope,
    connectedAt: stored.createdAt,
    lastUsedAt: stored.lastUsedAt,
    firstIp: stored.firstIp,
    firstUserAgent: stored.firstUserAgent,
    vaultId,
    vaultName: vaultId === null ? null : (vaultNames.get(vaultId) ?? null),
  };
}
