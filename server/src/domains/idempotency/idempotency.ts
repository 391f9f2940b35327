import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { UserId, VaultId } from '@notevault/protocol/ids.ts';
import { Type } from 'typebox';
import { KeyedMutex } from '../../concurrency/keyed-mutex.ts';
import type { Clock } from '../../ports/clock/clock.ts';
import type { Database, WriteHandle } from '../../ports/database/database.ts';
import type { SealingKey } from '../../ports/keyring/keyring.ts';
import { SealedJson } from '../../ports/keyring/sealed-json.ts';
import type { Keys } from '../keys/keys.ts';
import { canonicalForm } from './canonical-json.ts';
import * as store from './idempotency.store.ts';
import { SharedTexts, takeOutTexts, withTexts } from './shared-texts.ts';

/**
 * What a write operation awaits last in its transaction, with its result: whoever called may add a row of their own that
 * stands or falls with the work. Awaits nothing but its handle; may be called again when the body is run again.
 */
export type InTransaction<Result> = (handle: WriteHandle, result: Result) => Promise<void>;

/** For callers with nothing to add. */
export const skipInTransaction: InTransaction<unknown> = async () => undefined;

/** Who asks for what, under which key. */
export interface KeyedRequest {
  readonly userId: UserId;
  /** The vault the request is about, or null: then the answer is the user's. */
  readonly vault: { readonly id: VaultId; readonly key: SealingKey } | null;
  readonly route: string;
  readonly key: string;
  /** All that the answer follows from, as parsed JSON. */
  readonly request: unknown;
}

export interface StoredResponse {
  readonly status: number;
  readonly body: unknown;
}

/** `undefined` has no JSON: an answer without a body. */
const storedResponse = new SealedJson(
  1,
  Type.Object({ status: Type.Number(), body: Type.Optional(Type.Unknown()), shared: Type.Optional(SharedTexts) }),
);

interface IdempotentResponse extends StoredResponse {
  /** Whether it is the stored answer of an earlier call. */
  readonly replayed: boolean;
}

export interface Idempotency {
  /**
   * Does the work once for a key: `work` hands its answer to `keep` in the very transaction that does it, so that
   * neither can be there without the other. A later call, or one that waited, gets that answer again. Throws
   * `idempotency_key_reused` for another request under the same key, `request_in_progress`, and what the work throws.
   */
  once(
    request: KeyedRequest,
    work: (keep: InTransaction<StoredResponse>) => Promise<StoredResponse>,
  ): Promise<IdempotentResponse>;
  /** Deletes answers past their day; resolves to their number. */
  removeExpired(): Promise<number>;
  /** Deletes a slice of a purged vault's answers; true when more may be left. */
  purgeSlice(handle: WriteHandle, vaultId: VaultId): Promise<boolean>;
  /** Deletes the answers of an account that are about no vault. */
  purgeUser(userId: UserId): Promise<void>;
}

export interface IdempotencyDeps {
  readonly db: Database;
  readonly keys: Pick<Keys, 'open'>;
  readonly clock: Clock;
  /** How long a call waits for another one under its key. */
  readonly waitMs?: number;
}

const RETENTION_MS = 24 * 60 * 60 * 1000;
const WAIT_MS = 30_000;
const PURGE_SLICE = 200;
const NO_VAULT = '00000000-0000-0000-0000-000000000000' as VaultId;

/** Another process did the work first: ours is rolled back, and its answer is given. */
class AlreadyAnswered extends Error {
  override readonly name = 'AlreadyAnswered';
}

/** Where an answer is kept, and under which keys. */
interface Slot {
  readonly vault: VaultId;
  readonly user: UserId;
  readonly keyBlind: Buffer;
  readonly requestMac: Buffer;
  readonly key: SealingKey;
  /** Of the request: the same in every request with this `requestMac`. */
  readonly longTexts: readonly string[];
}

export function createIdempotency({ db, keys, clock, waitMs = WAIT_MS }: IdempotencyDeps): Idempotency {
  const keysInUse = new KeyedMutex();
  const waitLimit = { ms: waitMs, error: () => new NotevaultError('request_in_progress') };
  const expiredUntil = () => clock.now() - RETENTION_MS;
  const contextOf = (slot: Slot) => ({
    kind: 'idempotent_responses.response',
    row: slot.keyBlind.toString('hex'),
    version: 0,
  });

  /** Sealed with the vault where there is one, so that purging it leaves nothing that opens, in backups too. */
  async function slotOf({ userId, vault, route, key, request }: KeyedRequest): Promise<Slot> {
    const userKey = vault?.key ?? (await keys.open({ kind: 'user', id: userId }));
    if (userKey === null) throw new NotevaultError('unauthorized');
    const { hash, longTexts } = await canonicalForm(request);
    return {
      vault: vault?.id ?? NO_VAULT,
      user: userId,
      keyBlind: userKey.blind('idempotency key', `${route}\0${key}`),
      requestMac: userKey.mac('idempotency request', hash),
      key: userKey,
      longTexts,
    };
  }

  async function find(slot: Slot): Promise<IdempotentResponse | null> {
    const { vault, user, keyBlind, requestMac } = slot;
    const input = { vault, user, keyBlind, after: expiredUntil() };
    if ((await db.get(store.findResponse, input)) === undefined) return null;
    // Committed, but perhaps not on disk yet: an answer given again must be as durable as the first one.
    const row = await db.transact((handle) => handle.get(store.findResponse, input));
    if (row === undefined) return null;
    if (!row.request_mac.equals(requestMac)) throw new NotevaultError('idempotency_key_reused');
    const { status, body, shared = [] } = storedResponse.open(slot.key, contextOf(slot), row.response);
    return { status, body: withTexts(body, shared, slot.longTexts), replayed: true };
  }

  async function keep(handle: WriteHandle, slot: Slot, answer: StoredResponse): Promise<void> {
    // A note of 10 MB is not written a second time, and not worked on while others wait for the writer.
    const { body, shared } = takeOutTexts(answer.body, slot.longTexts);
    const kept = { status: answer.status, body, ...(shared.length === 0 ? {} : { shared }) };
    const inserted = await handle.run(store.insertResponse, {
      ...{ vault_id: slot.vault, user_id: slot.user, key_blind: slot.keyBlind, request_mac: slot.requestMac },
      response: storedResponse.seal(slot.key, contextOf(slot), kept),
      ...{ created_at: clock.now(), after: expiredUntil() },
    });
    if (inserted === 0) throw new AlreadyAnswered();
  }

  return {
    async once(request, work) {
      const slot = await slotOf(request);
      const name = `${slot.vault}:${slot.user}:${slot.keyBlind.toString('hex')}`;
      const runOnce = async () => {
        const before = await find(slot);
        if (before !== null) return before;
        try {
          return { ...(await work((handle, answer) => keep(handle, slot, answer))), replayed: false };
        } catch (error) {
          // The same call in another process may have come first: then this failure follows from what that one did.
          const meanwhile = await find(slot);
          if (meanwhile === null) throw error;
          return meanwhile;
        }
      };
      return keysInUse.run(name, runOnce, waitLimit);
    },
    async removeExpired() {
      for (let removed = 0; ; ) {
        const slice = { until: expiredUntil(), limit: PURGE_SLICE };
        const count = await db.transact((handle) => handle.run(store.deleteExpired, slice));
        removed += count;
        if (count < PURGE_SLICE) return removed;
      }
    },
    async purgeSlice(handle, vaultId) {
      return (await handle.run(store.purgeOfVault, { vault: vaultId, limit: PURGE_SLICE })) >= PURGE_SLICE;
    },
    async purgeUser(userId) {
      await db.transact((handle) => handle.run(store.purgeOfUser, { vault: NO_VAULT, user: userId }));
    },
  };
}
