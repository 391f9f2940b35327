import { KeyedLock } from '../../../concurrency/keyed-lock.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import type { SearchDeps } from '../search.ts';
import { TransferList } from '../worker/transfer-list.ts';
import * as store from './vectors.store.ts';

/** Rows that are read and posted at once, about a megabyte. */
const PAGE_SIZE = 256;

/** Brings the stored vectors of vaults into the worker's memory. */
export class VectorCatchUp {
  readonly #deps: SearchDeps;
  readonly #vaults = new KeyedLock();

  constructor(deps: SearchDeps) {
    this.#deps = deps;
  }

  /** Adds the vectors of a model that were stored since the last call. Calls for one vault run one after another. */
  catchUp(vault: OpenVault, model: string): Promise<void> {
    return this.#vaults.runExclusive(vault.id, () => this.#run(vault, model));
  }

  async #run(vault: OpenVault, model: string): Promise<void> {
    const { db, worker } = this.#deps;
    const state = await worker.request('vectorState', { vault: vault.id, epoch: vault.feedEpoch, model });
    if (state === null) return;
    let after = state.vseq;
    const progress = await db.get(store.findEmbedding, { vault: vault.id });
    if (progress === undefined || progress.vseq <= after) return;
    for (let more = true; more; ) {
      const rows = await db.all(store.findVectorsAfter, { vault: vault.id, model, after, limit: PAGE_SIZE });
      more = rows.length === PAGE_SIZE;
      after = Math.max(rows.at(-1)?.vseq ?? 0, more ? 0 : progress.vseq);
      const transfer = new TransferList();
      const sealed = rows.map(({ note_id: id, version, vseq, data }) => {
        return { id, version, vseq, data: data === null ? null : transfer.add(data) };
      });
      const params = { vault: vault.id, key: vault.key.share(0), model, rows: sealed, upTo: after };
      await worker.request('addVectors', params, transfer);
    }
  }
}
