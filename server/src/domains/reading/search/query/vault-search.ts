import { folderOf } from '@notevault/note-text/paths.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { PartialSearch, SearchResult } from '@notevault/protocol/search.ts';
import type { NoteId } from '@notevault/protocol/values/ids.ts';
import { parseQuery } from '@notevault/search-index/query/query-parser.ts';
import type { SearchHit, SearchHits } from '@notevault/search-index/ranking/hybrid.ts';
import type { Snippet } from '@notevault/search-index/snippets/snippet.ts';
import { EmbedderError } from '../../../../ports/embedder/embedder.ts';
import type { OpenVault } from '../../../content/vaults/vaults.ts';
import type { VectorDemand } from '../embedding/vector-demand.ts';
import type { IndexCatchUp } from '../index/index-catch-up.ts';
import type { IndexPersistence } from '../index/index-persistence.ts';
import type { SearchDeps } from '../search.ts';
import { TransferList } from '../worker/transfer-list.ts';
import type { IndexState } from '../worker/worker-api.ts';
import { WorkerDied } from '../worker/worker-client.ts';
import { NO_QUERY_VECTOR, QueryVectors } from './query-vector.ts';
import type { CheckedRequest } from './search-request.ts';

/** Between two steps the index may be evicted or a note written; the search then starts again, at most this often. */
const MAX_ATTEMPTS = 5;

export interface VaultResults {
  readonly results: readonly SearchResult[];
  readonly hasMore: boolean;
  /** The phrases that no note has; their words were searched instead. */
  readonly relaxed: readonly string[];
  /** Set when only a part of the notes was searched, because the index is being made. */
  readonly partial: PartialSearch | null;
}

export class VaultSearch {
  readonly #deps: SearchDeps;
  readonly #catchUp: IndexCatchUp;
  readonly #persistence: IndexPersistence;
  readonly #queryVectors: QueryVectors;
  readonly #vectorDemand: VectorDemand;

  constructor(deps: SearchDeps, catchUp: IndexCatchUp, persistence: IndexPersistence, vectorDemand: VectorDemand) {
    this.#deps = deps;
    this.#catchUp = catchUp;
    this.#persistence = persistence;
    this.#queryVectors = new QueryVectors(deps);
    this.#vectorDemand = vectorDemand;
  }

  /** Finds the best notes of a vault. Throws `unavailable` when that is not possible now. */
  async find(vault: OpenVault, request: CheckedRequest): Promise<VaultResults> {
    for (let attempt = 1; ; attempt++) {
      const isLast = attempt >= MAX_ATTEMPTS;
      try {
        const results = await this.#resultsOf(vault, request, isLast);
        if (results !== null) return results;
      } catch (error) {
        if (!(error instanceof WorkerDied)) throw error;
        if (isLast) throw new NotevaultError('unavailable', {}, error);
      }
    }
  }

  /** The results; null when a note among them was written since it was found. The last attempt leaves such notes out. */
  async #resultsOf(vault: OpenVault, request: CheckedRequest, isLast: boolean): Promise<VaultResults | null> {
    const { hits, words, hasMore, relaxed, partial } = await this.#searchIndex(vault, request);
    const current = await this.#currentNotes(vault, hits);
    // A partial index may lack recent writes for longer than a search waits.
    if (current.length < hits.length && !isLast && partial === null) return null;
    const transfer = new TransferList();
    const texts = current.map(({ found: { start, end }, row: { id, version, content } }) => {
      return { id, version, content: content === null ? null : transfer.add(content), start, end };
    });
    const snippets = await this.#deps.worker.request('snippets', { key: vault.key.share(0), words, texts }, transfer);
    const results = current.map(({ found }, at) => searchResultOf(found, snippets[at] ?? null));
    return { results, hasMore, relaxed, partial };
  }

  /** Returns the found notes with their rows, except notes written since they were indexed. */
  async #currentNotes(vault: OpenVault, hits: readonly SearchHit[]) {
    const { db, notes } = this.#deps;
    const ids = hits.map(({ id }) => id as NoteId);
    const rows = await db.read((handle) => notes.sealedOf(handle, vault, ids));
    const rowOf = new Map(rows.map((row) => [row.id as string, row]));
    return hits.flatMap((found) => {
      const row = rowOf.get(found.id);
      return row === undefined || row.seq !== found.seq ? [] : [{ found, row }];
    });
  }

  /**
   * Searches the index at the vault's seq, catching up first; if the index is far behind, searches its current content.
   */
  async #searchIndex(vault: OpenVault, request: CheckedRequest): Promise<SearchHits & Pick<VaultResults, 'partial'>> {
    const { db, vaults, notes, worker } = this.#deps;
    const { query, mode, filter, limit, diversity, returned } = request;
    await notes.live.flush(vault);
    const { changeSeq, noteCount } = await vaults.feed(db, vault);
    const index = { vault: vault.id, epoch: vault.feedEpoch };
    let seq: number = changeSeq;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const { model, vectorQuery, isPartial } = await this.#queryVectorFor(vault, request, seq);
      const options = { mode, filter, limit, diversity, returned, vectorQuery, isPartial };
      const state = seq < changeSeq ? await worker.request('indexState', index) : null;
      const found = await worker.request('search', { ...index, seq, query, model, ...options });
      if (found !== null && seq === changeSeq) return { ...found, partial: null };
      if (found !== null && state !== null) {
        return { ...found, partial: { indexed: Math.min(state.notes, noteCount), total: noteCount } };
      }
      seq = (await this.#catchUpAndStore(vault)) ? changeSeq : 0;
    }
    throw new NotevaultError('unavailable');
  }

  /**
   * The vector that a request needs, and whether the vault's own are only partly made. When it cannot be made, hybrid
   * mode goes without, and vector mode throws `unavailable`. Without a model hybrid mode needs none.
   */
  async #queryVectorFor(vault: OpenVault, request: CheckedRequest, seq: number) {
    const { query, mode, diversity } = request;
    const { text } = parseQuery(query);
    const isRankedByVectors = mode === 'vector' || (mode === 'hybrid' && !this.#deps.embedder.onDemand);
    const needsQueryVector = isRankedByVectors && text !== '';
    if (!needsQueryVector && diversity === 0) return { ...NO_QUERY_VECTOR, isPartial: false };
    // The embedder reads idf from the index, and the worker keeps vectors beside an index only.
    const state = await this.#deps.worker.request('indexState', { vault: vault.id, epoch: vault.feedEpoch });
    if (state === null || state.seq < seq) await this.#catchUpAndStore(vault);
    const isPartial = !(await this.#vectorsReady(vault));
    if (!needsQueryVector) return { ...(await this.#queryVectors.withoutQuery(vault)), isPartial };
    const vector = await this.#queryVectors.vectorFor(vault, text);
    if (vector.vectorQuery === null && mode === 'vector') throw new NotevaultError('unavailable');
    return { ...vector, isPartial };
  }

  async #vectorsReady(vault: OpenVault): Promise<boolean> {
    try {
      return await this.#vectorDemand.ready(vault);
    } catch (error) {
      if (!(error instanceof EmbedderError)) throw error;
      this.#deps.reportError(error);
      return false;
    }
  }

  /** Resolves to whether the index is complete; else it has the newest notes, and is completed meanwhile. */
  async #catchUpAndStore(vault: OpenVault): Promise<boolean> {
    const store = (state: IndexState) => this.#persistence.storeIfDue(vault, state);
    return (await this.#catchUp.catchUpOrPartial(vault, store)) !== null;
  }
}

/** The snippet is null when the note's text could not be read. */
function searchResultOf(note: SearchHit, snippet: Snippet | null): SearchResult {
  return {
    id: note.id,
    path: note.path,
    title: note.title,
    folder: folderOf(note.path),
    heading_path: note.heading,
    snippet: snippet?.snippet ?? '',
    highlights: snippet?.highlights.map(([start, end]) => [start, end]) ?? [],
    match_count: note.matches,
    score: note.score,
  };
}
