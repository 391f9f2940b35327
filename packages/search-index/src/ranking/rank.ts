import { isUnspaced } from '@notevault/note-text/words/classes.ts';
import { wordOfTerm } from '../analysis/terms.ts';
import type { PostingsReader } from '../index/postings.ts';
import type { Segment } from '../index/segment.ts';
import type { VaultIndex } from '../index/vault-index.ts';
import { allowedNotes } from '../query/allowed-notes.ts';
import type { TermVariant } from '../query/query-expansion.ts';
import type { Query } from '../query/query-parser.ts';
import type { NoteMasks, SearchFilter } from '../query/search-filter.ts';
import { TopK } from '../top-k.ts';
import {
  coverageFactor,
  inverseDocumentFrequency,
  LengthNorms,
  PARAMETERS,
  type QueryTerm,
  termScore,
} from './bm25f.ts';
import { addBonuses } from './bonuses.ts';
import { queryTerms, relaxedQuery } from './query-terms.ts';
import { type Candidate, type RerankedNote, rerank } from './rerank.ts';

/** A note that the words of a query found. */
export interface KeywordHit extends Omit<RerankedNote, 'segment' | 'note'> {
  readonly id: string;
}

/** A word that was matched, as the vault spells it. A snippet shows the words that say most. */
export interface MatchedWord {
  readonly word: string;
  /** The number of the query's word that it is a form of. */
  readonly term: number;
  /** How much it says. */
  readonly weight: number;
  /** Whether it says nothing beside the other words: a function word, a single letter. */
  readonly isMinor: boolean;
}

export interface KeywordRanking {
  /** Best first; of equal scores the newer note first. */
  readonly hits: readonly KeywordHit[];
  readonly words: readonly MatchedWord[];
  /** The phrases that no note has, as typed; their words were searched instead. */
  readonly relaxed: readonly string[];
  /** The notes that pass the filters. */
  readonly allowed: NoteMasks;
}

/** How many notes beyond the limit are reranked. */
const EXTRA_CANDIDATES = 40;
/** Candidates are collected up to this many times the wanted number before they are cut back. */
const CANDIDATE_SLACK = 4;

/** Ranks the notes of a vault by the words of a query: a first pass scores whole notes, then the best are reranked. */
export function rank(index: VaultIndex, asked: Query, filter: SearchFilter, limit: number): KeywordRanking {
  const { segments } = index;
  const { masks: allowed, relaxed: phrases } = allowedNotes(segments, asked, filter);
  const query = relaxedQuery(asked, phrases);
  const relaxed = phrases.map(({ text }) => text);
  const terms = queryTerms(segments, query);
  if (terms.length === 0) return { hits: rankUnscored(segments, query, allowed, limit), words: [], relaxed, allowed };
  const bonuses = segments.map(({ size }) => new Float64Array(size));
  addBonuses(segments, query, bonuses);
  const scores = firstPassScores(index, terms, allowed);
  const words = matchedWords(terms);
  const candidates = bestCandidates(segments, withBonuses(scores, bonuses, allowed), limit + EXTRA_CANDIDATES);
  const reranked = rerank(index, terms, candidates, bonuses);
  reranked.sort((a, b) => b.score - a.score || newerFirst(a, b));
  const hits = reranked.slice(0, limit).map(({ segment, note, ...hit }) => ({ id: segment.id(note), ...hit }));
  return { hits, words, relaxed, allowed };
}

/** The scores in the order of which candidates are chosen: a title may begin with the query and have none of its words. */
function withBonuses(
  scores: readonly Float64Array[],
  bonuses: readonly Float64Array[],
  allowed: NoteMasks,
): readonly Float64Array[] {
  scores.forEach((own, at) => {
    const [bonus, mask] = [bonuses[at] ?? new Float64Array(), allowed[at] ?? new Uint8Array()];
    for (let note = 0; note < own.length; note++) {
      const gained = bonus[note] as number;
      if (gained > 0 && mask[note] === 1) own[note] = (own[note] as number) + gained;
    }
  });
  return scores;
}

/** The words of all variants; one that is a form of several words of the query belongs to the first. */
function matchedWords(terms: readonly QueryTerm[]): MatchedWord[] {
  const words = new Map<string, MatchedWord>();
  terms.forEach(({ variants, idf, share }, index) => {
    for (const { term, weight } of variants) {
      const word = wordOfTerm(term);
      const isMinor = share < 1 || (word.length === 1 && !isUnspaced(word));
      if (!words.has(word)) words.set(word, { word, term: index, weight: weight * idf, isMinor });
    }
  });
  return [...words.values()];
}

/** Orders notes by id, newer first. Ids are UUIDv7, so the order does not depend on the segments. */
function newerFirst(a: Pick<Candidate, 'segment' | 'note'>, b: Pick<Candidate, 'segment' | 'note'>): number {
  return a.segment.id(a.note) < b.segment.id(b.note) ? 1 : -1;
}

/** The result of a query without words: all allowed notes score 1, newest first. */
function rankUnscored(segments: readonly Segment[], query: Query, allowed: NoteMasks, limit: number): KeywordHit[] {
  if (query.clauses.length === 0 && query.excluded.length === 0) return [];
  const scores = allowed.map((mask) => Float64Array.from(mask));
  return bestCandidates(segments, scores, limit).map(({ segment, note }) => {
    return { id: segment.id(note), score: 1, chunk: 0, matches: 1, leastWeight: 1 };
  });
}

/** The scores of each allowed note as a whole, from 0 to 1. Sets the idf of the terms. */
function firstPassScores(index: VaultIndex, terms: readonly QueryTerm[], allowed: NoteMasks): Float64Array[] {
  const { segments, noteCount } = index;
  const passes = segments.map((segment) => new FirstPass(segment));
  const norms = new LengthNorms(index);
  for (const term of terms) {
    for (const pass of passes) pass.read(term.variants, norms);
    const matchCount = passes.reduce((sum, { matching }) => sum + matching.length, 0);
    term.idf = term.share * inverseDocumentFrequency(matchCount, noteCount);
    passes.forEach((pass, at) => {
      pass.score(term.idf, allowed[at] ?? new Uint8Array());
    });
  }
  const idfs = terms.reduce((sum, { idf }) => sum + idf, 0);
  const contentWords = terms.filter(({ share }) => share === 1).length;
  return passes.map((pass) => pass.finish(idfs, contentWords));
}

/** Scores the notes of one segment, term by term. */
class FirstPass {
  /** The notes that have the last term. */
  matching: number[] = [];
  readonly #segment: Segment;
  readonly #scores: Float64Array;
  /** The sum of the idfs of a note's terms, each by how well it matches. */
  readonly #covered: Float64Array;
  readonly #frequencies: Float64Array;
  readonly #weights: Float64Array;

  constructor(segment: Segment) {
    this.#segment = segment;
    this.#scores = new Float64Array(segment.size);
    this.#covered = new Float64Array(segment.size);
    this.#frequencies = new Float64Array(segment.size);
    this.#weights = new Float64Array(segment.size);
  }

  /** Adds up the weighted frequency of the variants of a term in each live note. */
  read(variants: readonly TermVariant[], norms: LengthNorms): void {
    this.matching = [];
    const segment = this.#segment;
    const { deleted } = segment;
    for (const { term, weight, namesOnly } of variants) {
      const reader = segment.postings(term);
      while (reader?.next()) {
        const { note } = reader;
        if (deleted[note] === 1) continue;
        const inNames = namesFrequency(reader, segment, norms);
        const weighted = weight * (namesOnly ? inNames : inNames + reader.body / norms.body(segment.bodyWords(note)));
        if (weighted === 0) continue;
        const before = this.#frequencies[note] as number;
        if (before === 0) this.matching.push(note);
        this.#frequencies[note] = before + weighted;
        if (weight > (this.#weights[note] as number)) this.#weights[note] = weight;
      }
    }
  }

  /** Adds the term that was read to the scores, and makes room for the next. */
  score(idf: number, allowed: Uint8Array): void {
    for (const note of this.matching) {
      const weight = this.#weights[note] as number;
      if (allowed[note] === 1) {
        this.#scores[note] = (this.#scores[note] as number) + termScore(idf, this.#frequencies[note] as number, weight);
        this.#covered[note] = (this.#covered[note] as number) + idf * weight;
      }
      this.#frequencies[note] = 0;
      this.#weights[note] = 0;
    }
  }

  /** The scores, scaled to at most 1. */
  finish(idfs: number, contentWords: number): Float64Array {
    const scores = this.#scores;
    const best = idfs * (PARAMETERS.k1 + 1);
    for (let note = 0; note < scores.length; note++) {
      const score = scores[note] as number;
      if (score === 0) continue;
      scores[note] = (score / best) * coverageFactor((this.#covered[note] as number) / idfs, contentWords);
    }
    return scores;
  }
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
