import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Seq } from '@notevault/protocol/values/ids.ts';
import type { ReadHandle } from '../../../ports/database/database.ts';
import type { OpenVault } from '../../access/access.ts';
import type { PageRow, PagesContent } from './cache-pages.ts';
import { type CachedCollection, type CachedRow, CachedRows } from './cached-rows.ts';

/** More than two runs of rows that are sorted by themselves. */
const COUNT = 9000;

test('the pages of rows are ordered by path, and a load needs hardly more than one comparison for each row', async () => {
  const stored = new StoredRows(COUNT);
  const pages = new MemoryPages();
  await (await stored.loaded(pages)).persist(pages, 1);
  assert.equal(pages.written.length, COUNT / 500);
  const inPages = pages.written.flat() as CachedRow[];
  assert.deepEqual(pathsOf(inPages), stored.paths());

  const rows = await stored.loaded(pages);
  stored.pathsRead = 0;
  assert.deepEqual(pathsOf(await rows.sorted()), stored.paths());
  assert.ok(stored.comparisons(COUNT) < 1.1 * COUNT, `${stored.comparisons(COUNT)} comparisons`);
  assert.equal(stored.opened, COUNT, 'rows of pages are not opened');
});

test('after a rename of every row, each is read once and hardly more than one comparison orders it', async () => {
  const stored = new StoredRows(COUNT);
  const pages = new MemoryPages();
  await (await stored.loaded(pages)).persist(pages, 1);
  const rows = await stored.loaded(pages);
  await rows.sorted();
  stored.renameAll('renamed/');
  await rows.catchUp(HANDLE, stored.seq);
  assert.equal(stored.changesRead, COUNT);
  stored.pathsRead = 0;
  assert.deepEqual(pathsOf(await rows.sorted()), stored.paths());
  assert.ok(stored.comparisons(COUNT) < 1.1 * COUNT, `${stored.comparisons(COUNT)} comparisons`);
});

test('rows stay ordered by path whether few or most of them change or are deleted', async () => {
  const stored = new StoredRows(COUNT);
  const rows = await stored.loaded(new MemoryPages());
  for (const share of [0, 0.01, 0.3, 0.51, 0.9, 1]) {
    stored.changeSome(share);
    await rows.catchUp(HANDLE, stored.seq);
    assert.deepEqual(pathsOf(await rows.sorted()), stored.paths(), `${share} changed`);
    assert.equal(rows.bytes, 100 * rows.byId.size);
  }
});

test('a row that is written while its page waits is left for the next pages', async () => {
  const stored = new StoredRows(1200);
  const pages = new MemoryPages();
  const rows = await stored.loaded(pages);
  pages.onWrite = async () => {
    pages.onWrite = async () => undefined;
    stored.renameAll('renamed/');
    await rows.catchUp(HANDLE, stored.seq);
  };
  await rows.persist(pages, 1);
  assert.deepEqual(
    pages.written.map(({ length }) => length),
    [500],
  );
  await rows.persist(pages, 1);
  assert.deepEqual(
    pages.written.map(({ length }) => length),
    [500, 500, 500, 200],
  );
  const opened = stored.opened;
  const loaded = await stored.loaded(pages);
  assert.deepEqual(pathsOf(await loaded.sorted()), stored.paths());
  assert.equal(stored.opened, opened);
});

const VAULT = {} as OpenVault;
const HANDLE = {} as ReadHandle;
const pathsOf = (rows: readonly CachedRow[]) => rows.map(({ path }) => path);

/** Rows that are in no database; their seqs have another order than their paths, and each read of a path is counted. */
class StoredRows {
  seq = 0 as Seq;
  pathsRead = 0;
  /** Number of rows opened one by one. */
  opened = 0;
  changesRead = 0;
  readonly #changes = new Map<string, { readonly seq: Seq; readonly path: string | null }>();

  constructor(count: number) {
    // 7,919 is a prime, so every row is visited once.
    for (let at = 0; at < count; at++) this.#write(`${(at * 7919) % count}`, `top/note ${(at * 7919) % count}.md`);
  }

  comparisons(rows: number): number {
    // The comparison with the expected order reads each path once.
    return (this.pathsRead - rows) / 2;
  }

  paths(): string[] {
    return [...this.#changes.values()].flatMap(({ path }) => path ?? []).sort();
  }

  renameAll(prefix: string): void {
    for (const [id, { path }] of [...this.#changes]) if (path !== null) this.#write(id, prefix + path);
  }

  /** Renames a share of the rows, deletes every tenth of these, and adds one row. */
  changeSome(share: number): void {
    const ids = [...this.#changes].flatMap(([id, { path }]) => (path === null ? [] : id));
    const some = ids.slice(0, Math.ceil(share * ids.length));
    for (const [at, id] of some.entries()) this.#write(id, at % 10 === 0 ? null : `${id}/${this.seq % 1000}/${id}.md`);
    this.#write(`added ${this.seq}`, `m${this.seq}.md`);
  }

  async loaded(pages: MemoryPages): Promise<CachedRows<CachedRow>> {
    const rows = new CachedRows(this.#collection, VAULT);
    await rows.load(HANDLE, this.seq, pages);
    return rows;
  }

  #write(id: string, path: string | null): void {
    this.seq = (this.seq + 1) as Seq;
    this.#changes.delete(id);
    this.#changes.set(id, { seq: this.seq, path });
  }

  #row(id: string, seq: Seq, path: string): CachedRow {
    const read = () => {
      this.pathsRead += 1;
      return path;
    };
    return {
      id,
      seq,
      get path() {
        return read();
      },
    };
  }

  readonly #collection: CachedCollection<CachedRow> = {
    type: 'note',
    name: 'stored 1',
    changed: async (_handle, _vault, after, limit) => {
      const changes = [...this.#changes].filter(([, { seq }]) => seq > after).slice(0, limit);
      this.changesRead += changes.length;
      return changes.map(([id, { seq, path }]) => ({ id, seq, row: path === null ? null : this.#row(id, seq, path) }));
    },
    liveSeqs: async (_handle, _vault, after, limit) =>
      [...this.#changes.values()].flatMap(({ seq, path }) => (path !== null && seq > after ? seq : [])).slice(0, limit),
    rowsAt: async (_handle, _vault, seqs) => {
      const asked = new Set(seqs);
      this.opened += seqs.length;
      return [...this.#changes].flatMap(([id, { seq, path }]) =>
        path !== null && asked.has(seq) ? { id, seq, row: this.#row(id, seq, path) } : [],
      );
    },
    bytesOf: () => 100,
  };
}

/** Pages in memory. */
class MemoryPages {
  readonly written: (readonly PageRow[])[] = [];
  onWrite: () => Promise<void> = async () => undefined;

  async read<Row extends PageRow>(): Promise<PagesContent<Row>> {
    const rows = this.written as unknown as readonly (readonly Row[])[];
    return { rows, pages: rows.map((_, at) => `${at}`), count: rows.flat().length, complete: true };
  }

  async write(_kind: string, _vault: OpenVault, rows: readonly PageRow[]): Promise<string> {
    this.written.push(rows);
    await this.onWrite();
    return `${this.written.length - 1}`;
  }

  async delete(): Promise<void> {
    assert.fail('no page is replaced here');
  }
}
