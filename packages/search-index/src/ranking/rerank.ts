import type { Variant } from './expand.ts';
import { HEADING, LABEL, TITLE } from './postings.ts';
import { Norms, saturated, scoring, type Term } from './scoring.ts';
import type { Segment } from './segment.ts';
import type { VaultIndex } from './vault-index.ts';

/** A note that was looked at closely. */
export interface CloseHit {
  readonly segment: Segment;
  readonly note: number;
  /** 0 to 1: how much of what the query could find at best. */
  readonly score: number;
  /** Number of the chunk that matches best; the first when only title or labels match. */
  readonly chunk: number;
  /** How many chunks match; 1 when only title or labels do. */
  readonly matches: number;
}

/** A note that scored well as a whole. */
export interface Candidate {
  readonly segment: Segment;
  readonly at: number;
  readonly note: number;
  readonly rough: number;
}

/** What a close look at one note has found so far. */
interface Close {
  readonly candidate: Candidate;
  readonly chunkWords: ArrayLike<number>;
  /** For each term, how often it stands in title and labels. */
  readonly names: Float64Array;
  /** For each chunk with a hit, how often each term stands there. */
  readonly chunks: Map<number, Float64Array>;
  /** Positions of each term; of one of several variants in no order. */
  readonly positions: readonly number[][];
}

/** The final scores: of whole notes, their best chunks, and neighbours in the query that are neighbours in the note. */
export function closeScores(
  index: VaultIndex,
  terms: readonly Term[],
  candidates: readonly Candidate[],
  best: number,
): CloseHit[] {
  const wanted = index.segments.map(({ size }) => new Int32Array(size));
  const looks = candidates.map((candidate, number): Close => {
    const own = wanted[candidate.at];
    if (own !== undefined) own[candidate.note] = number + 1;
    return {
      candidate,
      chunkWords: candidate.segment.chunkWords(candidate.note),
      names: new Float64Array(terms.length),
      chunks: new Map(),
      positions: terms.length < 2 ? [] : terms.map(() => []),
    };
  });
  const norms = new Norms(index);
  index.segments.forEach((segment, at) => {
    const numbers = wanted[at] ?? new Int32Array();
    if (!candidates.some((candidate) => candidate.at === at)) return;
    terms.forEach(({ variants }, term) => {
      for (const variant of variants) lookAt({ segment, numbers, looks, norms, terms: terms.length }, variant, term);
    });
  });
  return looks.map((look) => hitOf(look, terms, best));
}

/** One segment, and which of its notes are looked at: the number of each one's look, from 1. */
interface Looking {
  readonly segment: Segment;
  readonly numbers: Int32Array;
  readonly looks: readonly Close[];
  readonly norms: Norms;
  readonly terms: number;
}

function lookAt(
  { segment, numbers, looks, norms, terms }: Looking,
  { term: text, weight, namesOnly }: Variant,
  term: number,
): void {
  const reader = segment.postings(text);
  while (reader?.next()) {
    const number = numbers[reader.note] ?? 0;
    const look = number === 0 ? undefined : looks[number - 1];
    if (look === undefined) continue;
    const titleWeight = (weight * scoring.title) / norms.title(segment.titleWords(reader.note));
    for (let place = reader.nextPlace(); place >= 0; place = reader.nextPlace()) {
      const field = place & 3;
      const position = Math.floor(place / 4);
      if (field === TITLE || field === LABEL) {
        const worth = field === TITLE ? titleWeight : weight * scoring.label;
        look.names[term] = (look.names[term] ?? 0) + worth;
      } else {
        if (namesOnly && field !== HEADING) continue;
        const chunk = chunkAt(look.chunkWords, position);
        const counts = look.chunks.get(chunk) ?? new Float64Array(terms);
        const worth = field === HEADING ? scoring.heading : scoring.body;
        counts[term] = (counts[term] ?? 0) + weight * worth;
        look.chunks.set(chunk, counts);
      }
      look.positions[term]?.push(position);
    }
  }
}

function chunkAt(chunks: ArrayLike<number>, position: number): number {
  let low = 0;
  let high = chunks.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((chunks[middle] ?? 0) <= position) low = middle;
    else high = middle - 1;
  }
  return low;
}

function hitOf(look: Close, terms: readonly Term[], best: number): CloseHit {
  const { candidate, names, chunks, positions } = look;
  let bestChunk = 0;
  let bestScore = -1;
  for (const [chunk, counts] of chunks) {
    const score = scoreOf(terms, names, counts);
    if (score < bestScore || (score === bestScore && chunk > bestChunk)) continue;
    bestChunk = chunk;
    bestScore = score;
  }
  if (bestScore < 0) bestScore = scoreOf(terms, names, null);
  const base = ((1 - scoring.chunk) * candidate.rough + scoring.chunk * bestScore) / best;
  const score = base + (1 - base) * scoring.neighbours * neighbours(terms, positions);
  const { segment, note } = candidate;
  return { segment, note, score: Math.min(1, score), chunk: bestChunk, matches: Math.max(1, chunks.size) };
}

function scoreOf(terms: readonly Term[], names: Float64Array, counts: Float64Array | null): number {
  let sum = 0;
  for (let term = 0; term < terms.length; term++) {
    const found = (names[term] ?? 0) + (counts?.[term] ?? 0);
    if (found > 0) sum += (terms[term]?.idf ?? 0) * saturated(found);
  }
  return sum;
}

/** The share of the query's neighbours, by their rarity, that stand side by side and in order somewhere in the note. */
function neighbours(terms: readonly Term[], positions: readonly number[][]): number {
  let [all, found] = [0, 0];
  for (let term = 1; term < terms.length; term++) {
    const [before, after] = [positions[term - 1], positions[term]];
    const worth = (terms[term - 1]?.idf ?? 0) + (terms[term]?.idf ?? 0);
    all += worth;
    if (before !== undefined && after !== undefined && haveNeighbours(before, after)) found += worth;
  }
  return all === 0 ? 0 : found / all;
}

function haveNeighbours(before: number[], after: number[]): boolean {
  ascending(before);
  ascending(after);
  let next = 0;
  for (const position of before) {
    while (next < after.length && (after[next] as number) <= position) next++;
    if (after[next] === position + 1) return true;
  }
  return false;
}

/** Mostly they are: those of one variant are, and few words have several in a note. */
function ascending(positions: number[]): void {
  for (let at = 1; at < positions.length; at++) {
    if ((positions[at] as number) < (positions[at - 1] as number)) {
      positions.sort((a, b) => a - b);
      return;
    }
  }
}
