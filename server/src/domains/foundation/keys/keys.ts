import { type ErrorCode, NotevaultError } from '@notevault/protocol/errors.ts';
import { NIL_UUID } from '@notevault/protocol/values/ids.ts';
import { runOnReserve, runShared } from '../../../concurrency/tenant.ts';
import { type Database, isFull, rowsOf, type WriteHandle } from '../../../ports/database/database.ts';
import { type KeyOwner, type Keyring, KeyringError, type SealingKey } from '../../../ports/keyring/keyring.ts';
import * as store from './keys.store.ts';

/** AES-GCM under one key stays safe for far more random IVs (NIST SP 800-38D, section 8.3: 2^32). */
const SEALS_PER_GENERATION = 2 ** 30;
/** Seals that a process reserves at once; a crash wastes only the rest of the block. */
const SEALS_PER_GRANT = 2 ** 20;
const OPEN_KEYS_MAX = 10_000;
const REWRAP_BATCH = 200;

/** The one owner that always exists. */
export const serverOwner: KeyOwner = { kind: 'server', id: NIL_UUID };

/** Counts how many data keys each master key wraps; needs no master key. */
export async function countKeysByMaster(db: Database): Promise<{ masterKeyId: string; keys: number }[]> {
  const rows = await db.all(store.countByMaster, {});
  return rows.map((row) => ({ masterKeyId: row.master_key_id, keys: row.keys }));
}

/** Opens every data key once. Throws KeyringError for the first that cannot be opened. */
export async function checkDataKeys(db: Database, keyring: Keyring): Promise<void> {
  const after = (last?: { owner_kind: string; owner_id: string }) => {
    return { kind: last?.owner_kind ?? '', id: last?.owner_id ?? NIL_UUID, limit: REWRAP_BATCH };
  };
  for await (const row of rowsOf(db, store.keysAfter, after)) {
    const owner = { kind: row.owner_kind as KeyOwner['kind'], id: row.owner_id };
    keyring.openDataKey(owner, { masterKeyId: row.master_key_id, bytes: row.wrapped }, 0);
  }
}

/** Data keys by owner: created with the owner, cached while used, destroyed with the owner. */
export class Keys {
  readonly #db: Database;
  readonly #keyring: Keyring;
  readonly #opened = new Map<string, Promise<SealingKey | null>>();
  #openingServer: Promise<SealingKey> | undefined;

  constructor(db: Database, keyring: Keyring) {
    this.#db = db;
    this.#keyring = keyring;
  }

  /** Creates the owner's data key in the transaction that creates the owner. */
  async create(handle: WriteHandle, owner: KeyOwner): Promise<SealingKey> {
    const { masterKeyId, bytes } = this.#keyring.createDataKey(owner);
    await handle.run(store.insertKey, { kind: owner.kind, id: owner.id, masterKeyId, wrapped: bytes });
    return this.#keyring.openDataKey(owner, { masterKeyId, bytes }, 0);
  }

  /** The owner's keys, or null when they were destroyed or never created. Throws KeyringError. */
  open(owner: KeyOwner): Promise<SealingKey | null> {
    const name = nameOf(owner);
    const cached = this.#opened.get(name);
    // Removed and inserted again, because the map's order is the order of last use.
    this.#opened.delete(name);
    const key = cached ?? runShared(() => this.#load(owner));
    this.#opened.set(name, key);
    if (cached === undefined) {
      const forget = () => this.#opened.get(name) === key && this.#opened.delete(name);
      key.then((found) => found === null && forget(), forget);
      for (const oldest of this.#opened.keys()) {
        if (this.#opened.size <= OPEN_KEYS_MAX) break;
        this.#opened.delete(oldest);
      }
    }
    return key;
  }

  /** The server's own keys, created at the first call on an empty database. */
  openServer(): Promise<SealingKey> {
    // Shared: a look-up that began before the key was committed must not tell later callers that there is none.
    this.#openingServer ??= runShared(() => this.#ensureServerKey()).finally(() => {
      this.#openingServer = undefined;
    });
    return this.#openingServer;
  }

  /** Rejects when the database is unavailable. */
  async probe(): Promise<void> {
    await this.#db.get(store.findKey, serverOwner);
  }

  /** Destroys the data key. After the commit nothing sealed with it can be opened again, in this process or another. */
  async destroy(handle: WriteHandle, owner: KeyOwner): Promise<void> {
    await handle.run(store.deleteKey, owner);
    handle.onCommit(() => this.#opened.delete(nameOf(owner)));
  }

  /**
   * Rewraps all keys; can be repeated after an interruption. Calls `progress`, and resolves to the number of keys
   * rewrapped.
   */
  async rewrapAll(to: Keyring, progress: (done: number) => void): Promise<number> {
    for (let done = 0; ; ) {
      const limit = REWRAP_BATCH;
      const rows = await this.#db.all(store.keysUnderOtherMasters, { masterKeyId: to.masterKeyId, limit });
      if (rows.length === 0) return done;
      const rewrapped = rows.map((row) => {
        const owner = { kind: row.owner_kind as KeyOwner['kind'], id: row.owner_id };
        const next = this.#keyring.rewrap(owner, { masterKeyId: row.master_key_id, bytes: row.wrapped }, to);
        return { ...owner, from: row.master_key_id, masterKeyId: next.masterKeyId, wrapped: next.bytes };
      });
      await this.#db.transact(async (handle) => {
        for (const key of rewrapped) await handle.run(store.rewrapKey, key);
      });
      done += rows.length;
      progress(done);
    }
  }

  /**
   * Opens the key with a new grant of seals, and requests the next grant before the block is used up. On a full disk
   * without a reserve the key opens without a grant, so that the server starts and reads: nothing it seals can be stored.
   */
  async #load(owner: KeyOwner): Promise<SealingKey | null> {
    const row = await this.#db.get(store.findKey, owner);
    if (row === undefined) return null;
    const wrapped = { masterKeyId: row.master_key_id, bytes: row.wrapped };
    // A wrong master key must be detected before anything is written.
    this.#keyring.openDataKey(owner, wrapped, 0);
    const grant = () => this.#grantSeals(owner);
    const openAt = (generation: number) => this.#keyring.openDataKey(owner, wrapped, generation);
    try {
      const generation = await grant();
      return generation === null ? null : countSeals(generation, SEALS_PER_GRANT, openAt, grant);
    } catch (error) {
      if (!isFull(error)) throw error;
      return countSeals(generationAt(row.seals_granted), 0, openAt, grant);
    }
  }

  /** The generation that the next block of seals belongs to; null once the key is destroyed. */
  async #grantSeals(owner: KeyOwner): Promise<number | null> {
    const block = { ...owner, seals: SEALS_PER_GRANT };
    const granted = await runOnReserve(() => this.#db.transact((handle) => handle.get(store.grantSeals, block)));
    return granted === undefined ? null : generationAt(granted.seals_granted);
  }

  async #ensureServerKey(): Promise<SealingKey> {
    const found = await this.open(serverOwner);
    if (found !== null) return found;
    // Two processes may start on an empty database at once; the second insert then finds the first one's key.
    const fault = await this.#db
      .transact((handle) => this.create(handle, serverOwner))
      .then(
        () => undefined,
        (error: unknown) => error,
      );
    const made = await this.open(serverOwner);
    if (made !== null) return made;
    throw fault ?? new KeyringError('damaged_key', 'The server’s data key could not be made.');
  }
}

function generationAt(sealsGranted: number): number {
  return Math.max(0, Math.floor((sealsGranted - 1) / SEALS_PER_GENERATION));
}

function nameOf({ kind, id }: KeyOwner): string {
  return `${kind}:${id}`;
}

/** Counts seals and starts the next generation when the count requires it; a late grant only delays that. */
function countSeals(
  first: number,
  granted: number,
  openAt: (generation: number) => SealingKey,
  grant: () => Promise<number | null>,
): SealingKey {
  let key = openAt(first);
  let generation = first;
  let left = granted;
  let asking = false;
  const ask = () => {
    asking = true;
    grant()
      .then((next) => {
        left += SEALS_PER_GRANT;
        if (next !== null && next !== generation) {
          generation = next;
          key = openAt(next);
        }
      })
      .catch(() => undefined)
      .finally(() => {
        asking = false;
      });
  };
  const count = () => {
    left -= 1;
    if (left < SEALS_PER_GRANT / 4 && !asking) ask();
  };
  return {
    seal(place, plain) {
      count();
      return key.seal(place, plain);
    },
    open: (place, sealed) => key.open(place, sealed),
    sealStream(place, plain) {
      // A stream counts as one seal, however long it is, because it has a key of its own.
      count();
      return key.sealStream(place, plain);
    },
    openStream: (place, size, range, read) => key.openStream(place, size, range, read),
    blind: (purpose, value) => key.blind(purpose, value),
    mac: (purpose, value) => key.mac(purpose, value),
    share(seals) {
      for (let sealed = 0; sealed < seals; sealed++) count();
      return key.share(seals);
    },
  };
}

/** Opens sealed data. Throws the given error instead of KeyringError: unreadable data is an error, never empty. */
export function openedOr<T>(code: ErrorCode, open: () => T): T {
  try {
    return open();
  } catch (error) {
    if (error instanceof KeyringError) throw new NotevaultError(code, {}, error);
    throw error;
  }
}
