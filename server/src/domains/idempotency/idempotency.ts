import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { UserId, VaultId } from '@notevault/protocol/ids.ts';
import type { Clock } from '../../engines/clock/clock.ts';
import type { Database, WriteHandle } from '../../engines/database/database.ts';
import type { SealingKey } from '../../engines/keyring/keyring.ts';
import type { Keys } from '../keys/keys.ts';
import { canonicalHash } from './canonical.ts';
import * as store from './idempotency.store.ts';
import { PatientTurns } from './turns.ts';

/**
 * What a write verb awaits last in its transaction, with its result: whoever called may add a row of their own that
 * stands or falls with the work. Awaits nothing but its handle; may be called again when the body is run again.
 */
export type Finish<Result> = (handle: WriteHandle, result: Result) => Promise<void>;

/** For callers with nothing to add. */
export const finishNothing: Finish<unknown> = async () => undefined;

/** Who asks for what, under which key. */
export interface Ask {
  readonly userId: UserId;
  /** The vault the request is about, or null: then the answer is the user's. */
  readonly vault: { readonly id: VaultId; readonly key: SealingKey } | null;
  readonly route: string;
  readonly key: string;
  /** All that the answer follows from, as parsed JSON. */
  readonly request: unknown;
}

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

export interface GivenAnswer extends Answer {
  /** Whether it is the stored answer of an earlier call. */
  readonly replayed: boolean;
}

export interface Idempotency {
  /**
   * Does the work once for a key: `work` hands its answer to `keep` in the very transaction that does it, so that
   * neither can be there without the other. A later call, or one that waited, gets that answer again. Throws
   * `idempotency_key_reused` for another request under the same key, `request_in_progress`, and what the work throws.
   */
  once(ask: Ask, work: (keep: Finish<Answer>) => Promise<Answer>): Promise<GivenAnswer>;
  /** Deletes answers past their day; resolves to their number. */
  removeExpired(): Promise<number>;
  /** Deletes a slice of a purged vault's answers; true when more may be left. */
  eraseSlice(handle: WriteHandle, vaultId: VaultId): Promise<boolean>;
  /** Deletes the answers of an account that are about no vault. */
  eraseUser(userId: UserId): Promise<void>;
}

export interface IdempotencyParts {
  readonly db: Database;
  readonly keys: Pick<Keys, 'open'>;
  readonly clock: Clock;
  /** How long a call waits for another one under its key. */
  readonly waitMs?: number;
}

const KEPT_MS = 24 * 60 * 60 * 1000;
const WAIT_MS = 30_000;
const ERASE_SLICE = 200;
const NO_VAULT = '00000000-0000-0000-0000-000000000000' as VaultId;

/** Another process did the work first: ours is rolled back, and its answer is given. */
class AnsweredElsewhere extends Error {
  override readonly name = 'AnsweredElsewhere';
}

/** Where an answer is kept, and under which keys. */
interface Slot {
  readonly vault: VaultId;
  readonly user: UserId;
  readonly keyBlind: Buffer;
  readonly requestMac: Buffer;
  readonly key: SealingKey;
}

export function createIdempotency({ db, keys, clock, waitMs = WAIT_MS }: IdempotencyParts): Idempotency {
  const turns = new PatientTurns(waitMs);
  const expiredUntil = () => clock.now() - KEPT_MS;
  const placeOf = (slot: Slot) => ({ kind: 'answers.answer', row: slot.keyBlind.toString('hex'), version: 0 });

  /** Sealed with the vault where there is one, so that purging it leaves nothing that opens, in backups too. */
  async function slotOf({ userId, vault, route, key, request }: Ask): Promise<Slot> {
    const sealing = vault?.key ?? (await keys.open({ kind: 'user', id: userId }));
    if (sealing === null) throw new NotevaultError('unauthorized');
    return {
      vault: vault?.id ?? NO_VAULT,
      user: userId,
      keyBlind: sealing.blind('idempotency key', `${route}\0${key}`),
      requestMac: sealing.mac('idempotency request', canonicalHash(request)),
      key: sealing,
    };
  }

  async function find(slot: Slot): Promise<GivenAnswer | null> {
    const { vault, user, keyBlind, requestMac } = slot;
    const asked = { vault, user, keyBlind, after: expiredUntil() };
    if ((await db.get(store.findAnswer, asked)) === undefined) return null;
    // Committed, but perhaps not on disk yet: an answer given again must be as durable as the first one.
    const row = await db.transact((handle) => handle.get(store.findAnswer, asked));
    if (row === undefined) return null;
    if (!row.request_mac.equals(requestMac)) throw new NotevaultError('idempotency_key_reused');
    const answer = JSON.parse(slot.key.open(placeOf(slot), row.answer).toString('utf8')) as Answer;
    return { ...answer, replayed: true };
  }

  async function keep(handle: WriteHandle, slot: Slot, { status, body }: Answer): Promise<void> {
    const kept = await handle.run(store.insertAnswer, {
      ...{ vault_id: slot.vault, user_id: slot.user, key_blind: slot.keyBlind, request_mac: slot.requestMac },
      answer: slot.key.seal(placeOf(slot), Buffer.from(JSON.stringify({ status, body }), 'utf8')),
      ...{ created_at: clock.now(), after: expiredUntil() },
    });
    if (kept === 0) throw new AnsweredElsewhere();
  }

  return {
    async once(ask, work) {
      const slot = await slotOf(ask);
      return turns.take(`${slot.vault}:${slot.user}:${slot.keyBlind.toString('hex')}`, async () => {
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
      });
    },
    async removeExpired() {
      for (let removed = 0; ; ) {
        const slice = { until: expiredUntil(), limit: ERASE_SLICE };
        const count = await db.transact((handle) => handle.run(store.deleteExpired, slice));
        removed += count;
        if (count < ERASE_SLICE) return removed;
      }
    },
    async eraseSlice(handle, vaultId) {
      return (await handle.run(store.eraseOfVault, { vault: vaultId, limit: ERASE_SLICE })) >= ERASE_SLICE;
    },
    async eraseUser(userId) {
      await db.transact((handle) => handle.run(store.eraseOfUser, { vault: NO_VAULT, user: userId }));
    },
  };
}
