import type { VaultId } from '@notevault/protocol/values/ids.ts';
import { latestPlausible } from '../../../../ports/clock/clock.ts';
import { ConstraintError } from '../../../../ports/database/database.ts';
import type { Space } from '../../../../ports/embedder/embedder.ts';
import type { OpenVault } from '../../../content/vaults/vaults.ts';
import type { SearchDeps } from '../search.ts';
import * as store from './vectors.store.ts';

/** Other processes may take over a lease that was not extended for this long: a page takes seconds, at worst a minute. */
const LEASE_MS = 5 * 60_000;

/** The times of a lease that begins now; one that ends after `latestLease` was written by a clock that was ahead. */
export function leaseTimes(now: number) {
  return { now, until: now + LEASE_MS, latestLease: latestPlausible(now, LEASE_MS) };
}

/** The vectors of a note to store, or the record that they could not be made. */
export type VectorsToStore = Omit<store.NewVectors, 'vseq'>;

/** Embeddings that are stored in one transaction. */
export interface EmbeddingBatch {
  readonly rows: readonly VectorsToStore[];
  readonly deletedNotes: readonly string[];
  /** The vault's seq up to which all notes are embedded once the batch is stored. */
  readonly upTo: number;
}

/** The exclusive right of this process to embed the notes of a vault. */
export class EmbeddingLease {
  readonly vault: OpenVault;
  readonly space: Space;
  /** The vault's seq up to which all notes are embedded. */
  seq: number;
  readonly #deps: SearchDeps;
  readonly #holder: string;

  private constructor(deps: SearchDeps, holder: string, vault: OpenVault, space: Space, seq: number) {
    this.#deps = deps;
    this.#holder = holder;
    this.vault = vault;
    this.space = space;
    this.seq = seq;
  }

  /** Resolves to null when another process holds the lease, and for a vault that is not active. */
  static async acquire(deps: SearchDeps, holder: string, vaultId: VaultId, space: Space) {
    const { db, clock, vaults } = deps;
    const vault = await vaults.openAsSystem(vaultId);
    if (vault === null) return null;
    const claim = {
      vault: vaultId,
      model: space.id,
      epoch: vault.feedEpoch,
      lease: holder,
      ...leaseTimes(clock.now()),
    };
    const seq = await db.transact(async (handle) => {
      const row = await handle.get(store.claim, claim);
      if (row === undefined) return null;
      if (row.model === space.id && row.feed_epoch === vault.feedEpoch) return row.seq;
      await handle.run(store.restart, claim);
      return 0;
    });
    return seq === null ? null : new EmbeddingLease(deps, holder, vault, space, seq);
  }

  /** Stores a batch and extends the lease. Resolves to false when the lease was lost or the vault is being purged. */
  async store({ rows, deletedNotes, upTo }: EmbeddingBatch): Promise<boolean> {
    const { db, clock } = this.#deps;
    const vault = this.vault.id;
    const progress = { vault, lease: this.#holder, until: clock.now() + LEASE_MS, rows: rows.length, seq: upTo };
    const storing = db.transact(async (handle) => {
      const advanced = await handle.get(store.advance, progress);
      if (advanced === undefined) return false;
      const firstVseq = advanced.vseq - rows.length + 1;
      const numbered = rows.map((row, index) => ({ ...row, vseq: firstVseq + index }));
      await handle.runMany(store.putVectors, { vault, model: this.space.id }, numbered);
      await handle.runMany(store.deleteVectors, { vault_id: vault }, deletedNotes);
      return true;
    });
    return storing.catch((error: unknown) => {
      // A note is gone: its vault is being purged, or its tombstone has expired.
      if (error instanceof ConstraintError && error.kind === 'foreign') return false;
      throw error;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const params = { vault: this.vault.id, lease: this.#holder };
    await this.#deps.db.transact((handle) => handle.run(store.release, params));
  }
}
