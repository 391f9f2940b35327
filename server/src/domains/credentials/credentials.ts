import type { UserId, VaultId } from '@notevault/protocol/values/ids.ts';
import type { EventSink } from '../../events.ts';
import type { Clock } from '../../ports/clock/clock.ts';
import type { Database, WriteHandle } from '../../ports/database/database.ts';
import type { SealingKey } from '../../ports/keyring/keyring.ts';
import { type Grant, notOwned, type PermissionLevel, type Principal } from '../access/access.ts';
import type { Accounts } from '../accounts/accounts.ts';
import type { Keys } from '../keys/keys.ts';
import type { Vaults } from '../vaults/vaults.ts';
import { Authentication, openName, sealName, type TokenLookup } from './authentication.ts';
import * as store from './credentials.store.ts';
import type { ConnectionKind } from './credentials.tables.ts';
import { type Client, LastUsed } from './last-used.ts';

/** Look-ups of tokens by later domains; bound in app/. */
export interface CredentialHooks {
  readonly findDeviceToken: TokenLookup;
  readonly findOAuthToken: TokenLookup;
}

/** The injected dependencies of the domain. */
export interface CredentialDeps {
  readonly db: Database;
  readonly keys: Keys;
  readonly clock: Clock;
  readonly accounts: Pick<Accounts, 'authenticate' | 'recall'>;
  readonly vaults: Pick<Vaults, 'rolesIn'>;
  readonly events: EventSink;
  readonly hooks: CredentialHooks;
}

export type { CredentialRow, TokenLookup } from './authentication.ts';
export type { ConnectionKind } from './credentials.tables.ts';
export type { Client } from './last-used.ts';

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

/** Details that only some kinds of connections have. */
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

/** What keys, devices and OAuth clients have in common: credentials that act for an account without its password. */
export class Credentials {
  readonly #deps: CredentialDeps;
  readonly #lastUsed: LastUsed;
  readonly #authentication: Authentication;

  constructor(deps: CredentialDeps) {
    this.#deps = deps;
    this.#lastUsed = new LastUsed(deps);
    this.#authentication = new Authentication(deps, this.#lastUsed);
  }

  /** Returns the caller of an `Authorization` header, whatever their credential. Throws `unauthorized`. */
  authenticate(authorization: string | undefined, client?: Client): Promise<Principal> {
    return this.#authentication.authenticate(authorization, client);
  }

  authenticateToken(token: string, client?: Client): Promise<Principal> {
    return this.#authentication.authenticateToken(token, client);
  }

  /**
   * The current permissions of a principal's credential, never more than those of the token it came with; null once it
   * is invalid.
   */
  recall(principal: Principal): Promise<Principal | null> {
    return this.#authentication.recall(principal);
  }

  /** Writes a connection with its levels. Throws `validation` when one of the vaults does not belong to the user. */
  async insert(handle: WriteHandle, server: SealingKey, connection: NewConnection): Promise<void> {
    const { userId, id, name, permissions, ...columns } = connection;
    const roles = await this.#deps.vaults.rolesIn(handle, userId, [...permissions.keys()]);
    if (roles.size !== permissions.size) throw notOwned();
    const row = { ...columns, userId, id, name: sealName(server, { userId, id }, name), now: this.#deps.clock.now() };
    await handle.run(store.insertConnection, row);
    const items = [...permissions].map(([vaultId, permission]) => ({ vaultId, permission }));
    await handle.runMany(store.insertPermissions, { userId, connectionId: id }, items);
  }

  async count(handle: WriteHandle, userId: UserId, kind: ConnectionKind): Promise<number> {
    return (await handle.get(store.countOfKind, { userId, kind }))?.count ?? 0;
  }

  /** Deletes a connection; from the commit on its tokens are refused. False when there was none. */
  async remove(handle: WriteHandle, kind: ConnectionKind, { userId, id }: ConnectionKey): Promise<boolean> {
    const removed = await handle.run(store.deleteConnection, { userId, id, kind });
    if (removed > 0) this.#announce(handle, userId);
    return removed > 0;
  }

  /** Ends a connection and keeps only the fact that it existed. False when it had ended before, or never existed. */
  async end(handle: WriteHandle, kind: ConnectionKind, { userId, id }: ConnectionKey): Promise<boolean> {
    const ended = await handle.run(store.markRevoked, { userId, id, kind, now: this.#deps.clock.now() });
    if (ended === 0) return false;
    await handle.run(store.deletePermissions, { userId, connectionId: id });
    this.#announce(handle, userId);
    return true;
  }

  /**
   * Takes a vault away from all connections of an account. Resolves to those that reach no vault any more, which their
   * domains end.
   */
  async forgetVault(
    handle: WriteHandle,
    userId: UserId,
    vaultId: VaultId,
  ): Promise<{ readonly id: string; readonly kind: ConnectionKind }[]> {
    const rows = await handle.all(store.deletePermissionsFor, { userId, vaultId });
    const ids = rows.map((row) => row.connection_id);
    this.#announce(handle, userId);
    return handle.allMany(store.findUnreaching, { userId }, ids);
  }

  async existed(handle: WriteHandle, kind: ConnectionKind, { userId, id }: ConnectionKey): Promise<boolean> {
    return (await handle.get(store.findAnyConnection, { userId, id, kind })) !== undefined;
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

  /** By connection, its levels for active vaults that differ from the default. */
  async permissions(userId: UserId): Promise<ReadonlyMap<string, ReadonlyMap<VaultId, PermissionLevel>>> {
    const { db, vaults } = this.#deps;
    const rows = await db.all(store.listPermissions, { userId });
    const roles = await vaults.rolesIn(db, userId, [...new Set(rows.map((row) => row.vault_id))]);
    return permissionsBy(rows.filter((row) => roles.has(row.vault_id)));
  }

  /** Records the first use of a connection that was just created. */
  recordFirstUse({ userId, id }: ConnectionKey, client: Client): void {
    this.#lastUsed.record({ userId, id }, null, client);
  }

  /** Writes the recorded uses of connections. */
  flushLastUsed(): Promise<void> {
    return this.#lastUsed.flush();
  }

  #announce(handle: WriteHandle, userId: UserId): void {
    handle.onCommit(() => this.#deps.events.emit('credentialsChanged', { userId }));
  }
}

interface PermissionRow {
  readonly connection_id: string;
  readonly vault_id: VaultId;
  readonly permission: PermissionLevel;
}

function permissionsBy(rows: readonly PermissionRow[]): ReadonlyMap<string, ReadonlyMap<VaultId, PermissionLevel>> {
  const permissions = new Map<string, Map<VaultId, PermissionLevel>>();
  for (const { connection_id, vault_id, permission } of rows) {
    const ofConnection = permissions.get(connection_id) ?? new Map<VaultId, PermissionLevel>();
    permissions.set(connection_id, ofConnection.set(vault_id, permission));
  }
  return permissions;
}
