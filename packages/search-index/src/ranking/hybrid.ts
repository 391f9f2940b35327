import { diversify } from './diversity.ts';
import { allowedNotes, type Masks, type Narrowing } from './filters.ts';
import { fuse } from './fusion.ts';
import type { Query } from './query.ts';
import { rank } from './rank.ts';
import type { VaultIndex } from './vault-index.ts';
import type { FoundPiece, NearHit, VaultVectors } from './vault-vectors.ts';

/** How a question is to be answered. */
export interface Wish {
  readonly mode: 'keyword' | 'vector' | 'hybrid';
  readonly narrow: Narrowing;
  readonly limit: number;
  /** 0 to 1. */
  readonly diversity: number;
  /** The vector to look for; null where there is none to be had. */
  readonly near: Near | null;
}

export interface Near {
  readonly vector: Float32Array;
  /** What a ranking by vectors counts beside one by words. */
  readonly weight: number;
  /** Cosines up to this say nothing. */
  readonly least: number;
}

/** A note of an answer. */
export interface Answered {
  readonly id: string;
  /** 0 to 1. */
  readonly score: number;
  /** Where: a piece of its own, or the number of one of the index. */
  readonly piece: FoundPiece | number;
  readonly matches: number;
}

/** What each ranking gives to be blended: further down it hardly counts. */
const pool = 100;

/** The notes that answer a query by words, by vectors or by both, best first, and the words that were looked for. */
export function answer(
  index: VaultIndex,
  vectors: VaultVectors | null,
  query: Query,
  wish: Wish,
): { hits: Answered[]; words: readonly string[] } {
  const { mode, narrow, limit, diversity, near } = wish;
  const deep = diversity > 0 || (mode === 'hybrid' && near !== null) ? Math.max(pool, limit) : limit;
  // Words are marked in excerpts whatever found the note.
  const ranking = rank(index, query, narrow, mode === 'vector' && near !== null ? 1 : deep);
  const byWords = ranking.hits.map(({ chunk, ...hit }): Answered => ({ ...hit, piece: chunk }));
  const byVectors = mode === 'keyword' || near === null ? null : nearest(index, vectors, query, narrow, near, deep);
  const hits =
    byVectors === null ? byWords : mode === 'vector' ? byVectors : blend(byWords, byVectors, near?.weight ?? 1);
  const scored = hits.slice(0, deep).map(({ id, matches, piece, score }) => ({
    ...{ id, matches, piece, score: Math.min(1, Math.max(0, score)) },
    vector: diversity > 0 ? (vectors?.vectorAt(index, id, placeOf(index, { id, piece }).start) ?? null) : null,
  }));
  return { hits: diversify(scored, limit, diversity), words: ranking.words };
}

/** Where a piece stands in its note, and under which headings. */
export function placeOf(index: VaultIndex, { id, piece }: Pick<Answered, 'id' | 'piece'>): FoundPiece {
  if (typeof piece !== 'number') return piece;
  const location = index.find(id);
  const { start = 0, end = 0, heading = '' } = location?.segment.info(location.note).chunks[piece] ?? {};
  return { start, end, heading };
}

function nearest(
  index: VaultIndex,
  vectors: VaultVectors | null,
  query: Query,
  narrow: Narrowing,
  near: Near,
  count: number,
): readonly NearHit[] {
  const allowed: Masks | null = narrows(query, narrow) ? allowedNotes(index, query, narrow) : null;
  return vectors?.near(index, near.vector, count, allowed, near.least) ?? [];
}

function narrows(
  { filters, excluded, phrases }: Query,
  { tags, folder, type, created, timestamp }: Narrowing,
): boolean {
  const given = [tags, folder, type, created.from, created.to, timestamp.from, timestamp.to];
  return filters.length + excluded.length + phrases.length > 0 || given.some((value) => value !== null);
}

/**
 * Both rankings as one. Places decide the order; so that answers of several vaults can be compared, all scores are scaled
 * by how well the best of this one was found.
 */
function blend(byWords: readonly Answered[], byVectors: readonly Answered[], weight: number): Answered[] {
  const [words, vectors] = [byId(byWords), byId(byVectors)];
  const strength = Math.max(byWords[0]?.score ?? 0, byVectors[0]?.score ?? 0);
  const fused = fuse([
    { keys: [...words.keys()], weight: 1 },
    { keys: [...vectors.keys()], weight },
  ]);
  return fused.flatMap(({ key, score }) => {
    const hit = words.get(key) ?? vectors.get(key);
    return hit === undefined ? [] : [{ ...hit, score: score * strength }];
  });
}

function byId(hits: readonly Answered[]): Map<string, Answered> {
  return new Map(hits.map((hit) => [hit.id, hit]));
}
