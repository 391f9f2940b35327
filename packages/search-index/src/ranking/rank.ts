import { isFunctionWord } from '@notevault/note-text/words/languages.ts';
import { wordOfTerm } from '../analysis/terms.ts';
import type { PostingsReader } from '../index/postings.ts';
import type { Segment } from '../index/segment.ts';
import type { VaultIndex } from '../index/vault-index.ts';
import { allowedNotes } from '../query/allowed-notes.ts';
import { exactTerms, expandWord, type TermVariant } from '../query/query-expansion.ts';
import type { Query } from '../query/query-parser.ts';
import type { NoteMasks, SearchFilter } from '../query/search-filter.ts';
import { TopK } from '../top-k.ts';
import { inverseDocumentFrequency, LengthNorms, PARAMETERS, type QueryTerm, saturate } from './bm25f.ts';
import { type Candidate, type RerankedNote, rerank } from './rerank.ts';

/** A note that the words of a query found. */
export interface KeywordHit extends Omit<RerankedNote, 'segment' | 'note'> {
  readonly id: string;
}

export interface KeywordRanking {
  /** Best first; of equal scores the newer note first. */
  readonly hits: readonly KeywordHit[];
  /** The words that were matched, as the vault spells them: a snippet highlights these. */
  readonly words: readonly string[];
}

/** How many notes beyond the limit are reranked. */
const EXTRA_CANDIDATES = 40;
/** Candidates are collected up to this many times the wanted number before they are cut back. */
const CANDIDATE_SLACK = 4;

/** Ranks the notes of a vault by the words of a query: a first pass scores whole notes, then the best are reranked. */
export function rank(index: VaultIndex, query: Query, filter: SearchFilter, limit: number): KeywordRanking {
  const { segments } = index;
  const allowed = allowedNotes(segments, query, filter);
  const terms = queryTerms(segments, query);
  const words = [...new Set(terms.flatMap(({ variants }) => variants.map(({ term }) => wordOfTerm(term))))];
  if (terms.length === 0) return { hits: rankUnscored(segments, query, allowed, limit), words };
  const scores = firstPassScores(index, terms, allowed);
  const bestPossible = terms.reduce((sum, { idf }) => sum + idf * (PARAMETERS.k1 + 1), 0);
  const candidates = bestCandidates(segments, scores, limit + EXTRA_CANDIDATES);
  const reranked = rerank(index, terms, candidates, bestPossible);
  reranked.sort((a, b) => b.score - a.score || newerFirst(a, b));
  const hits = reranked.slice(0, limit).map(({ segment, note, score, chunk, matches }) => {
    return { id: segment.id(note), score, chunk, matches };
  });
  return { hits, words };
}

/** Orders notes by id, newer first. Ids are UUIDv7, so the order does not depend on the segments. */
function newerFirst(a: Pick<Candidate, 'segment' | 'note'>, b: Pick<Candidate, 'segment' | 'note'>): number {
  return a.segment.id(a.note) < b.segment.id(b.note) ? 1 : -1;
}

function queryTerms(segments: readonly Segment[], query: Query): QueryTerm[] {
  const last = query.words.length - 1;
  const hasContentWords = query.phrases.length > 0 || !query.words.every(isFunctionWord);
  const terms: QueryTerm[] = query.words.map((word, index) => ({
    variants: expandWord(segments, word, query.lastWordIncomplete && index === last),
    share: hasContentWords && isFunctionWord(word) ? PARAMETERS.functionWord : 1,
    idf: 0,
  }));
  for (const word of new Set(query.phrases.flat())) {
    if (query.words.includes(word)) continue;
    const variants = exactTerms(segments, word).map((term) => ({ term, weight: 1, namesOnly: false }));
    terms.push({ variants, share: 1, idf: 0 });
  }
  return terms;
}

/** The result of a query without words: all allowed notes score 1, newest first. */
function rankUnscored(segments: readonly Segment[], query: Query, allowed: NoteMasks, limit: number): KeywordHit[] {
  if (query.clauses.length === 0 && query.excluded.length === 0) return [];
  const scores = allowed.map((mask) => Float64Array.from(mask));
  return bestCandidates(segments, scores, limit).map(({ segment, note }) => {
    return { id: segment.id(note), score: 1, chunk: 0, matches: 1 };
  });
}

/** The BM25F score of each allowed note as a whole. Sets the idf of the terms. */
function firstPassScores(index: VaultIndex, terms: readonly QueryTerm[], allowed: NoteMasks): Float64Array[] {
  const { segments, noteCount } = index;
  const scores = segments.map(({ size }) => new Float64Array(size));
  const frequencies = segments.map(({ size }) => new Float64Array(size));
  const norms = new LengthNorms(index);
  for (const term of terms) {
    const matching = segments.map((segment, at) => {
      return addFrequencies(segment, term.variants, norms, frequencies[at] ?? new Float64Array());
    });
    const matchCount = matching.reduce((sum, notes) => sum + notes.length, 0);
    term.idf = term.share * inverseDocumentFrequency(matchCount, noteCount);
    matching.forEach((notes, at) => {
      const [frequency, score, mask] = [frequencies[at], scores[at], allowed[at]];
      if (frequency === undefined || score === undefined || mask === undefined) return;
      for (const note of notes) {
        const weighted = frequency[note] ?? 0;
        // The array is used again for the next term.
        frequency[note] = 0;
        if (mask[note] === 1) score[note] = (score[note] ?? 0) + term.idf * saturate(weighted);
      }
    });
  }
  return scores;
}

/** Adds up the weighted frequency of the variants in each live note. Returns the notes that have any. */
function addFrequencies(
  segment: Segment,
  variants: readonly TermVariant[],
  norms: LengthNorms,
  frequency: Float64Array,
): number[] {
  const matching: number[] = [];
  const { deleted } = segment;
  for (const { term, weight, namesOnly } of variants) {
    const reader = segment.postings(term);
    while (reader?.next()) {
      const { note } = reader;
      if (deleted[note] === 1) continue;
      const inNames = namesFrequency(reader, segment, norms);
      const weighted = weight * (namesOnly ? inNames : inNames + reader.body / norms.body(segment.bodyWords(note)));
      if (weighted === 0) continue;
      const before = frequency[note] ?? 0;
      if (before === 0) matching.push(note);
      frequency[note] = before + weighted;
    }
  }
  return matching;
}

/** The weighted frequency in title, headings and labels. */
function namesFrequency({ title, heading, label, note }: PostingsReader, segment: Segment, norms: LengthNorms): number {
  if (title + heading + label === 0) return 0;
  const inTitle = title === 0 ? 0 : (PARAMETERS.title * title) / norms.title(segment.titleWords(note));
  return inTitle + PARAMETERS.heading * heading + PARAMETERS.label * label;
}

/** The notes of the highest scores above 0, best first; of equal scores the newer note first. */
function bestCandidates(segments: readonly Segment[], scores: readonly Float64Array[], count: number): Candidate[] {
  const threshold = thresholdOf(scores, count);
  let candidates: Candidate[] = [];
  const cutBack = () => {
    candidates.sort((a, b) => b.firstPassScore - a.firstPassScore || newerFirst(a, b));
    candidates = candidates.slice(0, count);
  };
  segments.forEach((segment, segmentIndex) => {
    const segmentScores = scores[segmentIndex] ?? new Float64Array();
    for (let note = 0; note < segmentScores.length; note++) {
      const firstPassScore = segmentScores[note] as number;
      if (firstPassScore === 0 || firstPassScore < threshold) continue;
      candidates.push({ segment, segmentIndex, note, firstPassScore });
      // Any number of notes may score exactly the threshold.
      if (candidates.length >= count * CANDIDATE_SLACK) cutBack();
    }
  });
  cutBack();
  return candidates;
}

/** The lowest of the `count` highest scores; 0 when there are fewer. */
function thresholdOf(scores: readonly Float64Array[], count: number): number {
  const best = new TopK(count);
  let threshold = 0;
  for (const segmentScores of scores) {
    for (let note = 0; note < segmentScores.length; note++) {
      const score = segmentScores[note] as number;
      if (score <= threshold) continue;
      best.push(note, score);
      threshold = Math.max(0, best.threshold);
    }
  }
  return threshold;
}
