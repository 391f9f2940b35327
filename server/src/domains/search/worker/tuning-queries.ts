import type { VaultIndex } from '@notevault/search-index/index/vault-index.ts';
import { parseQuery } from '@notevault/search-index/query/query-parser.ts';
import { rankingsByWeight } from '@notevault/search-index/ranking/hybrid.ts';
import { type KnownItem, knownItemsOf } from '@notevault/search-index/tuning/known-items.ts';
import { reciprocalRank } from '@notevault/search-index/tuning/metrics.ts';
import type { VaultVectors } from '@notevault/search-index/vectors/vault-vectors.ts';
import type { SealedNote } from '../../notes/notes.ts';
import type { RanksByWeightParams } from './worker-api.ts';

/** Queries are made of this much of a note, so that a long one does not hold up searches. */
const MAX_LENGTH = 64 * 1024;

/** Ids of notes that have vectors, at most `limit`, evenly spaced by age. */
export function sampleNotes(index: VaultIndex, vectors: VaultVectors | null, limit: number): string[] {
  const ids = [...index.ids].filter((id) => vectors?.has(index, id)).sort();
  const step = Math.max(1, ids.length / limit);
  return Array.from({ length: Math.min(limit, ids.length) }, (_, at) => ids[Math.floor(at * step)] ?? '');
}

/** What queries are made of. */
interface PathAndText {
  readonly path: string;
  readonly content: string;
}

/** Adds for each note the queries that are made of it, and yields between notes. A damaged note has none. */
export function* knownItemSteps(
  notes: readonly SealedNote[],
  items: KnownItem[][],
  open: (note: SealedNote) => PathAndText,
): Generator<void, void> {
  const texts: (PathAndText | null)[] = [];
  for (const note of notes) {
    texts.push(openOrNull(note, open));
    yield;
  }
  for (const [at, note] of notes.entries()) {
    const text = texts[at] ?? null;
    const other = texts[(at + 1) % texts.length] ?? null;
    items.push(text === null ? [] : knownItemsOf(note.id, text.path, text.content, other?.content));
    yield;
  }
}

function openOrNull(note: SealedNote, open: (note: SealedNote) => PathAndText): PathAndText | null {
  try {
    const { path, content } = open(note);
    return { path, content: content.slice(0, MAX_LENGTH) };
  } catch {
    return null;
  }
}

/** The reciprocal rank of the note under each weight. */
export function ranksByWeight(
  index: VaultIndex,
  vectors: VaultVectors | null,
  { query, vectorQuery, weights, note }: RanksByWeightParams,
): number[] | null {
  if (vectors === null) return null;
  const rankings = rankingsByWeight(index, vectors, parseQuery(query), vectorQuery, weights);
  return rankings.map((ids) => reciprocalRank(ids, [note]));
}
