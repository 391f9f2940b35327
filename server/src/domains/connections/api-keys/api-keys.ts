import { invalid, NotevaultError } from '@notevault/protocol/errors.ts';
import { parseUuid, type UserId } from '@notevault/protocol/ids.ts';
import type { WriteHandle } from '../../../ports/database/database.ts';
import type { SealingKey } from '../../../ports/keyring/keyring.ts';
import { type InTransaction, skipInTransaction } from '../../idempotency/idempotency.ts';
import { capExceeded, capOf, planOf } from '../../plans/plans.ts';
import { newToken, prefixes } from '../../tokens/tokens.ts';
import { type AccessScopeInput, type Grant, notOwned, readAccessScope } from '../access-scope.ts';
import { openName, sealName } from '../connection-name.ts';
import type { ConnectionDeps } from '../connections.deps.ts';
import * as store from '../connections.store.ts';
import type { ConnectionKind } from '../connections.tables.ts';
import type { LastUsed } from '../last-used.ts';

const NAME_MAX = 255;

/** A key as its owner sees it. */
export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly createdAt: number;
  readonly lastUsed: number | null;
}

export interface CreatedKey {
  readonly id: string;
  readonly name: string;
  /** The secret, given out once. */
  readonly key: string;
}

export interface NewKey extends AccessScopeInput {
  readonly name: string;
}

/** Keys and personal access tokens are one thing with two doors. */
export interface ApiKeys {
  /** Throws `validation`, `limit_exceeded`. */
  createKey(
    userId: UserId,
    kind: 'pat' | 'key',
    sent: NewKey,
    inTransaction?: InTransaction<CreatedKey>,
  ): Promise<CreatedKey>;
  listKeys(userId: UserId): Promise<ApiKey[]>;
  /** Whether there was one to revoke. From the commit on it authenticates nobody. */
  revokeKey(userId: UserId, id: string): Promise<boolean>;
}

/** A connection about to be written. */
export interface NewConnection extends Grant {
  readonly id: string;
  readonly kind: ConnectionKind;
  readonly name: string;
  readonly secretHash: Buffer | null;
}

export function createApiKeys(
  { db, keys, clock, accounts, plans, events }: ConnectionDeps,
  lastUsed: LastUsed,
): ApiKeys {
  return {
    async createKey(userId, kind, sent, inTransaction = skipInTransaction) {
      const name = cleanName(sent.name);
      const grant = readAccessScope(sent);
      const { raw, hash } = newToken(clock.random, prefixes[kind]);
      const created = { id: clock.uuid(), name, key: raw };
      const server = await keys.openServer();
      await db.transact(async (handle) => {
        const { tier } = await accounts.lockUser(handle, userId);
        const plan = planOf(plans, tier);
        const { count } = (await handle.get(store.countOfKind, { userId, kind: 'pat' })) ?? { count: 0 };
        if (count >= capOf(plan, 'pats_cap')) throw capExceeded('pats_cap', tier, plan, count);
        const connection = { id: created.id, kind: 'pat', name, secretHash: hash, ...grant } as const;
        await insertConnection(handle, server, userId, connection, clock.now());
        await inTransaction(handle, created);
      });
      return created;
    },
    async listKeys(userId) {
      await lastUsed.flush();
      const server = await keys.openServer();
      const rows = await db.all(store.listConnections, { userId });
      return rows
        .filter(({ kind }) => kind === 'pat')
        .map((row) => ({
          id: row.id,
          name: openName(server, { userId, id: row.id }, row.name),
          createdAt: row.created_at,
          lastUsed: row.last_used_at,
        }));
    },
    async revokeKey(userId, sent) {
      const id = parseUuid(sent);
      if (id === null) return false;
      return db.transact(async (handle) => {
        const revoked = await handle.run(store.deleteConnection, { userId, id, kind: 'pat' });
        if (revoked > 0) handle.onCommit(() => events.emit('credentialsChanged', { userId }));
        return revoked > 0;
      });
    },
  };
}

/** Writes a connection with its levels. Throws `validation` when one of the vaults is not the user's own. */
export async function insertConnection(
  handle: WriteHandle,
  server: SealingKey,
  userId: UserId,
  { id, kind, name, secretHash, defaultPermission, permissions, scope }: NewConnection,
  now: number,
): Promise<void> {
  const own = await handle.allMany(store.findOwnVaults, { userId }, [...permissions.keys()]);
  if (own.length !== permissions.size) throw notOwned();
  const sealed = sealName(server, { userId, id }, name);
  await handle.run(store.insertConnection, {
    userId,
    id,
    kind,
    name: sealed,
    defaultPermission,
    scope,
    secretHash,
    now,
  });
  const items = [...permissions].map(([vaultId, permission]) => ({ vaultId, permission }));
  await handle.runMany(store.insertPermissions, { userId, connectionId: id }, items);
}

/** Throws `validation`. */
export function cleanName(text: string): string {
  const name = text.toWellFormed().trim();
  if (name === '') throw invalid({ name: ["can't be blank"] });
  if ([...name].length > NAME_MAX) throw invalid({ name: [`must have at most ${NAME_MAX} characters`] });
  if (/\p{Cc}/u.test(name)) throw invalid({ name: ['must not have control characters'] });
  return name;
}

/** The id in a URL. Throws `invalid_key_id`. */
export function keyIdOf(text: string): string {
  const id = parseUuid(text);
  if (id === null) throw new NotevaultError('invalid_key_id');
  return id;
}
