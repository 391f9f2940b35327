import { fieldOf, HEADING, LABEL, positionOf, TITLE } from '../index/occurrence.ts';
import type { Segment } from '../index/segment.ts';
import type { VaultIndex } from '../index/vault-index.ts';
import type { TermVariant } from '../query/query-expansion.ts';
import { coverageFactor, LengthNorms, PARAMETERS, type QueryTerm, termScore } from './bm25f.ts';

/** A note with its final score. */
export interface RerankedNote {
  readonly segment: Segment;
  readonly note: number;
  /** From 0 to 1. */
  readonly score: number;
  /** Number of the chunk that matches best; 0 when only title or labels match. */
  readonly chunk: number;
  /** How many chunks match; 1 when only title or labels do. */
  readonly matches: number;
  /** How well the word of the query matches that matches worst, function words aside; 0 when the note lacks one. */
  readonly leastWeight: number;
}

/** One of the best notes of the first pass. */
export interface Candidate {
  readonly segment: Segment;
  readonly segmentIndex: number;
  readonly note: number;
  /** With its bonus. */
  readonly firstPassScore: number;
}

/** Where the terms of the query occur in one candidate. */
interface CandidateMatches {
  readonly candidate: Candidate;
  readonly chunkPositions: ArrayLike<number>;
  /** The terms in title and labels. */
  readonly names: TermMatches;
  /** The weight of the best form of each term in the whole note. */
  readonly weights: Float64Array;
  /** The same as `names` for each chunk that has a match. */
  readonly chunks: Map<number, TermMatches>;
  /** The positions of each term, in no order where it has several variants. */
  readonly positions: readonly number[][];
}

/** How often and how well each term matches. */
class TermMatches {
  /** Weighted. */
  readonly frequencies: Float64Array;
  /** The weight of the best form. */
  readonly weights: Float64Array;

  constructor(terms: number) {
    this.frequencies = new Float64Array(terms);
    this.weights = new Float64Array(terms);
  }

  /** @param worth how much an occurrence counts in its field. */
  add(term: number, weight: number, worth: number): void {
    this.frequencies[term] = (this.frequencies[term] ?? 0) + weight * worth;
    if (weight > (this.weights[term] ?? 0)) this.weights[term] = weight;
  }
}

/** Scores candidates by whole note, best chunk, and neighbours of the query that are neighbours in the note. */
export function rerank(
  index: VaultIndex,
  terms: readonly QueryTerm[],
  candidates: readonly Candidate[],
  bonuses: readonly Float64Array[],
): RerankedNote[] {
  const matches = candidates.map(
    (candidate): CandidateMatches => ({
      candidate,
      chunkPositions: candidate.segment.chunkPositions(candidate.note),
      names: new TermMatches(terms.length),
      weights: new Float64Array(terms.length),
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
  const query = summaryOf(terms);
  return matches.map((own) => {
    const { segmentIndex, note } = own.candidate;
    return scoreCandidate(own, query, bonuses[segmentIndex]?.[note] ?? 0);
  });
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
      const titleWorth = PARAMETERS.title / this.#norms.title(this.#segment.titleWords(reader.note));
      for (let occurrence = reader.nextOccurrence(); occurrence >= 0; occurrence = reader.nextOccurrence()) {
        const field = fieldOf(occurrence);
        const position = positionOf(occurrence);
        if (field === TITLE || field === LABEL) {
          matches.names.add(term, weight, field === TITLE ? titleWorth : PARAMETERS.label);
        } else {
          if (namesOnly && field !== HEADING) continue;
          const worth = field === HEADING ? PARAMETERS.heading : PARAMETERS.body;
          this.#chunkAt(matches, position).add(term, weight, worth);
        }
        if (weight > (matches.weights[term] as number)) matches.weights[term] = weight;
        matches.positions[term]?.push(position);
      }
    }
  }

  #chunkAt({ chunks, chunkPositions }: CandidateMatches, position: number): TermMatches {
    const chunk = chunkAt(chunkPositions, position);
    const known = chunks.get(chunk);
    if (known !== undefined) return known;
    const added = new TermMatches(this.#termCount);
    chunks.set(chunk, added);
    return added;
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

/** The terms of a query, with sums over them. */
interface QuerySummary {
  readonly terms: readonly QueryTerm[];
  readonly idfs: number;
  /** How many of its words are no function words. */
  readonly contentWords: number;
}

function summaryOf(terms: readonly QueryTerm[]): QuerySummary {
  return {
    terms,
    idfs: terms.reduce((sum, { idf }) => sum + idf, 0),
    contentWords: terms.filter(({ share }) => share === 1).length,
  };
}

function scoreCandidate(matches: CandidateMatches, query: QuerySummary, bonus: number): RerankedNote {
  const { candidate, names, chunks, positions } = matches;
  let bestChunk = 0;
  let bestScore = -1;
  for (const [chunk, own] of chunks) {
    const score = chunkScore(query, names, own);
    if (score < bestScore || (score === bestScore && chunk > bestChunk)) continue;
    bestChunk = chunk;
    bestScore = score;
  }
  if (bestScore < 0) bestScore = chunkScore(query, names, null);
  // The bonus was added to choose the candidates.
  const whole = Math.max(0, candidate.firstPassScore - bonus);
  const base = (1 - PARAMETERS.chunk) * whole + PARAMETERS.chunk * bestScore;
  const near = base + (1 - base) * PARAMETERS.proximity * adjacency(query.terms, positions);
  const score = near + (1 - near) * bonus;
  const { segment, note } = candidate;
  return {
    segment,
    note,
    score: Math.min(1, score),
    chunk: bestChunk,
    matches: Math.max(1, chunks.size),
    leastWeight: leastWeight(query, matches.weights),
  };
}

function leastWeight({ terms, contentWords }: QuerySummary, weights: Float64Array): number {
  let least = 1;
  for (let term = 0; term < terms.length; term++) {
    if (contentWords > 0 && terms[term]?.share !== 1) continue;
    least = Math.min(least, weights[term] as number);
  }
  return least;
}

/** The score of a chunk with the note's names, scaled to at most 1. */
function chunkScore(
  { terms, idfs, contentWords }: QuerySummary,
  names: TermMatches,
  chunk: TermMatches | null,
): number {
  let [sum, covered] = [0, 0];
  for (let term = 0; term < terms.length; term++) {
    const frequency = (names.frequencies[term] ?? 0) + (chunk?.frequencies[term] ?? 0);
    if (frequency === 0) continue;
    const weight = Math.max(names.weights[term] ?? 0, chunk?.weights[term] ?? 0);
    const { idf = 0 } = terms[term] ?? {};
    sum += termScore(idf, frequency, weight);
    covered += idf * weight;
  }
  return (sum / (idfs * (PARAMETERS.k1 + 1))) * coverageFactor(covered / idfs, contentWords);
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
