import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { Mentions, MentionsQuery } from '@notevault/protocol/mentions.ts';
import type { QueryRequest } from '@notevault/protocol/queries.ts';
import {
  type PartialSearch,
  SEARCH_RESULTS_MAX,
  type SearchRequest,
  type SearchResponse,
  type SearchResult,
  type SearchStatus,
} from '@notevault/protocol/search.ts';
import type { Tasks, TasksQuery } from '@notevault/protocol/tasks.ts';
import type { NoteId, VaultId } from '@notevault/protocol/values/ids.ts';
import type { RenameTag, ReplaceText, VaultChange } from '@notevault/protocol/vault-changes.ts';
import { markOf } from '@notevault/search-index/ranking/hybrid.ts';
import { FairSemaphore } from '../../../concurrency/semaphore.ts';
import { currentTenant } from '../../../concurrency/tenant.ts';
import { SEARCHES } from '../../../config/limits.ts';
import type { Clock } from '../../../ports/clock/clock.ts';
import type { Database, WriteHandle } from '../../../ports/database/database.ts';
import type { Embedder } from '../../../ports/embedder/embedder.ts';
import type { WriteContext } from '../../content/entries/entries.ts';
import type { Links } from '../../content/links/links.ts';
import type { Notes } from '../../content/notes/notes.ts';
import type { OpenVault, Vaults } from '../../content/vaults/vaults.ts';
import type { Principal } from '../../foundation/access/access.ts';
import { type PlanTable, planOf } from '../../foundation/plans/plans.ts';
import { checkRenameTag, checkReplaceText, VaultChanges } from './changes/vault-changes.ts';
import { Embedding, eraseEmbeddingSlice } from './embedding/embedding.ts';
import { VectorDemand } from './embedding/vector-demand.ts';
import { BackgroundIndexing } from './index/background-indexing.ts';
import { IndexCatchUp } from './index/index-catch-up.ts';
import { eraseIndexSlice, IndexPersistence } from './index/index-persistence.ts';
import { vaultMentions } from './mentions/vault-mentions.ts';
import { type CursorScope, returnedBefore, searchCursorOf } from './query/search-cursor.ts';
import { type CheckedRequest, checkRequest } from './query/search-request.ts';
import { createVaultQuery, type VaultQuery, vaultTasks } from './query/vault-query.ts';
import { type VaultResults, VaultSearch } from './query/vault-search.ts';
import type { IndexState } from './worker/worker-api.ts';
import type { WorkerClient } from './worker/worker-client.ts';

export interface SearchDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly vaults: Pick<Vaults, 'feed' | 'list' | 'openVault' | 'openAsSystem'>;
  readonly notes: Pick<Notes, 'sealedAfter' | 'sealedOf' | 'live' | 'mentioned' | 'replacePlaces'>;
  readonly links: Pick<Links, 'graphEdges'>;
  readonly plans: PlanTable;
  readonly worker: WorkerClient;
  readonly embedder: Embedder;
  /** Pauses background work that just ran for `ms`, so that it takes only its share of the time. */
  readonly rest: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Reports failures of background work. */
  readonly reportError: (error: unknown) => void;
}

/** How long a search waits for the index of a large vault; the index is built nevertheless. */
const TIMEOUT_MS = 25_000;
const VAULTS_AT_ONCE = 4;

/** Searches vaults. Results show the notes as they are at the time of the request. */
export class Search implements AsyncDisposable {
  readonly #deps: SearchDeps;
  readonly #catchUp: IndexCatchUp;
  readonly #persistence: IndexPersistence;
  readonly #backgroundIndexing: BackgroundIndexing;
  readonly #embedding: Embedding;
  readonly #vectorDemand: VectorDemand;
  readonly #vaultSearch: VaultSearch;
  readonly #vaultQuery: VaultQuery;
  readonly #vaultChanges: VaultChanges;
  readonly #permits = new FairSemaphore(SEARCHES);

  constructor(deps: SearchDeps) {
    this.#deps = deps;
    this.#catchUp = new IndexCatchUp(deps);
    this.#persistence = new IndexPersistence(deps);
    this.#backgroundIndexing = new BackgroundIndexing(deps, this.#catchUp, this.#persistence);
    this.#embedding = new Embedding(deps);
    this.#vectorDemand = new VectorDemand(deps, this.#embedding);
    this.#vaultSearch = new VaultSearch(deps, this.#catchUp, this.#persistence, this.#vectorDemand);
    this.#vaultQuery = createVaultQuery(deps, this.#catchUp, this.#persistence);
    this.#vaultChanges = new VaultChanges(deps, this.#vaultQuery);
  }

  /** Finds the best notes. Throws a validation error, `invalid_cursor`, `cross_vault_plan`, `unavailable`. */
  async find(principal: Principal, vault: OpenVault, request: SearchRequest): Promise<SearchResponse> {
    const now = this.#deps.clock.now();
    const asked = checkRequest(request);
    const scope = { principal, vault, request: asked };
    const returned = returnedBefore(scope, request.cursor ?? null, now);
    const limit = Math.min(asked.limit, SEARCH_RESULTS_MAX - returned.size);
    const checked = { ...asked, limit, returned };
    if (asked.crossVault && !planOf(this.#deps.plans, principal.tier).cross_vault_search)
      throw new NotevaultError('cross_vault_plan');
    const found = asked.crossVault ? this.#findInAllVaults(principal, checked) : this.#findIn(vault, checked);
    return searchResponse(scope, await withTimeout(found), returned, now);
  }

  /**
   * Answers a query over properties, as the JSON of a `QueryResponse`. Throws a validation error, `invalid_cursor`,
   * `unavailable`.
   */
  query({ userId }: Principal, vault: OpenVault, request: QueryRequest): Promise<Buffer[]> {
    return this.#ask(() => this.#vaultQuery.query(userId, vault, request));
  }

  /** See `vaultTasks`. */
  tasks({ userId }: Principal, vault: OpenVault, request: TasksQuery, limit: number): Promise<Tasks> {
    const from = { worker: this.#deps.worker, index: this.#vaultQuery };
    return this.#ask(() => vaultTasks(from, userId, vault, request, limit));
  }

  /** See `vaultMentions`. */
  mentions({ userId }: Principal, vault: OpenVault, id: NoteId, request: MentionsQuery): Promise<Mentions> {
    return this.#ask(() => vaultMentions(this.#deps, this.#vaultQuery, userId, vault, id, request));
  }

  /** See `VaultChanges.run`. Throws a validation error. */
  async renameTag(context: WriteContext<VaultChange>, request: RenameTag): Promise<VaultChange> {
    return this.#vaultChanges.run(context, checkRenameTag(request));
  }

  /** See `VaultChanges.run`. Throws a validation error. */
  async replaceText(context: WriteContext<VaultChange>, request: ReplaceText): Promise<VaultChange> {
    return this.#vaultChanges.run(context, checkReplaceText(request));
  }

  #ask<Result>(ask: () => Promise<Result>): Promise<Result> {
    return withTimeout(this.#permits.run(currentTenant(), ask));
  }

  #findIn(vault: OpenVault, request: CheckedRequest): Promise<VaultResults> {
    return this.#permits.run(currentTenant(), () => this.#vaultSearch.find(vault, request));
  }

  async #findInAllVaults(principal: Principal, request: CheckedRequest): Promise<VaultResults> {
    const { vaults } = this.#deps;
    const accessible = await vaults.list(principal, { deleted: false });
    const all: VaultResults[] = [];
    for (let at = 0; at < accessible.length; at += VAULTS_AT_ONCE) {
      const searches = accessible.slice(at, at + VAULTS_AT_ONCE).map(async ({ id, name }) => {
        const vault = await vaults.openVault(principal, id, 'read').catch(nullIfTakenAway);
        if (vault === null) return null;
        const found = await this.#findIn(vault, request);
        return { ...found, results: found.results.map((result) => ({ ...result, vault_id: id, vault_name: name })) };
      });
      all.push(...(await Promise.all(searches)).filter((found) => found !== null));
    }
    return mergeResults(all, request.limit);
  }

  async status(vault: OpenVault): Promise<SearchStatus> {
    const { notes, embedder } = this.#deps;
    await notes.live.flush(vault);
    const { total, pending, failed } = await this.#embedding.progress(vault);
    if (!(await this.#vectorDemand.isWanted(vault))) {
      return { total, indexed: 0, pending: 0, failed: 0, model: embedder.name, vectors: 'on_demand' };
    }
    return { total, indexed: Math.max(0, total - pending - failed), pending, failed, model: embedder.name };
  }

  /** Rebuilds the index from the notes and stores it. Missing or damaged vectors are made in the background. */
  async rebuild(vault: OpenVault, onProgress: (notes: number) => void): Promise<IndexState> {
    await this.#embedding.forget(vault);
    this.#embedding.recordChange();
    await this.#persistence.forget(vault);
    const state = await this.#catchUp.catchUp(vault, ({ notes }) => onProgress(notes));
    await this.#persistence.store(vault);
    return state;
  }

  /** Embeds now, see Embedding.run. */
  async embed(signal: AbortSignal): Promise<void> {
    await this.#embedding.run(signal, true);
  }

  /** A background job, see Embedding.run. */
  embedInBackground(signal: AbortSignal): Promise<unknown> {
    return this.#embedding.run(signal);
  }

  /** A background job, see VectorDemand.dropUnused. */
  dropUnusedVectors(signal: AbortSignal): Promise<void> {
    return this.#vectorDemand.dropUnused(signal);
  }

  /** A background job, see BackgroundIndexing.run. */
  indexInBackground(signal: AbortSignal): Promise<void> {
    return this.#backgroundIndexing.run(signal);
  }

  recordChange(): void {
    this.#embedding.recordChange();
    this.#backgroundIndexing.recordChange();
  }

  /** Ends the search thread with all indexes in memory. The next search starts another. */
  stopWorker(): Promise<void> {
    return this.#deps.worker.stop();
  }

  /** Deletes a slice of a purged vault's index and vectors; resolves to true when more may be left. */
  async purgeSlice(handle: WriteHandle, vaultId: VaultId): Promise<boolean> {
    return (await eraseEmbeddingSlice(handle, vaultId)) || eraseIndexSlice(handle, vaultId);
  }

  /** Memory use and work in progress of search in this process; requests to the thread that have no answer yet. */
  get stats() {
    const { indexBytes, pendingRequests } = this.#deps.worker;
    return { indexBytes, pendingRequests, embeddingNotes: this.#embedding.notesInProgress };
  }

  /** Resolves when no index is being stored. */
  idle(): Promise<void> {
    return this.#persistence.idle();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#deps.worker[Symbol.asyncDispose]();
  }
}

/** The best results of several vaults. A phrase filters in all vaults as long as any of them has a note with it. */
function mergeResults(all: readonly VaultResults[], limit: number): VaultResults {
  const [first = [], ...others] = all.map(({ relaxed }) => relaxed);
  const relaxed = first.filter((phrase) => others.every((own) => own.includes(phrase)));
  const kept = all.filter((own) => own.relaxed.length === relaxed.length);
  const results: SearchResult[] = kept.flatMap((own) => own.results);
  results.sort((a, b) => b.score - a.score || (a.id < b.id ? 1 : -1));
  const hasMore = results.length > limit || kept.some((own) => own.hasMore);
  const parts = all.flatMap(({ partial }) => partial ?? []);
  const sum = (count: (part: PartialSearch) => number) => parts.reduce((total, part) => total + count(part), 0);
  const partial =
    parts.length === 0 ? null : { indexed: sum(({ indexed }) => indexed), total: sum(({ total }) => total) };
  return { results: results.slice(0, limit), hasMore, relaxed, partial };
}

function searchResponse(
  scope: CursorScope,
  { results, hasMore, relaxed, partial }: VaultResults,
  returned: ReadonlySet<string>,
  now: number,
): SearchResponse {
  const marks = [...returned, ...results.map(({ id }) => markOf(id))];
  const isEnd = !hasMore || results.length === 0 || marks.length >= SEARCH_RESULTS_MAX;
  return {
    results: [...results],
    next_cursor: isEnd ? null : searchCursorOf(scope, marks, now),
    ...(relaxed.length === 0 ? {} : { relaxed: [...relaxed] }),
    ...(partial === null ? {} : { partial }),
  };
}

async function withTimeout<Result>(work: Promise<Result>): Promise<Result> {
  const { promise, reject } = Promise.withResolvers<never>();
  using _timer = setTimeout(() => reject(new NotevaultError('unavailable')), TIMEOUT_MS).unref();
  return await Promise.race([work, promise]);
}

/** A vault that was deleted, or taken away from the caller, since it was listed. */
function nullIfTakenAway(error: unknown): null {
  if (error instanceof NotevaultError && error.code === 'vault_header_not_found') return null;
  throw error;
}
