import { NIL_UUID, type VaultId } from '@notevault/protocol/values/ids.ts';
import { rowsOf } from '../../../../ports/database/database.ts';
import { BackgroundSchedule, Backoff } from '../background-schedule.ts';
import * as store from '../search.store.ts';
import type { SearchDeps } from '../search.ts';
import type { IndexCatchUp } from './index-catch-up.ts';
import type { IndexPersistence } from './index-persistence.ts';
import { indexFormat } from './stored-index.ts';

/** A search should not have to wait for this many changes that no stored index has; they take some seconds. */
const MIN_CHANGES = 1000;
/** A vault is left alone for this long after a write, also of another process, so that an import is indexed once. */
const REST_MS = 5000;
const VAULTS_PER_QUERY = 16;
const FIRST_PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 24 * 3_600_000;

/** A vault that is far behind: its seq when it was checked, and since when it has had this seq. */
interface Behind {
  readonly seq: number;
  readonly since: number;
}

/** Indexes vaults with many writes since their last search, so that the next search need not wait. */
export class BackgroundIndexing {
  readonly #deps: SearchDeps;
  readonly #catchUp: IndexCatchUp;
  readonly #persistence: IndexPersistence;
  readonly #schedule: BackgroundSchedule;
  readonly #backoff: Backoff<VaultId>;
  /** The vaults that were behind in the last run. */
  #behind: ReadonlyMap<VaultId, Behind> = new Map();

  constructor(deps: SearchDeps, catchUp: IndexCatchUp, persistence: IndexPersistence) {
    this.#deps = deps;
    this.#catchUp = catchUp;
    this.#persistence = persistence;
    this.#schedule = new BackgroundSchedule(deps.clock, REST_MS);
    this.#backoff = new Backoff(deps.clock, FIRST_PAUSE_MS, LONGEST_PAUSE_MS);
  }

  recordChange(): void {
    this.#schedule.recordChange();
  }

  /** Indexes vaults that are far behind, once their writes have paused. Must not be called while it runs. */
  async run(signal: AbortSignal): Promise<void> {
    if (!this.#schedule.begin()) return;
    const now = this.#deps.clock.elapsed();
    const behind = new Map<VaultId, Behind>();
    for await (const { vault_id: id, change_seq: seq } of this.#farBehind()) {
      const known = this.#behind.get(id);
      const since = known?.seq === seq ? known.since : now;
      behind.set(id, { seq, since });
      if (now - since < REST_MS) this.#schedule.again(REST_MS);
      else if (!this.#backoff.isPaused(id)) await this.#tryToIndex(id, signal);
      if (signal.aborted) return;
    }
    this.#behind = behind;
  }

  #farBehind() {
    const after = (last?: { vault_id: VaultId }) => {
      const place = { after: last?.vault_id ?? NIL_UUID, limit: VAULTS_PER_QUERY };
      return { format: indexFormat, minChanges: MIN_CHANGES, ...place };
    };
    return rowsOf(this.#deps.db, store.findBehind, after);
  }

  async #tryToIndex(vaultId: VaultId, signal: AbortSignal): Promise<void> {
    try {
      await this.#index(vaultId, signal);
      this.#backoff.succeeded(vaultId);
    } catch (error) {
      if (signal.aborted) return;
      this.#backoff.failed(vaultId);
      this.#deps.reportError(error);
    }
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
