import { fold } from '@notevault/note-text/words/fold.ts';
import { wordsOf } from '@notevault/note-text/words.ts';
import type { VaultIndex } from '../index/vault-index.ts';
import type { Query } from '../query/query-parser.ts';
import type { SearchFilter } from '../query/search-filter.ts';
import type { VaultVectors, VectorHit } from '../vectors/vault-vectors.ts';
import { blend } from './blend.ts';
import { diversify } from './mmr.ts';
import { type KeywordHit, type MatchedWord, rank } from './rank.ts';

export type SearchMode = 'keyword' | 'vector' | 'hybrid';

/** Options of a search. */
export interface SearchOptions {
  readonly mode: SearchMode;
  readonly filter: SearchFilter;
  readonly limit: number;
  /** 0 to 1, see `diversify`. */
  readonly diversity: number;
  /** The marks of notes that earlier pages returned. */
  readonly returned: ReadonlySet<string>;
  /** The vector part of the query; null when there is none. */
  readonly vectorQuery: VectorQuery | null;
  /** Whether some notes have no vectors yet: in vector mode, notes found by words then follow those found by vectors. */
  readonly isPartial: boolean;
}

export interface VectorQuery {
  readonly vector: Float32Array;
  /** Weight of the vector score relative to the word score. */
  readonly weight: number;
  /** Notes must have a cosine above this; lower values occur by chance. Null: the level is measured among the chunks. */
  readonly minCosine: number | null;
}

/** A note that answers a query. */
export interface SearchHit {
  readonly id: string;
  /** The seq of the note's last write that the index knows. */
  readonly seq: number;
  readonly path: string;
  readonly title: string;
  /** Score from 0 to 1. */
  readonly score: number;
  /** Number of matching chunks. */
  readonly matches: number;
  /** The heading and the UTF-16 offsets of the part that matches best. */
  readonly heading: string;
  readonly start: number;
  readonly end: number;
}

export interface SearchHits {
  /** Best first. */
  readonly hits: readonly SearchHit[];
  /** Whether more notes were found. */
  readonly hasMore: boolean;
  /** The words that were matched: a snippet highlights these. */
  readonly words: readonly MatchedWord[];
  /** The phrases that no note has, as typed; their words were searched instead. */
  readonly relaxed: readonly string[];
}

/** Length of a mark: the last digits of an id, which are random. */
export const MARK_LENGTH = 10;

/** Returns the short mark that identifies a note in a list of returned notes. */
export const markOf = (id: string) => id.slice(-MARK_LENGTH);

/** Number of top notes of each ranking that are blended or diversified; lower ones hardly matter. */
const POOL_SIZE = 100;

/** Finds the notes that answer a query by words, by vectors or by both. */
export function searchIndex(
  index: VaultIndex,
  vectors: VaultVectors | null,
  query: Query,
  options: SearchOptions,
): SearchHits {
  const { filter, limit, diversity, returned, vectorQuery, isPartial } = options;
  // Without a vector every mode ranks by keyword.
  const mode = vectorQuery === null ? 'keyword' : options.mode;
  // One more tells whether there are more.
  const wanted = returned.size + limit + 1;
  const pool = diversity > 0 || mode === 'hybrid' ? Math.max(POOL_SIZE, wanted) : wanted;
  // The vector mode also ranks by keyword, because snippets highlight the matched words.
  const keyword = rank(index, query, filter, mode === 'vector' && !isPartial ? 1 : pool);
  const { words, relaxed } = keyword;
  if (vectorQuery === null || mode === 'keyword') {
    return { ...pageOf(index, vectors, keyword.hits, options), words, relaxed };
  }
  const { vector, weight } = vectorQuery;
  const minCosine = vectorQuery.minCosine ?? vectors?.chanceLevel(vector) ?? 0;
  const nearerThan = (least: number) => vectors?.nearest(index, vector, pool, keyword.allowed, least) ?? [];
  const nearest = nearerThan(minCosine);
  // Of inflected words only parts match, so the right note may be below the chance level, where other notes are further.
  const byVectors = mode === 'vector' && nearest.length === 0 ? nearerThan(minCosine / 2) : nearest;
  const alone = isPartial ? filledWith(byVectors, keyword.hits) : byVectors;
  const hits = mode === 'vector' ? alone : blend(keyword.hits, nearest, { weight, minCosine });
  return { ...pageOf(index, vectors, hits, options), words, relaxed };
}

type Hit = KeywordHit | VectorHit;

/** Returns the notes that vectors found, then those that only words did, with scores that do not rise. */
function filledWith(byVectors: readonly VectorHit[], byWords: readonly KeywordHit[]): Hit[] {
  const found = new Set(byVectors.map(({ id }) => id));
  const least = byVectors.at(-1)?.score ?? 1;
  const others = byWords.filter(({ id }) => !found.has(id));
  return [...byVectors, ...others.map((hit) => ({ ...hit, score: Math.min(hit.score, least) }))];
}

/** Returns the best hits that no earlier page had, or a diverse choice among them. */
function pageOf(
  index: VaultIndex,
  vectors: VaultVectors | null,
  found: readonly Hit[],
  { limit, diversity, returned }: SearchOptions,
): Pick<SearchHits, 'hits' | 'hasMore'> {
  const left = returned.size === 0 ? found : found.filter(({ id }) => !returned.has(markOf(id)));
  const hasMore = left.length > limit;
  if (diversity === 0) return { hits: left.slice(0, limit).flatMap((hit) => searchHit(index, hit) ?? []), hasMore };
  const candidates = left.flatMap((found) => {
    const hit = searchHit(index, found);
    if (hit === null) return [];
    const vector = vectors?.vectorAt(index, hit.id, hit.start) ?? null;
    return { hit, score: hit.score, vector, words: vector === null ? wordsAbout(hit) : NO_WORDS };
  });
  return { hits: diversify(candidates, limit, diversity).map(({ hit }) => hit), hasMore };
}

const NO_WORDS: ReadonlySet<string> = new Set();

/** Returns the words of the names of a hit: its path, title and headings. */
function wordsAbout({ path, title, heading }: SearchHit): ReadonlySet<string> {
  return new Set(wordsOf(`${path} ${title} ${heading}`).map(fold));
}

function searchHit(index: VaultIndex, hit: Hit): SearchHit | null {
  const found = 'segment' in hit ? hit : index.find(hit.id);
  if (found === undefined) return null;
  // Reading it parses JSON, so all that is wanted of it is taken at once.
  const { seq, path, title, chunks } = found.segment.info(found.note);
  const { start = 0, end = 0, heading = '' } = ('location' in hit ? hit.location : chunks[hit.chunk]) ?? {};
  const score = Math.min(1, Math.max(0, hit.score));
  return { id: hit.id, seq, path, title, score, matches: hit.matches, heading, start, end };
}
