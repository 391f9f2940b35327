import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Seq, VaultId } from '@notevault/protocol/ids.ts';
import type { Database, ReadHandle } from '../../engines/database/database.ts';
import type { OpenVault } from './access.ts';
import type { Feed, VaultFeeds } from './feed.ts';

/** A live row as it is held open in memory. */
export interface HotRow {
  readonly id: string;
  readonly path: string;
}

/** What the last write of a row left: the row, or null for a tombstone. */
export interface HotChange<Row> {
  readonly id: string;
  readonly seq: Seq;
  readonly row: Row | null;
}

/** A kind of rows that can be held open: how they are read, and what they take. A row that cannot be opened throws. */
export interface HotKind<Row extends HotRow> {
  /** The first `limit` rows written after a seq, tombstones too, in the order of their seqs. */
  changed(handle: ReadHandle, vault: OpenVault, after: Seq, limit: number): Promise<HotChange<Row>[]>;
  /** As `changed`, without the tombstones. */
  live(handle: ReadHandle, vault: OpenVault, after: Seq, limit: number): Promise<HotChange<Row>[]>;
  /** About how many bytes of memory a row takes. */
  bytesOf(row: Row): number;
}

/** The live rows of one kind, at one moment. Not to be kept: the next look changes it in place. */
export interface HotRows<Row extends HotRow> {
  readonly byId: ReadonlyMap<string, Row>;
  /** By path, in the order of UTF-16 code units. */
  sorted(): readonly Row[];
}

/** A vault at one moment. */
export interface HotLook {
  /** The snapshot itself, for what is not held in memory. */
  readonly handle: ReadHandle;
  readonly changeSeq: Seq;
  rows<Row extends HotRow>(kind: HotKind<Row>): Promise<HotRows<Row>>;
}

/** Rows read at once: a slice of the event loop. */
const PAGE = 500;

/**
 * The rows of the vaults in use, held open: opening one costs more than all else that is done with it in a list. A look
 * reads, in one snapshot, what was written since the last one, so it never shows less than the database does. What is
 * held is bounded by bytes over all vaults; the vaults looked at longest ago go first.
 */
export class HotVaults {
  readonly #db: Database;
  readonly #vaults: Pick<VaultFeeds, 'feed'>;
  readonly #bytesMax: number;
  /** In the order of their last use. */
  readonly #held = new Map<VaultId, HotVault>();
  #bytes = 0;

  constructor(db: Database, vaults: Pick<VaultFeeds, 'feed'>, bytesMax: number) {
    this.#db = db;
    this.#vaults = vaults;
    this.#bytesMax = bytesMax;
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
    return hot.alone(async () => {
      try {
        return await this.#db.read(async (handle) => {
          const feed = await this.#vaults.feed(handle, vault);
          return body({ handle, changeSeq: feed.changeSeq, rows: (kind) => hot.rows(kind, handle, vault, feed) });
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

  holds({ feedEpoch }: OpenVault, kind: object): boolean {
    return this.#sets.get(kind)?.epoch === feedEpoch;
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
  ): Promise<HotRows<Row>> {
    // Only rows of this very kind are put under it.
    let set = this.#sets.get(kind) as HotSet<Row> | undefined;
    // After a backup was restored, what is held may never have been; and behind a tombstone that was dropped, a deletion
    // cannot be followed any more.
    if (set === undefined || set.epoch !== vault.feedEpoch || set.seq > changeSeq || set.seq < floorSeq) {
      this.#sets.delete(kind);
      set = new HotSet<Row>(vault.feedEpoch);
      await set.follow(kind.live, kind.bytesOf, handle, vault, changeSeq);
      this.#sets.set(kind, set as HotSet<HotRow>);
    } else if (set.seq < changeSeq) await set.follow(kind.changed, kind.bytesOf, handle, vault, changeSeq);
    return set;
  }
}

class HotSet<Row extends HotRow> implements HotRows<Row> {
  readonly epoch: number;
  readonly byId = new Map<string, Row>();
  bytes = 0;
  /** Every write up to here is in it. */
  seq = 0 as Seq;
  #sorted: Row[] = [];
  /** Ids of rows that `#sorted` does not have as they are. */
  readonly #unsorted = new Set<string>();

  constructor(epoch: number) {
    this.epoch = epoch;
  }

  /** Takes in what was written up to a seq. A row that cannot be opened throws, and what came before it stays taken in. */
  async follow(
    read: HotKind<Row>['changed'],
    bytesOf: HotKind<Row>['bytesOf'],
    handle: ReadHandle,
    vault: OpenVault,
    seq: Seq,
  ): Promise<void> {
    while (this.seq < seq) {
      const changes = await read(handle, vault, this.seq, PAGE);
      for (const change of changes) this.#take(change, bytesOf);
      const last = changes.at(-1);
      this.seq = changes.length < PAGE || last === undefined ? seq : last.seq;
      await nextTurn();
    }
  }

  sorted(): readonly Row[] {
    if (this.#unsorted.size === 0) return this.#sorted;
    const fresh = [...this.#unsorted].flatMap((id) => this.byId.get(id) ?? []).sort(byPath);
    const kept = this.#sorted.filter(({ id }) => !this.#unsorted.has(id));
    this.#sorted = kept.length === 0 ? fresh : merged(kept, fresh);
    this.#unsorted.clear();
    return this.#sorted;
  }

  #take({ id, row }: HotChange<Row>, bytesOf: HotKind<Row>['bytesOf']): void {
    const old = this.byId.get(id);
    if (old !== undefined) this.bytes -= bytesOf(old);
    if (row === null) this.byId.delete(id);
    else {
      this.byId.set(id, row);
      this.bytes += bytesOf(row);
    }
    this.#unsorted.add(id);
  }
}

/** Two sorted lists as one: a few new rows among many cost no sort. */
function merged<Row extends HotRow>(kept: readonly Row[], fresh: readonly Row[]): Row[] {
  const all: Row[] = [];
  let at = 0;
  for (const row of fresh) {
    for (let next = kept[at]; next !== undefined && byPath(next, row) < 0; next = kept[at]) {
      all.push(next);
      at += 1;
    }
    all.push(row);
  }
  for (const row of kept.slice(at)) all.push(row);
  return all;
}

function byPath(a: HotRow, b: HotRow): number {
  if (a.path === b.path) return 0;
  return a.path < b.path ? -1 : 1;
}
