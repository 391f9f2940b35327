import { fieldOf, HEADING, LABEL, positionOf, TITLE } from '../index/occurrence.ts';
import type { PostingsReader } from '../index/postings.ts';
import type { Segment } from '../index/segment.ts';
import type { TermVariant } from '../query/query-expansion.ts';
import { coverageFactor, type LengthNorms, PARAMETERS, type QueryTerm, termScore } from './bm25f.ts';
import { MatchTable } from './match-table.ts';

/** A note with its final score. */
export interface RerankedNote {
  readonly segment: Segment;
  readonly note: number;
  /** Score from 0 to 1. */
  readonly score: number;
  /** Number of the chunk that matches best; 0 when only title or labels match. */
  readonly chunk: number;
  /** Number of matching chunks; 1 if only the title or labels match. */
  readonly matches: number;
  /** Match weight of the worst matching query word, without function words; 0 if the note lacks a word. */
  readonly leastWeight: number;
}

/** Note that the first pass ranked among the best. */
export interface Candidate {
  readonly segment: Segment;
  readonly note: number;
  /** Score of the first pass, including the bonus. */
  readonly firstPassScore: number;
  /** See `addBonuses`. */
  readonly bonus: number;
}

/** Occurrences of query terms in one candidate. The numbers are rows of a `MatchTable`. */
interface CandidateMatches {
  readonly candidate: Candidate;
  readonly chunkPositions: ArrayLike<number>;
  /** The terms in title and labels. */
  readonly names: number;
  /** The terms in the whole note; only their weights. */
  readonly whole: number;
  /** Row of each chunk that has a match, like `names`. */
  readonly chunks: Map<number, number>;
  /** The positions of each term, in no order where it has several variants. */
  readonly positions: readonly number[][];
}

/** Scores candidates by whole note, best chunk, and neighbours of the query that are neighbours in the note. */
export function rerank(
  terms: readonly QueryTerm[],
  candidates: readonly Candidate[],
  norms: LengthNorms,
): RerankedNote[] {
  const table = new MatchTable(terms.length);
  const matches = candidates.map(
    (candidate): CandidateMatches => ({
      candidate,
      chunkPositions: candidate.segment.chunkPositions(candidate.note),
      names: table.addRow(),
      whole: table.addRow(),
      chunks: new Map(),
      positions: terms.length < 2 ? [] : terms.map(() => []),
    }),
  );
  for (const [segment, segmentMatches] of Map.groupBy(matches, ({ candidate }) => candidate.segment)) {
    const collector = new MatchCollector(segment, segmentMatches, norms, table);
    terms.forEach(({ variants }, term) => {
      for (const variant of variants) collector.collect(variant, term);
    });
  }
  const query = summaryOf(terms);
  const notes = matches.map((own) => scoreCandidate(own, query, table));
  table.release();
  return notes;
}

/** Collects the occurrences of terms in the candidates of one segment. */
class MatchCollector {
  readonly #segment: Segment;
  /** By note, ascending. */
  readonly #matches: readonly CandidateMatches[];
  readonly #norms: LengthNorms;
  readonly #table: MatchTable;

  constructor(segment: Segment, matches: readonly CandidateMatches[], norms: LengthNorms, table: MatchTable) {
    this.#segment = segment;
    this.#matches = matches.toSorted((a, b) => a.candidate.note - b.candidate.note);
    this.#norms = norms;
    this.#table = table;
  }

  /** @param term the number of the term that the variant belongs to. */
  collect(variant: TermVariant, term: number): void {
    const reader = this.#segment.postings(variant.term);
    if (reader === null) return;
    for (const matches of this.#matches) {
      const { note } = matches.candidate;
      if (!reader.advanceTo(note)) return;
      if (reader.note === note) this.#collectNote(matches, reader, variant, term);
    }
  }

  #collectNote(matches: CandidateMatches, reader: PostingsReader, variant: TermVariant, term: number): void {
    const { weight, namesOnly } = variant;
    const table = this.#table;
    const positions = matches.positions[term];
    const titleWorth = PARAMETERS.title / this.#norms.title(this.#segment.titleWords(reader.note));
    for (let occurrence = reader.nextOccurrence(); occurrence >= 0; occurrence = reader.nextOccurrence()) {
      const field = fieldOf(occurrence);
      const position = positionOf(occurrence);
      if (field === TITLE || field === LABEL) {
        table.add(matches.names, term, weight, field === TITLE ? titleWorth : PARAMETERS.label);
      } else {
        if (namesOnly && field !== HEADING) continue;
        const worth = field === HEADING ? PARAMETERS.heading : PARAMETERS.body;
        table.add(this.#chunkAt(matches, position), term, weight, worth);
      }
      table.raiseWeight(matches.whole, term, weight);
      positions?.push(position);
    }
  }

  #chunkAt({ chunks, chunkPositions }: CandidateMatches, position: number): number {
    const chunk = chunkAt(chunkPositions, position);
    const known = chunks.get(chunk);
    if (known !== undefined) return known;
    const added = this.#table.addRow();
    chunks.set(chunk, added);
    return added;
  }
}

/** Returns the last chunk that begins at a position or before it. */
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
  /** Number of its words that are not function words. */
  readonly contentWords: number;
}

function summaryOf(terms: readonly QueryTerm[]): QuerySummary {
  return {
    terms,
    idfs: terms.reduce((sum, { idf }) => sum + idf, 0),
    contentWords: terms.filter(({ share }) => share === 1).length,
  };
}

function scoreCandidate(matches: CandidateMatches, query: QuerySummary, table: MatchTable): RerankedNote {
  const { candidate, names, chunks, positions } = matches;
  const { segment, note, firstPassScore, bonus } = candidate;
  let bestChunk = 0;
  let bestScore = -1;
  for (const [chunk, own] of chunks) {
    const score = chunkScore(query, table, names, own);
    if (score < bestScore || (score === bestScore && chunk > bestChunk)) continue;
    bestChunk = chunk;
    bestScore = score;
  }
  if (bestScore < 0) bestScore = chunkScore(query, table, names, null);
  // The bonus was added to choose the candidates.
  const whole = Math.max(0, firstPassScore - bonus);
  const base = (1 - PARAMETERS.chunk) * whole + PARAMETERS.chunk * bestScore;
  const near = base + (1 - base) * PARAMETERS.proximity * adjacency(query.terms, positions);
  const score = near + (1 - near) * bonus;
  return {
    segment,
    note,
    score: Math.min(1, score),
    chunk: bestChunk,
    matches: Math.max(1, chunks.size),
    leastWeight: leastWeight(query, table, matches.whole),
  };
}

function leastWeight({ terms, contentWords }: QuerySummary, table: MatchTable, whole: number): number {
  let least = 1;
  for (let term = 0; term < terms.length; term++) {
    if (contentWords > 0 && terms[term]?.share !== 1) continue;
    least = Math.min(least, table.weight(whole, term));
  }
  return least;
}

/** Returns the score of a chunk with the note's names, scaled to at most 1. */
function chunkScore(
  { terms, idfs, contentWords }: QuerySummary,
  table: MatchTable,
  names: number,
  chunk: number | null,
): number {
  let [sum, covered] = [0, 0];
  for (let term = 0; term < terms.length; term++) {
    const frequency = table.frequency(names, term) + (chunk === null ? 0 : table.frequency(chunk, term));
    if (frequency === 0) continue;
    const weight = Math.max(table.weight(names, term), chunk === null ? 0 : table.weight(chunk, term));
    const { idf = 0 } = terms[term] ?? {};
    sum += termScore(idf, frequency, weight);
    covered += idf * weight;
  }
  return (sum / (idfs * (PARAMETERS.k1 + 1))) * coverageFactor(covered / idfs, contentWords);
}

/**
 * Returns the share of the query's pairs of neighbours, weighted by idf, that stand side by side and in order in the
 * note.
 */
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

/** Returns whether any of the first positions is followed by one of the second. */
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
