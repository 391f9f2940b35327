import type { VectorQuery } from '@notevault/search-index/ranking/hybrid.ts';
import type { Space } from '../../../ports/embedder/embedder.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import { VectorCatchUp } from '../embedding/vector-catch-up.ts';
import type { SearchDeps } from '../search.deps.ts';

/** The vector of a query, and the model that made it. Both are null when there is none. */
export interface QueryVector {
  readonly model: string | null;
  readonly vectorQuery: VectorQuery | null;
}

export const NO_QUERY_VECTOR: QueryVector = { model: null, vectorQuery: null };

/** A search does not wait longer for a vector, because words may find the same notes. */
const TIMEOUT_MS = 5000;
/** After a failure searches skip the vector for this long; otherwise each would wait for the timeout. */
const PAUSE_MS = 15_000;

/** Makes the vectors of queries, and brings the vaults' vectors into memory. */
export class QueryVectors {
  readonly #deps: SearchDeps;
  readonly #vectorCatchUp: VectorCatchUp;
  #pausedUntil = 0;

  constructor(deps: SearchDeps) {
    this.#deps = deps;
    this.#vectorCatchUp = new VectorCatchUp(deps);
  }

  /**
   * Makes the vector of a query for a vault whose index is in memory, and brings the vault's vectors into memory too.
   * Resolves to none when the embedder cannot make it now.
   */
  async vectorFor(vault: OpenVault, text: string): Promise<QueryVector> {
    if (text.trim() === '') return NO_QUERY_VECTOR;
    const space = await this.#tryEmbedder((signal) => this.#deps.embedder.space(signal));
    if (space === null) return NO_QUERY_VECTOR;
    const [vectorQuery] = await Promise.all([
      this.#embedQuery(vault, text, space),
      this.#vectorCatchUp.catchUp(vault, space.id),
    ]);
    return vectorQuery === null ? NO_QUERY_VECTOR : { model: space.id, vectorQuery };
  }

  /** Loads a vault's vectors into memory without a query, for the similarity between notes. */
  async withoutQuery(vault: OpenVault): Promise<QueryVector> {
    const space = await this.#tryEmbedder((signal) => this.#deps.embedder.space(signal));
    if (space === null) return NO_QUERY_VECTOR;
    await this.#vectorCatchUp.catchUp(vault, space.id);
    return { model: space.id, vectorQuery: null };
  }

  #embedQuery(vault: OpenVault, text: string, space: Space): Promise<VectorQuery | null> {
    const { embedder, worker } = this.#deps;
    return this.#tryEmbedder(async (signal): Promise<VectorQuery> => {
      const idf = (words: readonly string[]) => worker.request('idf', { vault: vault.id, words });
      const vector = await embedder.embedQuery(text, { signal, idf });
      return { vector, weight: space.trust, minCosine: space.noise };
    });
  }

  /** Calls the embedder; resolves to null when it fails, or failed a moment ago. */
  async #tryEmbedder<Result extends object>(call: (signal: AbortSignal) => Promise<Result>): Promise<Result | null> {
    const { clock, reportError } = this.#deps;
    if (clock.now() < this.#pausedUntil) return null;
    try {
      return await call(AbortSignal.timeout(TIMEOUT_MS));
    } catch (error) {
      this.#pausedUntil = clock.now() + PAUSE_MS;
      reportError(error);
      return null;
    }
  }
}
