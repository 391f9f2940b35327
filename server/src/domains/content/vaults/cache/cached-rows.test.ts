import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Seq } from '@notevault/protocol/values/ids.ts';
import type { ReadHandle } from '../../../../ports/database/database.ts';
import type { OpenVault } from '../../../foundation/access/access.ts';
import { type CachedCollection, type CachedRow, CachedRows } from './cached-rows.ts';

/** More than two runs of rows that are sorted by themselves. */
const COUNT = 9000;

test('after a rename of every row, each is read once, and the list is ordered again', async () => {
  const stored = new StoredRows(COUNT);
  const rows = await stored.loaded();
  await rows.sorted();
  stored.renameAll('renamed/');
  await rows.catchUp(HANDLE, stored.seq);
  assert.equal(stored.changesRead, COUNT);
  assert.deepEqual(pathsOf(await rows.sorted()), stored.paths());
});

test('rows stay ordered by path whether few or most of them change or are deleted', async () => {
  const stored = new StoredRows(COUNT);
  const rows = await stored.loaded();
  for (const share of [0, 0.01, 0.3, 0.51, 0.9, 1]) {
    stored.changeSome(share);
    await rows.catchUp(HANDLE, stored.seq);
    assert.deepEqual(pathsOf(await rows.sorted()), stored.paths(), `${share} changed`);
    assert.equal(rows.bytes, 100 * rows.byId.size);
  }
});

const VAULT = {} as OpenVault;
const HANDLE = {} as ReadHandle;
const pathsOf = (rows: readonly CachedRow[]) => rows.map(({ path }) => path);

/** Rows that are in no database; their seqs have another order than their paths. */
class StoredRows {
  seq = 0 as Seq;
  changesRead = 0;
  readonly #changes = new Map<string, { readonly seq: Seq; readonly path: string | null }>();

  constructor(count: number) {
    // 7,919 is a prime, so every row is visited once.
    for (let at = 0; at < count; at++) this.#write(`${(at * 7919) % count}`, `top/note ${(at * 7919) % count}.md`);
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

  async loaded(): Promise<CachedRows<CachedRow>> {
    const rows = new CachedRows(this.#collection, VAULT);
    await rows.load(HANDLE, this.seq);
    return rows;
  }

  #write(id: string, path: string | null): void {
    this.seq = (this.seq + 1) as Seq;
    this.#changes.delete(id);
    this.#changes.set(id, { seq: this.seq, path });
  }

  readonly #collection: CachedCollection<CachedRow> = {
    type: 'note',
    changed: async (_handle, _vault, after, limit) => {
      const changes = [...this.#changes].filter(([, { seq }]) => seq > after).slice(0, limit);
      this.changesRead += changes.length;
      return changes.map(([id, { seq, path }]) => ({ id, seq, row: path === null ? null : { id, seq, path } }));
    },
    live: async (_handle, _vault, after, limit) =>
      [...this.#changes]
        .flatMap(([id, { seq, path }]) => (path !== null && seq > after ? { id, seq, row: { id, seq, path } } : []))
        .slice(0, limit),
    bytesOf: () => 100,
  };
}
