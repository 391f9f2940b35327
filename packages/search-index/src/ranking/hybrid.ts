import type { VaultIndex } from '../index/vault-index.ts';
import { allowedNotes, isRestricted } from '../query/allowed-notes.ts';
import type { Query } from '../query/query-parser.ts';
import type { SearchFilter } from '../query/search-filter.ts';
import type { ChunkLocation, VaultVectors, VectorHit } from '../vectors/vault-vectors.ts';
import { diversify } from './mmr.ts';
import { type KeywordHit, rank } from './rank.ts';
import { fuse } from './rrf.ts';

export type SearchMode = 'keyword' | 'vector' | 'hybrid';

/** How a query is to be answered. */
export interface SearchOptions {
  readonly mode: SearchMode;
  readonly filter: SearchFilter;
  readonly limit: number;
  /** 0 to 1, see `diversify`. */
  readonly diversity: number;
  /** The vector part of the query; null when there is none. */
  readonly vectorQuery: VectorQuery | null;
}

export interface VectorQuery {
  readonly vector: Float32Array;
  /** The weight of the vector ranking; the keyword ranking weighs 1. */
  readonly weight: number;
  /** Notes must have a cosine above this; lower values occur by chance. */
  readonly minCosine: number;
}

/** A note that answers a query. */
export interface SearchHit {
  readonly id: string;
  /** From 0 to 1. */
  readonly score: number;
  /** Which part of the note matches best. */
  readonly location: ChunkLocation;
  /** How many of its chunks match. */
  readonly matches: number;
}

export interface SearchHits {
  /** Best first. */
  readonly hits: readonly SearchHit[];
  /** The words that were matched, as the vault spells them: a snippet highlights these. */
  readonly words: readonly string[];
}

/** How many notes of each ranking are fused or diversified; notes below hardly matter. */
const POOL_SIZE = 100;

/** Finds the notes that answer a query by words, by vectors or by both. */
export function searchIndex(
  index: VaultIndex,
  vectors: VaultVectors | null,
  query: Query,
  options: SearchOptions,
): SearchHits {
  const { filter, limit, diversity, vectorQuery } = options;
  // Without a vector every mode ranks by keyword.
  const mode = vectorQuery === null ? 'keyword' : options.mode;
  const pool = diversity > 0 || mode === 'hybrid' ? Math.max(POOL_SIZE, limit) : limit;
  // The vector mode also ranks by keyword, because snippets highlight the matched words.
  const keyword = rank(index, query, filter, mode === 'vector' ? 1 : pool);
  if (vectorQuery === null || mode === 'keyword') {
    return { hits: withDiversity(index, vectors, keyword.hits, pool, options), words: keyword.words };
  }
  const restricted = isRestricted(query, filter);
  const allowed = restricted ? allowedNotes(index.segments, query, filter) : null;
  const nearest = vectors?.nearest(index, vectorQuery.vector, pool, allowed, vectorQuery.minCosine) ?? [];
  const hits = mode === 'vector' ? nearest : fuseHits(keyword.hits, nearest, vectorQuery.weight);
  return { hits: withDiversity(index, vectors, hits, pool, options), words: keyword.words };
}

type Hit = KeywordHit | VectorHit;

/** The best hits of a pool, or a diverse choice among them. */
function withDiversity(
  index: VaultIndex,
  vectors: VaultVectors | null,
  hits: readonly Hit[],
  pool: number,
  { limit, diversity }: SearchOptions,
): SearchHit[] {
  if (diversity === 0) return hits.slice(0, Math.min(pool, limit)).map((hit) => searchHit(index, hit));
  const candidates = hits.slice(0, pool).map((hit) => {
    const found = searchHit(index, hit);
    const vector = vectors?.vectorAt(index, found.id, found.location.start) ?? null;
    return { hit: found, score: found.score, vector };
  });
  return diversify(candidates, limit, diversity).map(({ hit }) => hit);
}

function searchHit(index: VaultIndex, hit: Hit): SearchHit {
  const { id, score, matches } = hit;
  const location = 'location' in hit ? hit.location : locationOfChunk(index, id, hit.chunk);
  return { id, score: Math.min(1, Math.max(0, score)), location, matches };
}

/** Offsets and headings of a chunk of the index. */
function locationOfChunk(index: VaultIndex, id: string, chunk: number): ChunkLocation {
  const found = index.find(id);
  const { start = 0, end = 0, heading = '' } = found?.segment.info(found.note).chunks[chunk] ?? {};
  return { start, end, heading };
}

/**
 * Fuses both rankings. Ranks decide the order. All scores are scaled by the better of the two top scores, so that
 * results of several vaults can be compared.
 */
function fuseHits(byWords: readonly KeywordHit[], byVectors: readonly VectorHit[], vectorWeight: number): Hit[] {
  const hitsByWords = new Map(byWords.map((hit) => [hit.id, hit]));
  const hitsByVectors = new Map(byVectors.map((hit) => [hit.id, hit]));
  const topScore = Math.max(byWords[0]?.score ?? 0, byVectors[0]?.score ?? 0);
  const fused = fuse([
    { keys: [...hitsByWords.keys()], weight: 1 },
    { keys: [...hitsByVectors.keys()], weight: vectorWeight },
  ]);
  return fused.flatMap(({ key, score }) => {
    const hit = hitsByWords.get(key) ?? hitsByVectors.get(key);
    return hit === undefined ? [] : [{ ...hit, score: score * topScore }];
  });
}
