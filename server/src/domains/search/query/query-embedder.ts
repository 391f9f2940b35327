import { NotevaultError } from '@notevault/protocol/errors.ts';
import { FairSemaphore } from '../../../concurrency/semaphore.ts';
import { currentTenant } from '../../../concurrency/tenant.ts';
import type { Embedder, Space } from '../../../ports/embedder/embedder.ts';
import type { SearchDeps } from '../search.ts';

/** How long a search waits for its turn, and for its vector; words may find the same notes. */
const TIMEOUT_MS = 5000;
/** After a failure searches skip the vector for this long; otherwise each would wait for the timeout. */
const PAUSE_MS = 15_000;
/** Few at once, so that the embedder's own queue, which does not know the tenants of queries, stays short. */
const LIMITS = { units: 2, unitsPerTenant: 1, waiting: 512, waitingPerTenant: 64 };

/** Embeds queries, shared fairly between accounts: a query waits for at most one query of another account. */
export class QueryEmbedder {
  readonly #deps: Pick<SearchDeps, 'clock' | 'embedder' | 'reportError'>;
  readonly #permits = new FairSemaphore(LIMITS);
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
    if (clock.now() < this.#pausedUntil) return null;
    try {
      return await call(embedder);
    } catch (error) {
      this.#pausedUntil = clock.now() + PAUSE_MS;
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
