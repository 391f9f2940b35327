import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { VectorQuery } from '@notevault/search-index/ranking/hybrid.ts';
import { KeyedLock } from '../../../../concurrency/keyed-lock.ts';
import { FairSemaphore } from '../../../../concurrency/semaphore.ts';
import { currentTenant } from '../../../../concurrency/tenant.ts';
import { QUERY_EMBEDDINGS } from '../../../../config/limits.ts';
import type { Embedder, Space } from '../../../../ports/embedder/embedder.ts';
import type { OpenVault } from '../../../content/vaults/vaults.ts';
import * as store from '../embedding/vectors.store.ts';
import type { SearchDeps } from '../search.ts';
import { TransferList } from '../worker/transfer-list.ts';

/** The vector of a query, and the model that made it. Both are null when there is none. */
export interface QueryVector {
  readonly model: string | null;
  readonly vectorQuery: VectorQuery | null;
}

/** Rows that are read and posted at once, about a megabyte. */
const PAGE_SIZE = 256;

export const NO_QUERY_VECTOR: QueryVector = { model: null, vectorQuery: null };

/** Makes the vectors of queries, and brings the vaults' vectors into memory. */
export class QueryVectors {
  readonly #deps: SearchDeps;
  /** Vaults whose vectors are being brought into memory. */
  readonly #catchingUp = new KeyedLock();
  readonly #embedder: QueryEmbedder;

  constructor(deps: SearchDeps) {
    this.#deps = deps;
    this.#embedder = new QueryEmbedder(deps);
  }

  /**
   * Embeds a query for a vault whose index is in memory, and loads the vault's vectors. Resolves to no vector when the
   * embedder is unavailable.
   */
  async vectorFor(vault: OpenVault, text: string): Promise<QueryVector> {
    if (text.trim() === '') return NO_QUERY_VECTOR;
    const space = await this.#embedder.space();
    if (space === null) return NO_QUERY_VECTOR;
    const idf = (words: readonly string[]) => this.#deps.worker.request('idf', { vault: vault.id, words });
    const [vector] = await Promise.all([this.#embedder.embed(text, idf), this.#catchUp(vault, space.id)]);
    if (vector === null) return NO_QUERY_VECTOR;
    return { model: space.id, vectorQuery: { vector, weight: space.trust, minCosine: space.noise } };
  }

  /** Loads a vault's vectors into memory without a query, for the similarity between notes. */
  async withoutQuery(vault: OpenVault): Promise<QueryVector> {
    const space = await this.#embedder.space();
    if (space === null) return NO_QUERY_VECTOR;
    await this.#catchUp(vault, space.id);
    return { model: space.id, vectorQuery: null };
  }

  /** Adds the vectors of a model that were stored since the last call. Calls for one vault run one after another. */
  #catchUp(vault: OpenVault, model: string): Promise<void> {
    return this.#catchingUp.runExclusive(vault.id, () => this.#addStored(vault, model));
  }

  async #addStored(vault: OpenVault, model: string): Promise<void> {
    const { db, worker } = this.#deps;
    const state = await worker.request('vectorState', { vault: vault.id, epoch: vault.feedEpoch, model });
    if (state === null) return;
    let after = state.vseq;
    const progress = await db.get(store.findEmbedding, { vault_id: vault.id });
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

/** How long a search waits for its turn and its vector; words may find the same notes. */
const TIMEOUT_MS = 5000;
/** How long searches skip the vector after a failure; otherwise each would wait for the timeout. */
const PAUSE_MS = 15_000;

/** Embeds queries, shared fairly between accounts: a query waits for at most one query of another account. */
export class QueryEmbedder {
  readonly #deps: Pick<SearchDeps, 'clock' | 'embedder' | 'reportError'>;
  readonly #permits = new FairSemaphore(QUERY_EMBEDDINGS);
  readonly #timeoutMs: number;
  #pausedUntil = 0;

  constructor(deps: Pick<SearchDeps, 'clock' | 'embedder' | 'reportError'>, timeoutMs: number = TIMEOUT_MS) {
    this.#deps = deps;
    this.#timeoutMs = timeoutMs;
  }

  /** Returns the space of the embedder; null when it fails, or failed a moment ago. */
  space(): Promise<Space | null> {
    return this.#try((embedder) => embedder.space(AbortSignal.timeout(this.#timeoutMs)));
  }

  /**
   * Returns the vector of a query; null when the embedder fails, failed a moment ago, or has no time for this account.
   *
   * @param idf as in `EmbedOptions`.
   */
  async embed(text: string, idf: Parameters<Embedder['embedQuery']>[1]['idf']): Promise<Float32Array | null> {
    const permit = await this.#permits
      .acquire(currentTenant(), 1, AbortSignal.timeout(this.#timeoutMs))
      .catch(withoutTurn);
    if (permit === null) return null;
    using _ = permit;
    return await this.#try((embedder) =>
      embedder.embedQuery(text, { signal: AbortSignal.timeout(this.#timeoutMs), idf }),
    );
  }

  async #try<Result>(call: (embedder: Embedder) => Promise<Result>): Promise<Result | null> {
    const { clock, embedder, reportError } = this.#deps;
    if (clock.elapsed() < this.#pausedUntil) return null;
    try {
      return await call(embedder);
    } catch (error) {
      this.#pausedUntil = clock.elapsed() + PAUSE_MS;
      reportError(error);
      return null;
    }
  }
}

/** The account's own other queries took too long or are too many, which is not a failure of the embedder. */
function withoutTurn(error: unknown): null {
  const isTimeout = error instanceof DOMException && error.name === 'TimeoutError';
  if (isTimeout || (error instanceof NotevaultError && error.code === 'unavailable')) return null;
  throw error;
}
