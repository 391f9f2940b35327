import type { ApiKey, KeyCreated } from '@notevault/protocol/api-keys.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import { requiredName } from '@notevault/protocol/values/clean-text.ts';
import { parseUuid, type UserId } from '@notevault/protocol/values/ids.ts';
import { isoTime, isoTimeOrNull } from '@notevault/protocol/values/time.ts';
import type { Clock } from '../../../../ports/clock/clock.ts';
import type { Database, WriteHandle } from '../../../../ports/database/database.ts';
import type { Accounts } from '../../../content/accounts/accounts.ts';
import { type AccessScopeInput, readAccessScope } from '../../../foundation/access/access.ts';
import { type InTransaction, skipInTransaction } from '../../../foundation/idempotency/idempotency.ts';
import type { Keys } from '../../../foundation/keys/keys.ts';
import { capExceeded, capOf, type PlanTable, planOf } from '../../../foundation/plans/plans.ts';
import { newToken, prefixes } from '../../../foundation/tokens/tokens.ts';
import type { Credentials } from '../credentials.ts';

export interface ApiKeyDeps {
  readonly db: Database;
  readonly keys: Keys;
  readonly clock: Clock;
  readonly accounts: Pick<Accounts, 'lockUser'>;
  readonly credentials: Pick<Credentials, 'insert' | 'remove' | 'count' | 'list'>;
  readonly plans: PlanTable;
}

/** API keys and personal access tokens. They differ only in the prefix of their secret. */
export class ApiKeys {
  readonly #deps: ApiKeyDeps;

  constructor(deps: ApiKeyDeps) {
    this.#deps = deps;
  }

  /** Throws `validation`, `limit_exceeded`. */
  async create(
    userId: UserId,
    kind: 'pat' | 'key',
    sent: AccessScopeInput & { readonly name: string },
    inTransaction: InTransaction<KeyCreated> = skipInTransaction,
  ): Promise<KeyCreated> {
    const { db, keys, clock, accounts, credentials, plans } = this.#deps;
    const name = requiredName(sent.name);
    const grant = readAccessScope(sent);
    const { raw, hash } = newToken(clock.random, prefixes[kind]);
    const created = { id: clock.uuid(), name, key: raw };
    const server = await keys.openServer();
    await db.transact(async (handle) => {
      const { tier } = await accounts.lockUser(handle, userId);
      const plan = planOf(plans, tier);
      const count = await credentials.count(handle, userId, 'pat');
      if (count >= capOf(plan, 'pats_cap')) throw capExceeded('pats_cap', { tier, plan }, count);
      const connection = { ...grant, userId, id: created.id, kind: 'pat', name, secretHash: hash } as const;
      await credentials.insert(handle, server, connection);
      await inTransaction(handle, created);
    });
    return created;
  }

  /** Every key of the user, oldest first. */
  async list(userId: UserId): Promise<ApiKey[]> {
    const connections = await this.#deps.credentials.list(userId);
    return connections
      .filter(({ kind }) => kind === 'pat')
      .map(({ id, name, created_at, last_used_at }) => ({
        id,
        name,
        created_at: isoTime(created_at),
        last_used: isoTimeOrNull(last_used_at),
      }));
  }

  /** Ends a key that reaches no vault any more. */
  async end(handle: WriteHandle, userId: UserId, id: string): Promise<void> {
    await this.#deps.credentials.remove(handle, 'pat', { userId, id });
  }

  /** Revokes a key; returns whether there was one. From the commit on its secret is refused. */
  async revoke(userId: UserId, sent: string): Promise<boolean> {
    const { db, credentials } = this.#deps;
    const id = parseUuid(sent);
    if (id === null) return false;
    return db.transact((handle) => credentials.remove(handle, 'pat', { userId, id }));
  }
}

/** Parses the id in a URL. Throws `invalid_key_id`. */
export function keyIdOf(text: string): string {
  const id = parseUuid(text);
  if (id === null) throw new NotevaultError('invalid_key_id');
  return id;
}
