import type { Connection } from '@notevault/protocol/connections.ts';
import type { VaultId } from '@notevault/protocol/values/ids.ts';
import { isoTime, isoTimeOrNull } from '@notevault/protocol/values/time.ts';
import type { Vaults } from '../../../content/vaults/vaults.ts';
import { onlyVault, type Principal } from '../../../foundation/access/access.ts';
import type { Credentials, DescribeConnections } from '../credentials.ts';

export interface ConnectionDeps {
  readonly credentials: Pick<Credentials, 'list' | 'permissions'>;
  readonly vaults: Pick<Vaults, 'list'>;
  /** Returns details that only some kinds of connections have. */
  readonly describe: readonly DescribeConnections[];
}

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
    // The only vault that each can ever access, while that vault is active.
    const vaultIds = stored.map(({ id, default_permission: defaultPermission }) =>
      onlyVault({ defaultPermission, permissions: permissions.get(id) ?? new Map() }),
    );
    const names = vaultIds.some((id) => id !== null) ? await this.#vaultNames(principal) : new Map<VaultId, string>();
    return stored.map(({ id, kind, name, scope, created_at, last_used_at, first_ip, first_user_agent }, index) => {
      const vaultId = vaultIds[index] ?? null;
      const told = details.find((each) => each.has(id))?.get(id);
      return {
        kind,
        client_id: told?.clientId ?? null,
        key_id: kind === 'pat' ? id : null,
        name,
        scope,
        slug: told?.slug ?? null,
        logo: told?.logo ?? null,
        software_id: told?.softwareId ?? null,
        software_version: told?.softwareVersion ?? null,
        connected_at: isoTime(created_at),
        last_used_at: isoTimeOrNull(last_used_at),
        first_ip,
        first_user_agent,
        vault_id: vaultId,
        vault_name: vaultId === null ? null : (names.get(vaultId) ?? null),
        verified: told?.verified ?? null,
        redirect_uri: told?.redirectUri ?? null,
        redirect_uris: told?.redirectUris ?? null,
        cimd_url: told?.cimdUrl ?? null,
      };
    });
  }

  async #vaultNames(principal: Principal): Promise<ReadonlyMap<VaultId, string>> {
    const active = await this.#deps.vaults.list(principal, { deleted: false });
    return new Map(active.map(({ id, name }) => [id, name]));
  }
}
