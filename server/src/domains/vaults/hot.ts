import type { Seq, VaultId } from '@notevault/protocol/ids.ts';
import type { Clock } from '../../engines/clock/clock.ts';
import { ConstraintError, type Database, type ReadHandle, type WriteHandle } from '../../engines/database/database.ts';
import type { OpenVault } from './access.ts';
import type { Feed, VaultFeeds } from './feed.ts';
import { HotPages } from './hot-pages.ts';
import { type HotKind, type HotRow, type HotRows, HotSet, PAGE_ROWS } from './hot-set.ts';

export type { HotChange, HotKind, HotRow, HotRows } from './hot-set.ts';

/** A vault at one moment. */
export interface HotLook {
  /** The snapshot itself, for what is not held in memory. */
  readonly handle: ReadHandle;
  readonly changeSeq: Seq;
  rows<Row extends HotRow>(kind: HotKind<Row>): Promise<HotRows<Row>>;
}

/** Vaults that are written and not looked at are remembered up to this number. */
const WRITTEN_MAX = 10_000;

/**
 * The rows of the vaults in use, held open: opening one costs more than all else that is done with it in a list. A look
 * reads, in one snapshot, what was written since the last one, so it never shows less than the database does. What is
 * held is bounded by bytes over all vaults; the vaults looked at longest ago go first. Pages at rest spare whoever begins
 * most of the openings.
 */
export class HotVaults {
  readonly #db: Database;
  readonly #vaults: Pick<VaultFeeds, 'feed'>;
  readonly #bytesMax: number;
  readonly #pages: HotPages;
  /** In the order of their last use. */
  readonly #held = new Map<VaultId, HotVault>();
  #bytes = 0;
  /** Vaults that were written since their last look, the latest last: from which seq to which. */
  readonly #written = new Map<VaultId, { readonly since: number; readonly seq: number }>();

  constructor(db: Database, clock: Pick<Clock, 'uuid'>, vaults: Pick<VaultFeeds, 'feed'>, bytesMax: number) {
    this.#db = db;
    this.#vaults = vaults;
    this.#bytesMax = bytesMax;
    this.#pages = new HotPages(db, clock);
  }

  /** What is held of all vaults, in bytes, estimated. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether a look at these rows would have to read no more than what was written since the last one. */
  holds(vault: OpenVault, kind: object): boolean {
    return this.#held.get(vault.id)?.holds(vault, kind) ?? false;
  }

  /**
   * Gives `body` the vault as it is now. Looks at one vault come one after the other, so that none sees rows of a later
   * moment than its own; `body` awaits only its handle, and what lets others run.
   */
  async look<Result>(vault: OpenVault, body: (look: HotLook) => Promise<Result>): Promise<Result> {
    const hot = this.#held.get(vault.id) ?? new HotVault();
    this.#held.delete(vault.id);
    this.#held.set(vault.id, hot);
    this.#written.delete(vault.id);
    return hot.alone(async () => {
      try {
        return await this.#db.read(async (handle) => {
          const feed = await this.#vaults.feed(handle, vault);
          return body({
            handle,
            changeSeq: feed.changeSeq,
            rows: (kind) => hot.rows(kind, handle, vault, feed, this.#pages),
          });
        });
      } finally {
        this.#count(vault.id, hot);
      }
    });
  }

  /** Forgets a vault, whose key may be gone. */
  drop(id: VaultId): void {
    this.#bytes -= this.#held.get(id)?.counted ?? 0;
    this.#held.delete(id);
    this.#written.delete(id);
  }

  /** Hears that a vault was written up to a seq. */
  wrote(id: VaultId, seq: number): void {
    const since = this.#written.get(id)?.since ?? seq;
    this.#written.delete(id);
    this.#written.set(id, { since, seq });
    const [oldest] = this.#written.keys();
    if (this.#written.size > WRITTEN_MAX && oldest !== undefined) this.#written.delete(oldest);
  }

  /** Vaults written so often since their last look that one is worth it, so that pages are made; each is given once. */
  takeOverdue(): VaultId[] {
    const overdue = [...this.#written].filter(([, { since, seq }]) => seq - since >= PAGE_ROWS).map(([id]) => id);
    for (const id of overdue) this.#written.delete(id);
    return overdue;
  }

  /** Writes pages of what is held and in none, where that is as many rows as this. */
  async keep(least = PAGE_ROWS): Promise<void> {
    for (const hot of [...this.#held.values()]) {
      for (const set of hot.sets()) await set.keep(this.#pages, least).catch(unlessGone);
    }
  }

  /** Deletes pages from before a moment: none outlives the tombstones of what is in it. */
  dropPages(until: number): Promise<void> {
    return this.#pages.dropOlder(until);
  }

  /** Deletes a slice of a purged vault's pages; true when more may be left. */
  eraseSlice(handle: WriteHandle, vaultId: VaultId): Promise<boolean> {
    return this.#pages.eraseSlice(handle, vaultId);
  }

  #count(id: VaultId, hot: HotVault): void {
    // Let go meanwhile: whoever still looks at it has it to themselves.
    if (this.#held.get(id) !== hot) return;
    this.#bytes += hot.bytes - hot.counted;
    hot.counted = hot.bytes;
    for (const oldest of this.#held.keys()) {
      if (this.#bytes <= this.#bytesMax) return;
      this.drop(oldest);
    }
  }
}

class HotVault {
  /** The bytes that the total over all vaults has of this one. */
  counted = 0;
  readonly #sets = new Map<object, HotSet<HotRow>>();
  #last: Promise<unknown> = Promise.resolve();

  get bytes(): number {
    return [...this.#sets.values()].reduce((sum, set) => sum + set.bytes, 0);
  }

  sets(): HotSet<HotRow>[] {
    return [...this.#sets.values()];
  }

  holds({ feedEpoch }: OpenVault, kind: object): boolean {
    return this.#sets.get(kind)?.vault.feedEpoch === feedEpoch;
  }

  /** Runs `work` once all before it is over. */
  alone<Result>(work: () => Promise<Result>): Promise<Result> {
    const run = this.#last.then(work);
    this.#last = run.catch(() => undefined);
    return run;
  }

  async rows<Row extends HotRow>(
    kind: HotKind<Row>,
    handle: ReadHandle,
    vault: OpenVault,
    { changeSeq, floorSeq }: Feed,
    pages: HotPages,
  ): Promise<HotRows<Row>> {
    // Only rows of this very kind are put under it.
    let set = this.#sets.get(kind) as HotSet<Row> | undefined;
    // After a backup was restored, what is held may never have been; and behind a tombstone that was dropped, a deletion
    // cannot be followed any more.
    if (set === undefined || set.vault.feedEpoch !== vault.feedEpoch || set.seq > changeSeq || set.seq < floorSeq) {
      this.#sets.delete(kind);
      set = new HotSet(kind, vault);
      await set.fill(handle, changeSeq, pages);
      this.#sets.set(kind, set as HotSet<HotRow>);
    } else if (set.seq < changeSeq) await set.follow(handle, changeSeq);
    return set;
  }
}

/** A page of a vault that is gone is refused by its foreign key. */
function unlessGone(error: unknown): void {
  if (!(error instanceof ConstraintError)) throw error;
}
