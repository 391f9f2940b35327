import type { Seq } from '@notevault/protocol/ids.ts';
import { createYield, type YieldIfDue } from '../../concurrency/yield.ts';
import type { ReadHandle } from '../../ports/database/database.ts';
import type { OpenVault } from '../access/access.ts';
import type { CachePages, PageRow } from './cache-pages.ts';

/** A live row as it is cached in memory, and in persisted pages: plain JSON. */
export interface CachedRow extends PageRow {
  readonly path: string;
}

/** What the last write of a row left: the row, or null for a tombstone. */
export interface RowChange<Row> {
  readonly id: string;
  readonly seq: Seq;
  readonly row: Row | null;
}

/** A kind of rows that can be cached: how they are read, and what they take. A row that cannot be opened throws. */
export interface CachedCollection<Row extends CachedRow> {
  /** What the rows are, and a number for their shape: persisted pages of another shape are not read. */
  readonly name: string;
  /** The first `limit` rows written after a seq, tombstones too, in the order of their seqs. */
  changed(handle: ReadHandle, vault: OpenVault, after: Seq, limit: number): Promise<RowChange<Row>[]>;
  /** Where live rows stand: the first `limit` seqs after one, in order. */
  liveSeqs(handle: ReadHandle, vault: OpenVault, after: Seq, limit: number): Promise<Seq[]>;
  /** The live rows at some seqs, in no order. */
  rowsAt(handle: ReadHandle, vault: OpenVault, seqs: readonly Seq[]): Promise<Row[]>;
  /** About how many bytes of memory a row takes. */
  bytesOf(row: Row): number;
}

/** The live rows of one kind, at one moment. Not to be kept: the next look changes it in place. */
export interface RowsView<Row extends CachedRow> {
  readonly byId: ReadonlyMap<string, Row>;
  /** By path, in the order of UTF-16 code units. */
  sorted(): Promise<readonly Row[]>;
}

/** Rows opened between two looks at the clock. */
const SLICE = 100;
/** Rows whose places are read at once. */
const SEQS_SLICE = 2000;
/** Rows of a page, and their bytes in memory. */
export const PAGE_ROWS = 500;
const PAGE_BYTES = 1024 * 1024;

/** All live rows of one kind of a vault, which follow what is written. */
export class CachedRows<Row extends CachedRow> implements RowsView<Row> {
  readonly vault: OpenVault;
  readonly byId = new Map<string, Row>();
  bytes = 0;
  /** Every write up to here is in it. */
  seq = 0 as Seq;
  readonly #collection: CachedCollection<Row>;
  /** Null until somebody asks for it. */
  #sorted: Row[] | null = null;
  /** Ids of rows that `#sorted` does not have as they are. */
  readonly #unsorted = new Set<string>();
  /** Ids of rows that no page has as they are. */
  readonly #unpaged = new Set<string>();
  #pages: readonly string[] = [];
  /** Rows of these pages, with those that are gone or have been written again. */
  #paged = 0;
  #damaged = false;

  constructor(collection: CachedCollection<Row>, vault: OpenVault) {
    this.#collection = collection;
    this.vault = vault;
  }

  /**
   * Takes in all live rows, which stand at most at a seq: each from a page that has it as it is, or else opened. A row
   * that is in no page and cannot be opened throws.
   */
  async load(handle: ReadHandle, seq: Seq, pages: CachePages): Promise<void> {
    const yieldIfDue = createYield();
    const paged = await pages.read<Row>(this.#collection.name, handle, this.vault);
    [this.#pages, this.#paged, this.#damaged] = [paged.pages, paged.count, !paged.complete];
    const unpaged: Seq[] = [];
    for (let after = 0 as Seq; after < seq; ) {
      const seqs = await this.#collection.liveSeqs(handle, this.vault, after, SEQS_SLICE);
      for (const seqOf of seqs) {
        const row = paged.rows.get(seqOf);
        if (row === undefined) unpaged.push(seqOf);
        else this.#put(row);
      }
      after = seqs.length < SEQS_SLICE ? seq : (seqs.at(-1) ?? seq);
      await yieldIfDue();
    }
    for (let from = 0; from < unpaged.length; from += SLICE) {
      const slice = unpaged.slice(from, from + SLICE);
      const rows = await this.#collection.rowsAt(handle, this.vault, slice);
      if (rows.length !== slice.length) throw new Error('rows are missing from their own snapshot');
      for (const row of rows) this.#apply({ id: row.id, seq: row.seq, row });
      await yieldIfDue();
    }
    this.seq = seq;
  }

  /** Takes in what was written up to a seq. A row that cannot be opened throws, and what came before it stays taken in. */
  async catchUp(handle: ReadHandle, seq: Seq): Promise<void> {
    const yieldIfDue = createYield();
    while (this.seq < seq) {
      const changes = await this.#collection.changed(handle, this.vault, this.seq, SLICE);
      for (const change of changes) this.#apply(change);
      const last = changes.at(-1);
      this.seq = changes.length < SLICE || last === undefined ? seq : last.seq;
      await yieldIfDue();
    }
  }

  /**
   * Writes pages of the rows that are in none, when they are so many; of all rows, when most of what pages hold is gone.
   * What is taken in meanwhile waits for the next time.
   */
  async persist(pages: CachePages, least: number): Promise<void> {
    const replaced = this.#damaged || this.#paged > 2 * this.byId.size + 4 * PAGE_ROWS ? this.#pages : [];
    if (replaced.length > 0) for (const id of this.byId.keys()) this.#unpaged.add(id);
    const yieldIfDue = createYield();
    while (this.#unpaged.size >= least) {
      const rows = this.#nextPage();
      const page = await pages.write(this.#collection.name, this.vault, rows);
      for (const row of rows) if (this.byId.get(row.id) === row) this.#unpaged.delete(row.id);
      this.#pages = [...this.#pages, page];
      this.#paged += rows.length;
      await yieldIfDue();
    }
    if (replaced.length === 0) return;
    await pages.delete(this.#collection.name, this.vault.id, replaced);
    this.#pages = this.#pages.filter((page) => !replaced.includes(page));
    [this.#paged, this.#damaged] = [this.byId.size - this.#unpaged.size, false];
  }

  async sorted(): Promise<readonly Row[]> {
    const yieldIfDue = createYield();
    if (this.#sorted === null) this.#sorted = await sortedByPath([...this.byId.values()], yieldIfDue);
    else if (this.#unsorted.size > 0) {
      const fresh = [...this.#unsorted].flatMap((id) => this.byId.get(id) ?? []);
      this.#sorted = await merged(
        this.#sorted.filter(({ id }) => !this.#unsorted.has(id)),
        await sortedByPath(fresh, yieldIfDue),
        yieldIfDue,
      );
    }
    this.#unsorted.clear();
    return this.#sorted;
  }

  #nextPage(): Row[] {
    const rows: Row[] = [];
    let bytes = 0;
    for (const id of this.#unpaged) {
      const row = this.byId.get(id);
      if (row === undefined) continue;
      bytes += this.#collection.bytesOf(row);
      if (rows.length === PAGE_ROWS || (rows.length > 0 && bytes > PAGE_BYTES)) break;
      rows.push(row);
    }
    return rows;
  }

  #apply({ id, row }: RowChange<Row>): void {
    if (row !== null) {
      this.#put(row);
      this.#unpaged.add(id);
      return;
    }
    const old = this.byId.get(id);
    if (old !== undefined) this.bytes -= this.#collection.bytesOf(old);
    this.byId.delete(id);
    this.#unpaged.delete(id);
    if (this.#sorted !== null) this.#unsorted.add(id);
  }

  #put(row: Row): void {
    const old = this.byId.get(row.id);
    if (old !== undefined) this.bytes -= this.#collection.bytesOf(old);
    this.byId.set(row.id, row);
    this.bytes += this.#collection.bytesOf(row);
    if (this.#sorted !== null) this.#unsorted.add(row.id);
  }
}

/** Rows compared between two looks at the clock. */
const SORTED = 1000;

/** Sorts runs of rows, and merges them: a list of a hundred thousand takes a slice at a time. */
async function sortedByPath<Row extends CachedRow>(rows: readonly Row[], yieldIfDue: YieldIfDue): Promise<Row[]> {
  let runs: Row[][] = [];
  for (let from = 0; from < rows.length; from += SORTED) {
    await yieldIfDue();
    runs.push(rows.slice(from, from + SORTED).sort(byPath));
  }
  while (runs.length > 1) {
    const longer: Row[][] = [];
    for (let at = 0; at < runs.length; at += 2)
      longer.push(await merged(runs[at] ?? [], runs[at + 1] ?? [], yieldIfDue));
    runs = longer;
  }
  return runs[0] ?? [];
}

/** Two sorted lists as one: a few new rows among many cost no sort. */
async function merged<Row extends CachedRow>(
  kept: readonly Row[],
  fresh: readonly Row[],
  yieldIfDue: YieldIfDue,
): Promise<Row[]> {
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

function byPath(a: CachedRow, b: CachedRow): number {
  if (a.path === b.path) return 0;
  return a.path < b.path ? -1 : 1;
}
