import type { VaultId } from '@notevault/protocol/values/ids.ts';
import type { SearchDeps } from '../search.deps.ts';
import * as store from '../search.store.ts';
import type { IndexCatchUp } from './index-catch-up.ts';
import { indexFormat } from './index-format.ts';
import type { IndexPersistence } from './index-persistence.ts';

/** A search should not have to wait for this many changes that no stored index has; they take some seconds. */
const MIN_CHANGES = 1000;
/** A vault is left alone for this long after a write, so that an import is indexed once, after it. */
const QUIET_MS = 5000;
/** How often the database is read for writes of other processes, and for those before this one started. */
const CHECK_EVERY_MS = 60_000;
/** How many vaults are looked up at once, and then indexed one after the other. */
const VAULTS_PER_CHECK = 16;
/** The pause after a vault could not be indexed; it doubles with each failure in a row, up to a bound. */
const FIRST_PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 24 * 3_600_000;
/** Most vaults whose failures are remembered. */
const MAX_FAILED = 1000;
const NIL_ID = '00000000-0000-0000-0000-000000000000';

/** A vault that is far behind: its seq when it was checked, and since when it has had this seq. */
interface Behind {
  readonly seq: number;
  readonly since: number;
}

/** Indexes vaults with many writes that nobody has searched since, so that the next search need not wait. */
export class BackgroundIndexing {
  readonly #deps: SearchDeps;
  readonly #catchUp: IndexCatchUp;
  readonly #persistence: IndexPersistence;
  #nextCheckAt = 0;
  /**
   * The next check continues after this vault. If every check began at the first vault, the last ones would never be
   * reached.
   */
  #checkedUpTo: string = NIL_ID;
  /** The vaults that were behind in the last round over all vaults, and in this one so far. */
  #lastRound = new Map<VaultId, Behind>();
  #thisRound = new Map<VaultId, Behind>();
  readonly #failed = new Map<VaultId, { readonly failures: number; readonly retryAt: number }>();

  constructor(deps: SearchDeps, catchUp: IndexCatchUp, persistence: IndexPersistence) {
    this.#deps = deps;
    this.#catchUp = catchUp;
    this.#persistence = persistence;
  }

  /** Records that something was written. */
  recordChange(): void {
    this.#nextCheckAt = Math.min(this.#nextCheckAt, this.#deps.clock.now() + QUIET_MS);
  }

  /** Checks which vaults are far behind and indexes those that have been quiet. Must not be called while it runs. */
  async run(signal: AbortSignal): Promise<void> {
    const now = this.#deps.clock.now();
    if (now < this.#nextCheckAt) return;
    for (const vaultId of await this.#findQuietVaults(now)) {
      if (signal.aborted) return;
      try {
        await this.#index(vaultId, signal);
        this.#failed.delete(vaultId);
      } catch (error) {
        if (signal.aborted) return;
        this.#recordFailure(vaultId);
        this.#deps.reportError(error);
      }
    }
  }

  #recordFailure(vaultId: VaultId): void {
    const failures = (this.#failed.get(vaultId)?.failures ?? 0) + 1;
    const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1));
    this.#failed.delete(vaultId);
    this.#failed.set(vaultId, { failures, retryAt: this.#deps.clock.now() + pauseMs });
    const [oldest] = this.#failed.keys();
    if (this.#failed.size > MAX_FAILED && oldest !== undefined) this.#failed.delete(oldest);
  }

  /** The next vaults that are far behind and have been quiet for long enough. Sets when to check next. */
  async #findQuietVaults(now: number): Promise<VaultId[]> {
    const after = this.#checkedUpTo;
    const params = { format: indexFormat, minChanges: MIN_CHANGES, after, limit: VAULTS_PER_CHECK };
    const rows = await this.#deps.db.all(store.findBehind, params);
    for (const { vault_id: id, change_seq: seq } of rows) {
      const known = this.#lastRound.get(id);
      this.#thisRound.set(id, { seq, since: known?.seq === seq ? known.since : now });
    }
    const quiet = rows.map(({ vault_id: id }) => id).filter((id) => this.#isReady(id, now));
    const last = rows.at(-1);
    if (last !== undefined && rows.length === VAULTS_PER_CHECK) {
      this.#checkedUpTo = last.vault_id;
      this.#nextCheckAt = now;
      return quiet;
    }
    this.#nextCheckAt = now + (this.#hasUnquiet(now) ? QUIET_MS : CHECK_EVERY_MS);
    [this.#lastRound, this.#thisRound, this.#checkedUpTo] = [this.#thisRound, new Map(), NIL_ID];
    return quiet;
  }

  #isReady(id: VaultId, now: number): boolean {
    const since = this.#thisRound.get(id)?.since ?? now;
    return since + QUIET_MS <= now && (this.#failed.get(id)?.retryAt ?? now) <= now;
  }

  #hasUnquiet(now: number): boolean {
    return this.#thisRound.values().some(({ since }) => since + QUIET_MS > now);
  }

  /** Indexes a vault and stores the index; in memory, others may be evicted for it. */
  async #index(vaultId: VaultId, signal: AbortSignal): Promise<void> {
    const { vaults, rest } = this.#deps;
    const vault = await vaults.openAsSystem(vaultId);
    if (vault === null) return;
    await this.#catchUp.catchUpInBackground(vault, (ms) => rest(ms, signal), signal);
    await this.#persistence.store(vault);
  }
}
