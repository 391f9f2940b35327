import type { UnreadableRow } from '@notevault/protocol/sync.ts';
import type { Seq } from '@notevault/protocol/values/ids.ts';
import { slicesOf } from '../../../../concurrency/slices.ts';
import { createYield, type YieldIfDue } from '../../../../concurrency/yield.ts';
import type { ReadHandle } from '../../../../ports/database/database.ts';
import type { OpenVault } from '../../../foundation/access/access.ts';

export interface CachedRow {
  readonly id: string;
  readonly seq: Seq;
  readonly path: string;
}

/** The result of a row's last write: the row, null for a tombstone, or that the live row is damaged. */
export interface RowChange<Row> {
  readonly id: string;
  readonly seq: Seq;
  readonly row: Row | null | 'unreadable';
}

/** A kind of rows that can be cached: how they are read and how large they are. */
export interface CachedCollection<Row extends CachedRow> {
  /** The kind of entries, as in the change feed. */
  readonly type: UnreadableRow['type'];
  /** The first `limit` rows written after a seq, including tombstones, ordered by seq. */
  changed(handle: ReadHandle, vault: OpenVault, after: Seq, limit: number): Promise<RowChange<Row>[]>;
  /** The first `limit` live rows written after a seq, ordered by seq. */
  live(handle: ReadHandle, vault: OpenVault, after: Seq, limit: number): Promise<RowChange<Row>[]>;
  bytesOf(row: Row): number;
}

/** The live rows of one kind in one snapshot. Must not be kept: the next read changes it in place. */
export interface RowsView<Row extends CachedRow> {
  readonly byId: ReadonlyMap<string, Row>;
  /** The live rows that cannot be opened, ordered by seq. */
  readonly unreadable: readonly UnreadableRow[];
  /** Ordered by path, in UTF-16 code units. */
  sorted(): Promise<readonly Row[]>;
}

/** Rows opened between two checks of the clock. */
const SLICE = 100;

/** All live rows of one kind of a vault, which can be brought up to date with later writes. */
export class CachedRows<Row extends CachedRow> implements RowsView<Row> {
  readonly vault: OpenVault;
  readonly byId = new Map<string, Row>();
  readonly #unreadable = new Map<string, UnreadableRow>();
  bytes = 0;
  /** The seq up to which all writes are included. */
  seq = 0 as Seq;
  readonly #collection: CachedCollection<Row>;
  /** Null after a change, until it is requested. */
  #sorted: Row[] | null = null;

  constructor(collection: CachedCollection<Row>, vault: OpenVault) {
    this.#collection = collection;
    this.vault = vault;
  }

  get unreadable(): readonly UnreadableRow[] {
    return [...this.#unreadable.values()].sort((a, b) => a.seq - b.seq);
  }

  /** Loads all live rows up to a seq. */
  async load(handle: ReadHandle, seq: Seq): Promise<void> {
    await this.#readTo(seq, (after) => this.#collection.live(handle, this.vault, after, SLICE));
  }

  async catchUp(handle: ReadHandle, seq: Seq): Promise<void> {
    await this.#readTo(seq, (after) => this.#collection.changed(handle, this.vault, after, SLICE));
  }

  async #readTo(seq: Seq, read: (after: Seq) => Promise<RowChange<Row>[]>): Promise<void> {
    const yieldIfDue = createYield();
    while (this.seq < seq) {
      const changes = await read(this.seq);
      for (const change of changes) this.#apply(change);
      const last = changes.at(-1);
      this.seq = changes.length < SLICE || last === undefined ? seq : last.seq;
      await yieldIfDue();
    }
  }

  async sorted(): Promise<readonly Row[]> {
    this.#sorted ??= await sortedByPath([...this.byId.values()], createYield());
    return this.#sorted;
  }

  #apply({ id, seq, row }: RowChange<Row>): void {
    this.#sorted = null;
    this.#unreadable.delete(id);
    const old = this.byId.get(id);
    if (old !== undefined) this.bytes -= this.#collection.bytesOf(old);
    if (row === 'unreadable') this.#unreadable.set(id, { id, seq, type: this.#collection.type });
    if (row === null || row === 'unreadable') this.byId.delete(id);
    else {
      this.byId.set(id, row);
      this.bytes += this.#collection.bytesOf(row);
    }
  }
}

/** Rows compared between two checks of the clock. */
const SORTED = 4000;

/** Sorts runs of rows and merges them, so that a list of a hundred thousand yields between slices. */
async function sortedByPath<Row extends CachedRow>(rows: readonly Row[], yieldIfDue: YieldIfDue): Promise<Row[]> {
  let runs: Row[][] = [];
  for (const slice of slicesOf(rows, SORTED)) {
    await yieldIfDue();
    runs.push(slice.sort(byPath));
  }
  while (runs.length > 1) {
    const longer: Row[][] = [];
    for (let at = 0; at < runs.length; at += 2)
      longer.push(await merged(runs[at] ?? [], runs[at + 1] ?? [], yieldIfDue));
    runs = longer;
  }
  return runs[0] ?? [];
}

async function merged<Row extends CachedRow>(kept: readonly Row[], fresh: readonly Row[], yieldIfDue: YieldIfDue) {
  const all: Row[] = [];
  let [at, from] = [0, 0];
  while (at < kept.length || from < fresh.length) {
    const [a, b] = [kept[at], fresh[from]];
    if (a !== undefined && (b === undefined || byPath(a, b) < 0)) {
      all.push(a);
      at += 1;
    } else if (b !== undefined) {
      all.push(b);
      from += 1;
    }
    if (all.length % SORTED === 0) await yieldIfDue();
  }
  return all;
}

/** Compares rows by path. No two live rows have the same path, so one comparison of strings suffices. */
function byPath(a: CachedRow, b: CachedRow): number {
  return a.path < b.path ? -1 : 1;
}
