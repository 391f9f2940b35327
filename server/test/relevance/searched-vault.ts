import { deriveNote } from '@notevault/note-text/derive.ts';
import { analyze } from '@notevault/search-index/analysis/analyzer.ts';
import { passagesOfNote } from '@notevault/search-index/analysis/passages.ts';
import { VaultIndex } from '@notevault/search-index/index/vault-index.ts';
import { parseQuery, type Query } from '@notevault/search-index/query/query-parser.ts';
import { NO_FILTER } from '@notevault/search-index/query/search-filter.ts';
import { type SearchHits, type SearchMode, searchIndex } from '@notevault/search-index/ranking/hybrid.ts';
import { idfsOf } from '@notevault/search-index/ranking/idf.ts';
import { SnippetMaker } from '@notevault/search-index/snippets/snippet.ts';
import { snippetSource } from '@notevault/search-index/snippets/snippet-source.ts';
import { quantize } from '@notevault/search-index/vectors/quantize.ts';
import { VaultVectors } from '@notevault/search-index/vectors/vault-vectors.ts';
import type { Embedder } from '../../src/ports/embedder/embedder.ts';

const never = new AbortController().signal;
const LIMIT = 10;
const returned = new Set<string>();

/** A vault's index and vectors in memory, made as the server makes them. */
export class SearchedVault {
  readonly index: VaultIndex;
  readonly #vectors: VaultVectors;
  readonly #embedder: Embedder;
  readonly #notes: ReadonlyMap<string, string>;
  readonly #paths = new Map<string, string>();

  private constructor(notes: ReadonlyMap<string, string>, embedder: Embedder) {
    this.#notes = notes;
    this.#embedder = embedder;
    this.index = new VaultIndex();
    this.#vectors = new VaultVectors('golden');
  }

  static async of(notes: ReadonlyMap<string, string>, embedder: Embedder, withVectors = true): Promise<SearchedVault> {
    const vault = new SearchedVault(notes, embedder);
    const { dimensions } = await embedder.space(never);
    let number = 0;
    for (const [path, content] of notes) {
      const id = `01900000-0000-7000-8000-${String(number++).padStart(12, '0')}`;
      const { title, aliases, tags, type, fmCreated: created, fmTimestamp: timestamp } = deriveNote(path, content);
      vault.#paths.set(id, path);
      const file = { created: 0, modified: 0, changed: 0, size: 0 };
      vault.index.put(
        analyze({ id, seq: number, version: 1, path, title, aliases, tags, type, created, timestamp, file, content }),
      );
      if (!withVectors) continue;
      const { chunks, passages } = passagesOfNote(title, content);
      const vectors = quantize(await embedder.embedPassages(passages, never), dimensions);
      vault.#vectors.put(id, 1, { title, chunks, vectors });
    }
    vault.index.startSegment();
    for (const _ of vault.index.compact());
    return vault;
  }

  /** The paths of the ten best notes. */
  async find(text: string, mode: SearchMode): Promise<string[]> {
    const { hits } = await this.search(text, mode);
    return hits.map(({ id }) => this.#paths.get(id) ?? '');
  }

  #vectorOf(query: Query): Promise<Float32Array> {
    const idf = async (words: readonly string[]) => idfsOf(this.index, words);
    return this.#embedder.embedQuery(query.text, { signal: never, idf });
  }

  async search(text: string, mode: SearchMode): Promise<SearchHits> {
    const query = parseQuery(text);
    const { noise: minCosine, trust: weight } = await this.#embedder.space(never);
    const hasVector = mode !== 'keyword' && query.text.trim() !== '';
    const vector = hasVector ? await this.#vectorOf(query) : null;
    const vectorQuery = vector === null ? null : { vector, weight, minCosine };
    return searchIndex(this.index, this.#vectors, query, {
      mode,
      filter: NO_FILTER,
      limit: LIMIT,
      diversity: 0,
      returned,
      vectorQuery,
      isPartial: false,
    });
  }

  /** The snippet of a note among the hits of a query; null where it is not among them. */
  async snippet(text: string, path: string): Promise<string | null> {
    const { hits, words } = await this.search(text, 'keyword');
    const hit = hits.find(({ id }) => this.#paths.get(id) === path);
    if (hit === undefined) return null;
    const { start, end } = hit;
    return new SnippetMaker(words).snippetOf(snippetSource(this.#notes.get(path) ?? '', start, end)).snippet;
  }
}
