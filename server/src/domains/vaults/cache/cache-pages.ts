import { NIL_UUID, type Seq, type VaultId } from '@notevault/protocol/values/ids.ts';
import { Type } from 'typebox';
import { slicesOf } from '../../../concurrency/slices.ts';
import { createYield } from '../../../concurrency/yield.ts';
import type { Clock } from '../../../ports/clock/clock.ts';
import type { Database, ReadHandle, WriteHandle } from '../../../ports/database/database.ts';
import { KeyringError } from '../../../ports/keyring/keyring.ts';
import { SealedJson } from '../../../ports/keyring/sealed-json.ts';
import type { OpenVault } from '../../access/access.ts';
import * as store from './cache-pages.store.ts';

/** A row in a page, as of its seq; plain JSON. */
export interface PageRow {
  readonly id: string;
  readonly seq: Seq;
}

export interface PagesContent<Row extends PageRow> {
  /** The rows of each page, in the order in which they were written, including rows that have been rewritten since. */
  readonly rows: readonly (readonly Row[])[];
  readonly pages: readonly string[];
  readonly count: number;
  /** Whether every page could be opened. */
  readonly complete: boolean;
}

/** Pages in one slice of the event loop, or of the single writer, which overwrites those that it deletes. */
const SLICE = 4;

/**
 * Other fields belong to the kind of row. Changing a kind needs a new format of the pages, so that old ones are written
 * again.
 */
const pageRows = new SealedJson(
  1,
  Type.Array(Type.Object({ id: Type.String(), seq: Type.Unsafe<Seq>(Type.Number()) })),
);

/** Persisted lists of vaults, hundreds of rows sealed together. A page only saves opening rows: it may be missing. */
export class CachePages {
  readonly #db: Database;
  readonly #clock: Pick<Clock, 'uuid'>;

  constructor(db: Database, clock: Pick<Clock, 'uuid'>) {
    this.#db = db;
    this.#clock = clock;
  }

  /** Reads the pages of a vault; those that cannot be opened, or are of another feed epoch, are left out. */
  async read<Row extends PageRow>(kind: string, handle: ReadHandle, vault: OpenVault): Promise<PagesContent<Row>> {
    const rows: Row[][] = [];
    const yieldIfDue = createYield();
    const pages: string[] = [];
    let [count, complete] = [0, true];
    for (let after = NIL_UUID; ; ) {
      const found = await handle.all(store.findPages, { vault: vault.id, kind, after, limit: SLICE });
      for (const { id, data } of found) {
        const opened = openPage<Row>(vault, kind, id, data);
        rows.push(opened ?? []);
        pages.push(id);
        count += opened?.length ?? 0;
        complete &&= opened !== null;
      }
      after = found.at(-1)?.id ?? after;
      if (found.length < SLICE) return { rows, pages, count, complete };
      await yieldIfDue();
    }
  }

  /** Resolves to the page's id. */
  async write(kind: string, vault: OpenVault, rows: readonly PageRow[]): Promise<string> {
    const id = this.#clock.uuid();
    const data = pageRows.seal(vault.key, contextOf(vault, kind, id), [...rows]);
    await this.#db.transact((handle) => handle.run(store.insertPage, { vault_id: vault.id, kind, id, data }));
    return id;
  }

  async delete(kind: string, vault: VaultId, pages: readonly string[]): Promise<void> {
    for (const slice of slicesOf(pages, SLICE)) {
      await this.#db.transact((handle) => handle.runMany(store.deletePages, { vault_id: vault, kind }, slice));
    }
  }

  /** Deletes the pages of all vaults that were written before a time. */
  async deleteOlder(until: number): Promise<void> {
    const hex = Math.max(0, until).toString(16).padStart(12, '0');
    const id = `${hex.slice(0, 8)}-${hex.slice(8)}${NIL_UUID.slice(13)}`;
    for (let left = SLICE; left === SLICE; ) {
      const found = await this.#db.all(store.findPagesBelow, { id, limit: SLICE });
      for (const page of found) await this.delete(page.kind, page.vault_id, [page.id]);
      left = found.length;
    }
  }

  /** Deletes a slice of a purged vault's pages; true when more may be left. */
  async purgeSlice(handle: WriteHandle, vault: VaultId): Promise<boolean> {
    const found = await handle.all(store.findSomePages, { vault, limit: SLICE });
    for (const { kind, id } of found) await handle.runMany(store.deletePages, { vault_id: vault, kind }, [id]);
    return found.length > 0;
  }
}

function openPage<Row>(vault: OpenVault, kind: string, id: string, data: Buffer): Row[] | null {
  try {
    return pageRows.open(vault.key, contextOf(vault, kind, id), data) as Row[];
  } catch (error) {
    if (error instanceof KeyringError) return null;
    throw error;
  }
}

/** The feed epoch is part of the context, because the same seqs belong to other rows in another epoch. */
const contextOf = (vault: OpenVault, kind: string, id: string) => ({
  kind: 'cache_pages.data',
  row: `${kind}:${id}`,
  version: vault.feedEpoch,
});
