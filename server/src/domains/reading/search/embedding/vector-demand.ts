import { latestPlausible } from '../../../../ports/clock/clock.ts';
import type { OpenVault } from '../../../content/vaults/vaults.ts';
import type { SearchDeps } from '../search.ts';
import { type Embedding, eraseVectorSlice } from './embedding.ts';
import { leaseTimes } from './embedding-lease.ts';
import * as store from './vectors.store.ts';

/** Minimum interval between records of a use. */
const RECORD_EVERY_MS = 3_600_000;
/** How long a request waits for vectors; then it is answered by words. */
const WAIT_MS = 2000;
/** A vault with 100,000 notes has some 1,600 slices, of a few milliseconds each. */
const VAULTS_PER_RUN = 16;

/**
 * Decides which vaults have vectors. With a configured model all have. Otherwise the default search does not use
 * vectors, so a vault gets them with the first request that needs them.
 */
export class VectorDemand {
  readonly #deps: SearchDeps;
  readonly #embedding: Embedding;

  constructor(deps: SearchDeps, embedding: Embedding) {
    this.#deps = deps;
    this.#embedding = embedding;
  }

  /** Whether the vault has vectors, or will have them. */
  async isWanted(vault: OpenVault): Promise<boolean> {
    return !this.#deps.embedder.onDemand || (await this.#wantedAt(vault)) >= this.#embedding.wantedSince;
  }

  /**
   * Records that vectors are needed, and waits for a moment until they are made. Resolves to whether all are. Throws
   * EmbedderError.
   */
  async ready(vault: OpenVault): Promise<boolean> {
    const { db, clock, embedder } = this.#deps;
    if (!embedder.onDemand) return true;
    const controller = new AbortController();
    const { signal } = controller;
    using _timer = clock.schedule(WAIT_MS, () => controller.abort());
    try {
      const space = await embedder.space(signal);
      const now = clock.now();
      const wantedAt = await this.#wantedAt(vault);
      if (wantedAt < now - RECORD_EVERY_MS || wantedAt > latestPlausible(now)) {
        const { wantedSince } = this.#embedding;
        const wanted = { vault: vault.id, model: space.id, epoch: vault.feedEpoch, now, wantedSince };
        await db.transact((handle) => handle.run(store.want, wanted));
      }
      await this.#embedding.embedVault(vault, space, signal);
      return true;
    } catch (error) {
      if (signal.aborted) return false;
      throw error;
    }
  }

  /** Drops vectors that were not requested for long; a background job. */
  async dropUnused(signal: AbortSignal): Promise<void> {
    const { db, clock, embedder } = this.#deps;
    if (!embedder.onDemand) return;
    const { wantedSince } = this.#embedding;
    const unused = await db.all(store.findUnused, { wantedSince, ...leaseTimes(clock.now()), limit: VAULTS_PER_RUN });
    for (const { vault_id: vault } of unused) {
      const lease = clock.uuid();
      const claim = { vault, wantedSince, lease, ...leaseTimes(clock.now()) };
      const claimed = await db.transact((handle) => handle.get(store.claimUnused, claim));
      if (claimed === undefined) continue;
      // The progress is reset last: a run that is cut off is repeated.
      let more = true;
      while (more && !signal.aborted) more = await db.transact((handle) => eraseVectorSlice(handle, vault));
      await db.transact((handle) =>
        more ? handle.run(store.release, { vault, lease }) : handle.run(store.resetEmbedding, { vault }),
      );
      if (signal.aborted) return;
    }
  }

  async #wantedAt(vault: OpenVault): Promise<number> {
    const row = await this.#deps.db.get(store.findEmbedding, { vault_id: vault.id });
    return row?.wanted_at ?? 0;
  }
}
