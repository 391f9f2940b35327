import { invalid, NotevaultError } from '@notevault/protocol/errors.ts';
import { parseUuid, type UserId } from '@notevault/protocol/ids.ts';
import type { WriteHandle } from '../../engines/database/database.ts';
import type { SealingKey } from '../../engines/keyring/keyring.ts';
import { type Finish, finishNothing } from '../idempotency/idempotency.ts';
import { capExceeded, capOf, planOf } from '../plans/plans.ts';
import { newToken, prefixes } from '../tokens/tokens.ts';
import { openName, sealName } from './connection-name.ts';
import * as store from './connections.store.ts';
import type { ConnectionKind } from './connections.tables.ts';
import type { ConnectionParts } from './parts.ts';
import { type Grant, notYours, readReach, type SentReach } from './reach.ts';
import type { Uses } from './uses.ts';

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

export interface NewKey extends SentReach {
  readonly name: string;
}

/** Keys and personal access tokens are one thing with two doors. */
export interface ApiKeys {
  /** Throws `validation`, `limit_exceeded`. */
  createKey(userId: UserId, kind: 'pat' | 'key', sent: NewKey, finish?: Finish<CreatedKey>): Promise<CreatedKey>;
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

export function createApiKeys({ db, keys, clock, accounts, plans, hooks }: ConnectionParts, uses: Uses): ApiKeys {
  return {
    async createKey(userId, kind, sent, finish = finishNothing) {
      const name = cleanName(sent.name);
      const grant = readReach(sent);
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
        await finish(handle, created);
      });
      return created;
    },
    async listKeys(userId) {
      await uses.flush();
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
        if (revoked > 0) handle.onCommit(() => hooks.credentialsChanged(userId));
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
  { id, kind, name, secretHash, defaultLevel, levels, scope }: NewConnection,
  now: number,
): Promise<void> {
  const own = await handle.allIn(store.findOwnVaults, { userId }, [...levels.keys()]);
  if (own.length !== levels.size) throw notYours();
  const sealed = sealName(server, { userId, id }, name);
  await handle.run(store.insertConnection, { userId, id, kind, name: sealed, defaultLevel, scope, secretHash, now });
  const items = [...levels].map(([vaultId, level]) => ({ vaultId, level }));
  await handle.runIn(store.insertLevels, { userId, connectionId: id }, items);
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
