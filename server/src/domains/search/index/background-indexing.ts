import type { VaultId } from '@notevault/protocol/ids.ts';
import type { SearchDeps } from '../search.deps.ts';
import * as store from '../search.store.ts';
import type { IndexCatchUp } from './index-catch-up.ts';
import { indexFormat } from './index-format.ts';
import type { IndexPersistence } from './index-persistence.ts';

/** A question should not wait for so many changes that no stored index knows: they take some seconds. */
const MIN_CHANGES = 1000;
/** A vault is left alone for this long after a write, so that an import is indexed once, after it. */
const QUIET_MS = 5000;
/** How often the database is read for writes of other processes, and for those before this one started. */
const CHECK_EVERY_MS = 60_000;
/** How many vaults are looked up at once, and then indexed one after the other. */
const VAULTS_PER_CHECK = 16;
const NIL_ID = '00000000-0000-0000-0000-000000000000';

/** Indexes vaults to which much was written and that nobody has searched since, so that the next search need not wait. */
export class BackgroundIndexing {
  readonly #deps: SearchDeps;
  readonly #catchUp: IndexCatchUp;
  readonly #persistence: IndexPersistence;
  #nextCheckAt = 0;
  /** The vaults that were behind at the last check: their seq then, and since when they have had it. */
  #behind = new Map<VaultId, { readonly seq: number; readonly since: number }>();

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
      await this.#index(vaultId, signal).catch((error: unknown) => {
        if (!signal.aborted) this.#deps.reportError(error);
      });
    }
  }

  /** The vaults that are far behind and have been quiet for long enough. Sets when to check next. */
  async #findQuietVaults(now: number): Promise<VaultId[]> {
    const params = { format: indexFormat, minChanges: MIN_CHANGES, after: NIL_ID, limit: VAULTS_PER_CHECK };
    const rows = await this.#deps.db.all(store.findBehind, params);
    const previous = this.#behind;
    this.#behind = new Map(
      rows.map(({ vault_id: id, change_seq: seq }) => {
        const known = previous.get(id);
        return [id, { seq, since: known?.seq === seq ? known.since : now }];
      }),
    );
    const quiet = [...this.#behind].filter(([, { since }]) => since + QUIET_MS <= now).map(([id]) => id);
    this.#nextCheckAt = now + (quiet.length < this.#behind.size ? QUIET_MS : CHECK_EVERY_MS);
    return quiet;
  }

  /** Indexes a vault and stores the index, which in memory may have to make room for others. */
  async #index(vaultId: VaultId, signal: AbortSignal): Promise<void> {
    const { vaults, rest } = this.#deps;
    const vault = await vaults.openForWork(vaultId);
    if (vault === null) return;
    await this.#catchUp.catchUpInBackground(vault, (ms) => rest(ms, signal), signal);
    await this.#persistence.store(vault);
  }
}
