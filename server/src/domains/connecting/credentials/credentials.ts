import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { UserId, VaultId } from '@notevault/protocol/values/ids.ts';
import type { EventSink } from '../../../events.ts';
import type { Clock } from '../../../ports/clock/clock.ts';
import type { Database, WriteHandle } from '../../../ports/database/database.ts';
import type { SealingKey } from '../../../ports/keyring/keyring.ts';
import type { Accounts } from '../../content/accounts/accounts.ts';
import type { Vaults } from '../../content/vaults/vaults.ts';
import {
  type AccessScope,
  accessScopeOf,
  type Grant,
  narrower,
  notOwned,
  type PermissionLevel,
  type Principal,
} from '../../foundation/access/access.ts';
import type { Keys } from '../../foundation/keys/keys.ts';
import { bearerOf, hashOf, prefixes, prefixOf } from '../../foundation/tokens/tokens.ts';
import * as store from './credentials.store.ts';
import type { ConnectionKind, ConnectionPermissionRow } from './credentials.tables.ts';
import { type Client, LastUsed } from './last-used.ts';

/** Look-ups of tokens by later domains; bound in app/. */
export interface CredentialHooks {
  readonly findDeviceToken: TokenLookup;
  readonly findOAuthToken: TokenLookup;
}

export interface CredentialDeps {
  readonly db: Database;
  readonly keys: Keys;
  readonly clock: Clock;
  readonly accounts: Pick<Accounts, 'authenticate' | 'recall'>;
  readonly vaults: Pick<Vaults, 'rolesIn' | 'raiseAccountRights'>;
  readonly events: EventSink;
  readonly hooks: CredentialHooks;
}

export type { ConnectionKind } from './credentials.tables.ts';
export type { Client } from './last-used.ts';

/** A row of a connection; there is one for each vault with its own level. */
export type CredentialRow = NonNullable<typeof store.findUsable.types>['row'];

/** Looks up the connection of a token; no rows for an unknown token, or one whose connection has ended. */
export type TokenLookup = (token: string) => Promise<readonly CredentialRow[]>;

const NOWHERE: Client = { ip: null, userAgent: null };

/** Identifies a connection of a user: a key, an OAuth grant or a linked device. */
export interface ConnectionKey {
  readonly userId: UserId;
  readonly id: string;
}

export interface NewConnection extends Grant, ConnectionKey {
  readonly kind: ConnectionKind;
  readonly name: string;
  /** For kinds whose secret never changes. */
  readonly secretHash: Buffer | null;
}

export interface ConnectionDetails {
  /** The OAuth client's id, or the id of a device's family. */
  readonly clientId: string;
  readonly softwareId: string | null;
  readonly logo?: string | null;
  readonly slug?: string | null;
  readonly softwareVersion?: string | null;
  readonly verified?: boolean;
  readonly redirectUri?: string;
  readonly redirectUris?: string[];
  readonly cimdUrl?: string | null;
}

/** Returns the details of a user's connections of one kind, by connection id. */
export type DescribeConnections = (userId: UserId) => Promise<ReadonlyMap<string, ConnectionDetails>>;

/** Manages the credentials that act for an account without its password: keys, devices and OAuth clients. */
export class Credentials {
  readonly #deps: CredentialDeps;
  readonly #lastUsed: LastUsed;
  readonly #lookups: ReadonlyMap<string, TokenLookup>;

  constructor(deps: CredentialDeps) {
    this.#deps = deps;
    this.#lastUsed = new LastUsed(deps);
    const findKey: TokenLookup = (token) => deps.db.all(store.findBySecret, { hash: hashOf(token) });
    this.#lookups = new Map([
      [prefixes.pat, findKey],
      [prefixes.key, findKey],
      [prefixes.device, deps.hooks.findDeviceToken],
      [prefixes.oauth, deps.hooks.findOAuthToken],
    ]);
  }

  /** Returns the caller of an `Authorization` header, whatever their credential. Throws `unauthorized`. */
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

  /** Returns the principal with its current permissions, at most those of its token; null once it is invalid. */
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

  /** Writes a connection with its levels. Throws `validation` when one of the vaults does not belong to the user. */
  async insert(handle: WriteHandle, server: SealingKey, connection: NewConnection): Promise<void> {
    const { userId, id, kind, name, permissions, defaultPermission, scope, secretHash } = connection;
    const roles = await this.#deps.vaults.rolesIn(handle, userId, [...permissions.keys()]);
    if (roles.size !== permissions.size) throw notOwned();
    await handle.run(store.insertConnection, {
      ...{ user_id: userId, id, kind, scope, default_permission: defaultPermission, secret_hash: secretHash },
      name: sealName(server, { userId, id }, name),
      created_at: this.#deps.clock.now(),
    });
    const levels = [...permissions].map(([vault_id, permission]) => ({ vault_id, permission }));
    await handle.runMany(store.insertPermissions, { user_id: userId, connection_id: id }, levels);
  }

  async count(handle: WriteHandle, userId: UserId, kind: ConnectionKind): Promise<number> {
    return (await handle.get(store.countOfKind, { userId, kind }))?.count ?? 0;
  }

  /** Deletes a connection; from the commit on its tokens are refused. False when there was none. */
  async remove(handle: WriteHandle, kind: ConnectionKind, { userId, id }: ConnectionKey): Promise<boolean> {
    await this.#rightsTaken(handle, userId);
    return (await handle.run(store.deleteConnection, { user_id: userId, id, kind })) > 0;
  }

  /** Ends a connection and keeps only the fact that it existed. False when it had ended before, or never existed. */
  async end(handle: WriteHandle, kind: ConnectionKind, { userId, id }: ConnectionKey): Promise<boolean> {
    await this.#rightsTaken(handle, userId);
    const ended = await handle.run(store.markRevoked, { userId, id, kind, now: this.#deps.clock.now() });
    if (ended === 0) return false;
    await handle.run(store.deletePermissions, { user_id: userId, connection_id: id });
    return true;
  }

  /** Resolves to the connections of the account that reach no vault any more, which their domains end. */
  async forgetVault(handle: WriteHandle, userId: UserId, vaultId: VaultId) {
    await this.#rightsTaken(handle, userId);
    const rows = await handle.all(store.deletePermissionsFor, { userId, vaultId });
    const ids = rows.map((row) => row.connection_id);
    return handle.allMany(store.findUnreaching, { userId }, ids);
  }

  async existed(handle: WriteHandle, kind: ConnectionKind, { userId, id }: ConnectionKey): Promise<boolean> {
    return (await handle.get(store.findAnyConnection, { user_id: userId, id, kind })) !== undefined;
  }

  /** Every connection of the user that is not revoked, oldest first. */
  async list(userId: UserId) {
    const { db, keys } = this.#deps;
    // Uses that this process has recorded must be included.
    await this.#lastUsed.flush();
    const server = await keys.openServer();
    const rows = await db.all(store.listConnections, { userId });
    return rows.map((row) => ({ ...row, name: openName(server, { userId, id: row.id }, row.name) }));
  }

  /** Returns each connection's levels for active vaults that differ from its default. */
  async permissions(userId: UserId): Promise<ReadonlyMap<string, ReadonlyMap<VaultId, PermissionLevel>>> {
    const { db, vaults } = this.#deps;
    const rows = await db.all(store.listPermissions, { user_id: userId });
    const roles = await vaults.rolesIn(db, userId, [...new Set(rows.map((row) => row.vault_id))]);
    return permissionsBy(rows.filter((row) => roles.has(row.vault_id)));
  }

  recordFirstUse({ userId, id }: ConnectionKey, client: Client): void {
    this.#lastUsed.record({ userId, id }, null, client);
  }

  flushLastUsed(): Promise<void> {
    return this.#lastUsed.flush();
  }

  async #rightsTaken(handle: WriteHandle, userId: UserId): Promise<void> {
    await this.#deps.vaults.raiseAccountRights(handle, userId);
    handle.onCommit(() => this.#deps.events.emit('credentialsChanged', { userId }));
  }
}

function permissionsBy(rows: readonly Omit<ConnectionPermissionRow, 'user_id'>[]) {
  const permissions = new Map<string, Map<VaultId, PermissionLevel>>();
  for (const { connection_id, vault_id, permission } of rows) {
    const ofConnection = permissions.get(connection_id) ?? new Map<VaultId, PermissionLevel>();
    permissions.set(connection_id, ofConnection.set(vault_id, permission));
  }
  return permissions;
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
    rightsVersion: row.rights_version,
    scope: accessScopeOf({ defaultPermission: row.default_permission, permissions, scope: row.scope }),
  };
}

const contextOf = ({ userId, id }: ConnectionKey) => ({ kind: 'connections.name', row: `${userId}.${id}`, version: 0 });

/** Seals the name of a connection under the server's key, because the name of a device is often that of its owner. */
function sealName(server: SealingKey, connection: ConnectionKey, name: string): Buffer {
  return server.seal(contextOf(connection), Buffer.from(name));
}

/** Opens the name; empty for a revoked connection. Throws KeyringError `damaged_value`. */
function openName(server: SealingKey, connection: ConnectionKey, sealed: Buffer | null): string {
  return sealed === null ? '' : server.open(contextOf(connection), sealed).toString();
}
