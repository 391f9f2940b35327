import { NotevaultError } from '@notevault/protocol/errors.ts';
import { NIL_UUID, type UserId, type VaultId } from '@notevault/protocol/values/ids.ts';
import { Type } from 'typebox';
import { KeyedLock } from '../../../concurrency/keyed-lock.ts';
import type { Clock } from '../../../ports/clock/clock.ts';
import { type Database, deleteUntil, type WriteHandle } from '../../../ports/database/database.ts';
import type { SealingKey } from '../../../ports/keyring/keyring.ts';
import { SealedJson } from '../../../ports/keyring/sealed-json.ts';
import type { Keys } from '../keys/keys.ts';
import { canonicalForm } from './canonical-json.ts';
import * as store from './idempotency.store.ts';
import { SharedTexts, takeOutTexts, withTexts } from './shared-texts.ts';

export interface IdempotencyDeps {
  readonly db: Database;
  readonly keys: Pick<Keys, 'open'>;
  readonly clock: Clock;
  /** How long a call waits for another one with the same key. */
  readonly waitMs?: number;
}

/**
 * Awaited by a write operation as the last step of its transaction, with its result, so that the caller can add a row
 * that is committed or rolled back with the work. Awaits nothing but its handle, and may be called again when the body
 * runs again.
 */
export type InTransaction<Result> = (handle: WriteHandle, result: Result) => Promise<void>;

/** The `inTransaction` of callers that add nothing. */
export const skipInTransaction: InTransaction<unknown> = async () => undefined;

export interface KeyedRequest {
  readonly userId: UserId;
  /** The vault of the request, or null: then the answer belongs to the user. */
  readonly vault: { readonly id: VaultId; readonly key: SealingKey } | null;
  readonly route: string;
  readonly key: string;
  /** Everything that determines the answer, as parsed JSON. */
  readonly request: unknown;
}

export interface StoredResponse {
  readonly status: number;
  readonly body: unknown;
}

/** `undefined` means an answer without a body, which JSON cannot express. */
const storedResponse = new SealedJson(
  1,
  Type.Object({ status: Type.Number(), body: Type.Optional(Type.Unknown()), shared: Type.Optional(SharedTexts) }),
);

interface IdempotentResponse extends StoredResponse {
  /** Whether it is the stored answer of an earlier call. */
  readonly replayed: boolean;
}

/** Work that passes its answer to `keep` in its transaction. */
type Work = (keep: InTransaction<StoredResponse>) => Promise<StoredResponse>;

const RETENTION_MS = 24 * 60 * 60 * 1000;
const WAIT_MS = 30_000;
const PURGE_SLICE = 200;
const NO_VAULT = NIL_UUID as VaultId;

/** Another process did the work first: our transaction is rolled back, and its answer is returned. */
class AlreadyAnswered extends Error {
  override readonly name = 'AlreadyAnswered';
}

/** The place and the keys of a stored answer. */
interface Slot {
  readonly vault: VaultId;
  readonly user: UserId;
  readonly keyBlind: Buffer;
  readonly requestMac: Buffer;
  readonly key: SealingKey;
  /** The long texts of the request, which are equal for equal `requestMac`. */
  readonly longTexts: readonly string[];
}

/** Stores answers for a day under the idempotency keys of their requests. */
export class Idempotency {
  readonly #deps: IdempotencyDeps;
  readonly #keysInUse = new KeyedLock();

  constructor(deps: IdempotencyDeps) {
    this.#deps = deps;
  }

  /**
   * Runs the work once for a key. `work` passes its answer to `keep` in its own transaction, so that work and answer
   * are committed together. A later call, or one that waited, gets that answer. Throws `idempotency_key_reused` for
   * another request with the same key, `request_in_progress`, and the errors of the work.
   */
  async once(request: KeyedRequest, work: Work): Promise<IdempotentResponse> {
    const slot = await this.#slotOf(request);
    const [account, key] = [`${slot.vault}:${slot.user}`, slot.keyBlind.toString('hex')];
    const limit = { ms: this.#deps.waitMs ?? WAIT_MS, error: () => new NotevaultError('request_in_progress') };
    return this.#keysInUse.run(account, key, () => this.#findOrDo(slot, work), limit);
  }

  /** Deletes expired answers; resolves to their number. */
  removeExpired(): Promise<number> {
    return deleteUntil(this.#deps.db, store.deleteExpired, this.#expiredUntil());
  }

  /** Deletes a slice of a purged vault's answers; true when more may be left. */
  async purgeSlice(handle: WriteHandle, vaultId: VaultId): Promise<boolean> {
    return (await handle.run(store.purgeOfVault, { vault_id: vaultId, limit: PURGE_SLICE })) >= PURGE_SLICE;
  }

  /** Deletes the answers of an account that belong to no vault. */
  async purgeUser(userId: UserId): Promise<void> {
    const answers = { vault_id: NO_VAULT, user_id: userId };
    await this.#deps.db.transact((handle) => handle.run(store.purgeOfUser, answers));
  }

  async #findOrDo(slot: Slot, work: Work): Promise<IdempotentResponse> {
    const before = await this.#find(slot);
    if (before !== null) return before;
    try {
      return { ...(await work((handle, answer) => this.#keep(handle, slot, answer))), replayed: false };
    } catch (error) {
      // Another process may have run the same call first, and this failure may be a consequence.
      const meanwhile = await this.#find(slot);
      if (meanwhile === null) throw error;
      return meanwhile;
    }
  }

  /** Sealed with the vault's key if there is one, so that after a purge nothing can open it, not even in backups. */
  async #slotOf({ userId, vault, route, key, request }: KeyedRequest): Promise<Slot> {
    const userKey = vault?.key ?? (await this.#deps.keys.open({ kind: 'user', id: userId }));
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

  async #find(slot: Slot): Promise<IdempotentResponse | null> {
    const { db } = this.#deps;
    const { vault, user, keyBlind, requestMac } = slot;
    const row = await db.get(store.findResponse, { vault, user, keyBlind, after: this.#expiredUntil() });
    if (row === undefined) return null;
    if (!row.request_mac.equals(requestMac)) throw new NotevaultError('idempotency_key_reused');
    const { status, body, shared = [] } = storedResponse.open(slot.key, contextOf(slot), row.response);
    return { status, body: withTexts(body, shared, slot.longTexts), replayed: true };
  }

  async #keep(handle: WriteHandle, slot: Slot, answer: StoredResponse): Promise<void> {
    // A note of 10 MB is neither stored twice nor sealed while others wait for the writer.
    const { body, shared } = takeOutTexts(answer.body, slot.longTexts);
    const kept = { status: answer.status, body, ...(shared.length === 0 ? {} : { shared }) };
    const inserted = await handle.run(store.insertResponse, {
      vault_id: slot.vault,
      user_id: slot.user,
      key_blind: slot.keyBlind,
      request_mac: slot.requestMac,
      response: storedResponse.seal(slot.key, contextOf(slot), kept),
      created_at: this.#deps.clock.now(),
      after: this.#expiredUntil(),
    });
    if (inserted === 0) throw new AlreadyAnswered();
  }

  #expiredUntil(): number {
    return this.#deps.clock.now() - RETENTION_MS;
  }
}

function contextOf({ keyBlind }: Slot) {
  return { kind: 'idempotent_responses.response', row: keyBlind.toString('hex'), version: 0 };
}
