import type { VectorQuery } from '@notevault/search-index/ranking/hybrid.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import { VectorCatchUp } from '../embedding/vector-catch-up.ts';
import type { SearchDeps } from '../search.ts';
import { QueryEmbedder } from './query-embedder.ts';

/** The vector of a query, and the model that made it. Both are null when there is none. */
export interface QueryVector {
  readonly model: string | null;
  readonly vectorQuery: VectorQuery | null;
}

export const NO_QUERY_VECTOR: QueryVector = { model: null, vectorQuery: null };

/** Makes the vectors of queries, and brings the vaults' vectors into memory. */
export class QueryVectors {
  readonly #deps: SearchDeps;
  readonly #vectorCatchUp: VectorCatchUp;
  readonly #embedder: QueryEmbedder;

  constructor(deps: SearchDeps) {
    this.#deps = deps;
    this.#embedder = new QueryEmbedder(deps);
    this.#vectorCatchUp = new VectorCatchUp(deps);
  }

  /**
   * Makes the vector of a query for a vault whose index is in memory, and brings the vault's vectors into memory too.
   * Resolves to none when the embedder cannot make it now.
   */
  async vectorFor(vault: OpenVault, text: string): Promise<QueryVector> {
    if (text.trim() === '') return NO_QUERY_VECTOR;
    const space = await this.#embedder.space();
    if (space === null) return NO_QUERY_VECTOR;
    const idf = (words: readonly string[]) => this.#deps.worker.request('idf', { vault: vault.id, words });
    const [vector] = await Promise.all([this.#embedder.embed(text, idf), this.#vectorCatchUp.catchUp(vault, space.id)]);
    if (vector === null) return NO_QUERY_VECTOR;
    return { model: space.id, vectorQuery: { vector, weight: space.trust, minCosine: space.noise } };
  }

  /** Loads a vault's vectors into memory without a query, for the similarity between notes. */
  async withoutQuery(vault: OpenVault): Promise<QueryVector> {
    const space = await this.#embedder.space();
    if (space === null) return NO_QUERY_VECTOR;
    await this.#vectorCatchUp.catchUp(vault, space.id);
    return { model: space.id, vectorQuery: null };
  }
}
