import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { UserId, VaultId } from '@notevault/protocol/ids.ts';
import type { SealingKey } from '../../ports/keyring/keyring.ts';
import type { AccessScope, PermissionLevel, Principal } from '../access/access.ts';
import { bearerOf, hashOf, prefixes, prefixOf } from '../tokens/tokens.ts';
import { accessScopeOf, narrower } from './access-scope.ts';
import { openName } from './connection-name.ts';
import type { ConnectionDeps } from './connections.deps.ts';
import * as store from './connections.store.ts';
import type { ConnectionKind } from './connections.tables.ts';
import type { Client, LastUsed } from './last-used.ts';

/** Rows of one connection that may be used, one for each vault with a level of its own. */
export interface CredentialRow {
  readonly user_id: UserId;
  readonly id: string;
  readonly kind: ConnectionKind;
  readonly name: Buffer | null;
  readonly default_permission: PermissionLevel;
  readonly scope: string | null;
  /** The plan of the account. */
  readonly tier: string;
  readonly last_used_at: number | null;
  readonly vault_id: VaultId | null;
  readonly permission: PermissionLevel | null;
}

/** The connection that a token stands for; no rows when it stands for none, or for none that may be used now. */
export type TokenLookup = (token: string) => Promise<readonly CredentialRow[]>;

export interface Authentication {
  /** The caller behind an `Authorization` header, whatever its credential. Throws `unauthorized`. */
  authenticate(authorization: string | undefined, client?: Client): Promise<Principal>;
  /** As `authenticate`, for the token alone. */
  authenticateToken(token: string, client?: Client): Promise<Principal>;
  /** What the credential of a principal may do now, never more than the token it came with; null once it may do nothing. */
  recall(principal: Principal): Promise<Principal | null>;
}

const NOWHERE: Client = { ip: null, userAgent: null };

/** @param lookups by what the tokens of a kind begin with, for the kinds that have tokens of their own. */
export function createAuthentication(
  { db, keys, accounts }: ConnectionDeps,
  lastUsed: LastUsed,
  lookups: Readonly<Record<string, TokenLookup>>,
): Authentication {
  const key: TokenLookup = (token) => db.all(store.findBySecret, { hash: hashOf(token) });
  const byPrefix = new Map<string, TokenLookup>(
    Object.entries({ [prefixes.pat]: key, [prefixes.key]: key, ...lookups }),
  );

  async function authenticateToken(token: string, client: Client = NOWHERE): Promise<Principal> {
    const prefix = prefixOf(token);
    if (prefix === prefixes.session) return accounts.authenticate(`Bearer ${token}`);
    const rows = (await byPrefix.get(prefix)?.(token)) ?? [];
    const [first] = rows;
    if (first === undefined) throw new NotevaultError('unauthorized');
    lastUsed.record(first.user_id, first.id, first.last_used_at, client);
    return principalOf(first, rows, await keys.openServer());
  }

  return {
    authenticateToken,
    async authenticate(authorization, client) {
      const token = bearerOf(authorization);
      if (token === null) throw new NotevaultError('unauthorized');
      return authenticateToken(token, client);
    },
    async recall(principal) {
      if (principal.kind === 'session') return accounts.recall(principal);
      const rows = await db.all(store.findUsable, { userId: principal.userId, id: principal.credentialId });
      const [first] = rows;
      if (first === undefined) return null;
      const now = principalOf(first, rows, await keys.openServer());
      // A token may have been given out for less than its connection.
      const { scope = now.scope } = principal;
      return { ...now, scope: narrower(now.scope, scope) };
    },
  };
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
    scope: accessScopeOf({ defaultPermission: row.default_permission, permissions, scope: row.scope }),
  };
}
