import { fieldOf, HEADING, LABEL, positionOf, TITLE } from '../index/occurrence.ts';
import type { Segment } from '../index/segment.ts';
import type { VaultIndex } from '../index/vault-index.ts';
import type { TermVariant } from '../query/query-expansion.ts';
import { LengthNorms, PARAMETERS, type QueryTerm, saturate } from './bm25f.ts';

/** A note with its final score. */
export interface RerankedNote {
  readonly segment: Segment;
  readonly note: number;
  /** The share of the best possible score, 0 to 1. */
  readonly score: number;
  /** Number of the chunk that matches best; 0 when only title or labels match. */
  readonly chunk: number;
  /** How many chunks match; 1 when only title or labels do. */
  readonly matches: number;
}

/** One of the best notes of the first pass. */
export interface Candidate {
  readonly segment: Segment;
  readonly segmentIndex: number;
  readonly note: number;
  readonly firstPassScore: number;
}

/** Where the terms of the query occur in one candidate. */
interface CandidateMatches {
  readonly candidate: Candidate;
  readonly chunkPositions: ArrayLike<number>;
  /** The weighted frequency of each term in title and labels. */
  readonly names: Float64Array;
  /** The same for each chunk that has a match. */
  readonly chunks: Map<number, Float64Array>;
  /** The positions of each term, in no order where it has several variants. */
  readonly positions: readonly number[][];
}

/** Scores candidates by whole note, best chunk, and neighbours of the query that are neighbours in the note. */
export function rerank(
  index: VaultIndex,
  terms: readonly QueryTerm[],
  candidates: readonly Candidate[],
  bestPossible: number,
): RerankedNote[] {
  const matches = candidates.map(
    (candidate): CandidateMatches => ({
      candidate,
      chunkPositions: candidate.segment.chunkPositions(candidate.note),
      names: new Float64Array(terms.length),
      chunks: new Map(),
      positions: terms.length < 2 ? [] : terms.map(() => []),
    }),
  );
  const norms = new LengthNorms(index);
  const bySegment = Map.groupBy(matches, ({ candidate }) => candidate.segment);
  for (const [segment, segmentMatches] of bySegment) {
    const collector = new MatchCollector(segment, segmentMatches, norms, terms.length);
    terms.forEach(({ variants }, term) => {
      for (const variant of variants) collector.collect(variant, term);
    });
  }
  return matches.map((own) => scoreCandidate(own, terms, bestPossible));
}

/** Collects the occurrences of terms in the candidates of one segment. */
class MatchCollector {
  readonly #segment: Segment;
  /** For each note of the segment, the index of its matches, counted from 1; 0 if it is not a candidate. */
  readonly #indexes: Int32Array;
  readonly #matches: readonly CandidateMatches[];
  readonly #norms: LengthNorms;
  readonly #termCount: number;

  constructor(segment: Segment, matches: readonly CandidateMatches[], norms: LengthNorms, termCount: number) {
    this.#segment = segment;
    this.#matches = matches;
    this.#norms = norms;
    this.#termCount = termCount;
    this.#indexes = new Int32Array(segment.size);
    matches.forEach(({ candidate }, index) => {
      this.#indexes[candidate.note] = index + 1;
    });
  }

  /** @param term the number of the term that the variant belongs to. */
  collect({ term: text, weight, namesOnly }: TermVariant, term: number): void {
    const reader = this.#segment.postings(text);
    while (reader?.next()) {
      const index = this.#indexes[reader.note] ?? 0;
      const matches = index === 0 ? undefined : this.#matches[index - 1];
      if (matches === undefined) continue;
      const titleWorth = (weight * PARAMETERS.title) / this.#norms.title(this.#segment.titleWords(reader.note));
      for (let occurrence = reader.nextOccurrence(); occurrence >= 0; occurrence = reader.nextOccurrence()) {
        const field = fieldOf(occurrence);
        const position = positionOf(occurrence);
        if (field === TITLE || field === LABEL) {
          const worth = field === TITLE ? titleWorth : weight * PARAMETERS.label;
          matches.names[term] = (matches.names[term] ?? 0) + worth;
        } else {
          if (namesOnly && field !== HEADING) continue;
          this.#addToChunk(
            matches,
            position,
            term,
            weight * (field === HEADING ? PARAMETERS.heading : PARAMETERS.body),
          );
        }
        matches.positions[term]?.push(position);
      }
    }
  }

  #addToChunk({ chunks, chunkPositions }: CandidateMatches, position: number, term: number, worth: number): void {
    const chunk = chunkAt(chunkPositions, position);
    const frequencies = chunks.get(chunk) ?? new Float64Array(this.#termCount);
    frequencies[term] = (frequencies[term] ?? 0) + worth;
    chunks.set(chunk, frequencies);
  }
}

/** The last chunk that begins at a position or before it. */
function chunkAt(chunkPositions: ArrayLike<number>, position: number): number {
  let low = 0;
  let high = chunkPositions.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((chunkPositions[middle] ?? 0) <= position) low = middle;
    else high = middle - 1;
  }
  return low;
}

function scoreCandidate(matches: CandidateMatches, terms: readonly QueryTerm[], bestPossible: number): RerankedNote {
  const { candidate, names, chunks, positions } = matches;
  let bestChunk = 0;
  let bestScore = -1;
  for (const [chunk, frequencies] of chunks) {
    const score = chunkScore(terms, names, frequencies);
    if (score < bestScore || (score === bestScore && chunk > bestChunk)) continue;
    bestChunk = chunk;
    bestScore = score;
  }
  if (bestScore < 0) bestScore = chunkScore(terms, names, null);
  const total = (1 - PARAMETERS.chunk) * candidate.firstPassScore + PARAMETERS.chunk * bestScore;
  const base = total / bestPossible;
  const score = base + (1 - base) * PARAMETERS.proximity * adjacency(terms, positions);
  const { segment, note } = candidate;
  return { segment, note, score: Math.min(1, score), chunk: bestChunk, matches: Math.max(1, chunks.size) };
}

function chunkScore(terms: readonly QueryTerm[], names: Float64Array, frequencies: Float64Array | null): number {
  let sum = 0;
  for (let term = 0; term < terms.length; term++) {
    const frequency = (names[term] ?? 0) + (frequencies?.[term] ?? 0);
    if (frequency > 0) sum += (terms[term]?.idf ?? 0) * saturate(frequency);
  }
  return sum;
}

/** The share of the query's pairs of neighbours, weighted by idf, that stand side by side and in order in the note. */
function adjacency(terms: readonly QueryTerm[], positions: readonly number[][]): number {
  let [all, found] = [0, 0];
  for (let term = 1; term < terms.length; term++) {
    const [before, after] = [positions[term - 1], positions[term]];
    const weight = (terms[term - 1]?.idf ?? 0) + (terms[term]?.idf ?? 0);
    all += weight;
    if (before !== undefined && after !== undefined && areAdjacent(before, after)) found += weight;
  }
  return all === 0 ? 0 : found / all;
}

/** Whether any of the first positions is followed by one of the second. */
function areAdjacent(before: number[], after: number[]): boolean {
  sortIfNeeded(before);
  sortIfNeeded(after);
  let next = 0;
  for (const position of before) {
    while (next < after.length && (after[next] as number) <= position) next++;
    if (after[next] === position + 1) return true;
  }
  return false;
}

/** Positions of one variant ascend already, and few terms have several variants in a note. */
function sortIfNeeded(positions: number[]): void {
  for (let index = 1; index < positions.length; index++) {
    if ((positions[index] as number) < (positions[index - 1] as number)) {
      positions.sort((a, b) => a - b);
      return;
    }
  }
}
