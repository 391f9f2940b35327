import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { UserId, VaultId } from '@notevault/protocol/values/ids.ts';
import type { SealingKey } from '../../ports/keyring/keyring.ts';
import { type AccessScope, accessScopeOf, narrower, type PermissionLevel, type Principal } from '../access/access.ts';
import { bearerOf, hashOf, prefixes, prefixOf } from '../tokens/tokens.ts';
import * as store from './credentials.store.ts';
import type { ConnectionKind } from './credentials.tables.ts';
import type { CredentialDeps } from './credentials.ts';
import type { Client, LastUsed } from './last-used.ts';

/** A row of a connection; there is one for each vault with its own level. */
export interface CredentialRow {
  readonly user_id: UserId;
  readonly id: string;
  readonly kind: ConnectionKind;
  readonly name: Buffer | null;
  readonly default_permission: PermissionLevel;
  readonly scope: string | null;
  /** The plan of the account. */
  readonly tier: string;
  readonly display_name: string | null;
  /** When the account was suspended; then the connection must not be used. */
  readonly suspended_at: number | null;
  readonly last_used_at: number | null;
  readonly vault_id: VaultId | null;
  readonly permission: PermissionLevel | null;
}

/** Looks up the connection of a token; no rows for an unknown token, or one whose connection has ended. */
export type TokenLookup = (token: string) => Promise<readonly CredentialRow[]>;

const NOWHERE: Client = { ip: null, userAgent: null };

/** Authenticates tokens. A token's prefix decides which kind of credential looks it up. */
export class Authentication {
  readonly #deps: Pick<CredentialDeps, 'db' | 'keys' | 'accounts'>;
  readonly #lastUsed: LastUsed;
  readonly #lookups: ReadonlyMap<string, TokenLookup>;

  constructor(deps: CredentialDeps, lastUsed: LastUsed) {
    this.#deps = deps;
    this.#lastUsed = lastUsed;
    const findKey: TokenLookup = (token) => deps.db.all(store.findBySecret, { hash: hashOf(token) });
    this.#lookups = new Map([
      [prefixes.pat, findKey],
      [prefixes.key, findKey],
      [prefixes.device, deps.hooks.findDeviceToken],
      [prefixes.oauth, deps.hooks.findOAuthToken],
    ]);
  }

  authenticate(authorization: string | undefined, client?: Client): Promise<Principal> {
    const token = bearerOf(authorization);
    return token === null ? Promise.reject(new NotevaultError('unauthorized')) : this.authenticateToken(token, client);
  }

  authenticateToken(token: string, client: Client = NOWHERE): Promise<Principal> {
    const prefix = prefixOf(token);
    return prefix === prefixes.session
      ? this.#deps.accounts.authenticate(`Bearer ${token}`)
      : this.#authenticateConnection(prefix, token, client);
  }

  async #authenticateConnection(prefix: string, token: string, client: Client): Promise<Principal> {
    const { keys } = this.#deps;
    const rows = (await this.#lookups.get(prefix)?.(token)) ?? [];
    const [first] = rows;
    if (first === undefined) throw new NotevaultError('unauthorized');
    if (first.suspended_at !== null) throw new NotevaultError('suspended');
    this.#lastUsed.record({ userId: first.user_id, id: first.id }, first.last_used_at, client);
    return principalOf(first, rows, await keys.openServer());
  }

  async recall(principal: Principal): Promise<Principal | null> {
    const { db, accounts, keys } = this.#deps;
    if (principal.kind === 'session') return accounts.recall(principal);
    const rows = await db.all(store.findUsable, { userId: principal.userId, id: principal.credentialId });
    const [first] = rows;
    if (first === undefined || first.suspended_at !== null) return null;
    const now = principalOf(first, rows, await keys.openServer());
    // A token may have a smaller scope than its connection.
    const { scope = now.scope } = principal;
    return { ...now, scope: narrower(now.scope, scope) };
  }
}

function principalOf(
  row: CredentialRow,
  rows: readonly CredentialRow[],
  server: SealingKey,
): Principal & { readonly scope: AccessScope } {
  const permissions = new Map<VaultId, PermissionLevel>();
  for (const { vault_id, permission } of rows)
    if (vault_id !== null && permission !== null) permissions.set(vault_id, permission);
  return {
    kind: row.kind === 'pat' ? 'key' : row.kind,
    userId: row.user_id,
    credentialId: row.id,
    name: openName(server, { userId: row.user_id, id: row.id }, row.name),
    tier: row.tier,
    displayName: row.display_name,
    scope: accessScopeOf({ defaultPermission: row.default_permission, permissions, scope: row.scope }),
  };
}

interface NamedRow {
  readonly userId: string;
  readonly id: string;
}

const contextOf = ({ userId, id }: NamedRow) => ({ kind: 'connections.name', row: `${userId}.${id}`, version: 0 });

/** Seals the name of a connection under the server's key, because the name of a device is often that of its owner. */
export function sealName(server: SealingKey, connection: NamedRow, name: string): Buffer {
  return server.seal(contextOf(connection), Buffer.from(name));
}

/** Opens the name; empty for a revoked connection. Throws KeyringError `damaged_value`. */
export function openName(server: SealingKey, connection: NamedRow, sealed: Buffer | null): string {
  return sealed === null ? '' : server.open(contextOf(connection), sealed).toString();
}
