import { isUnspaced } from '@notevault/note-text/words/classes.ts';
import { tagTerm, titleTerm, wordOfTerm } from '../analysis/terms.ts';
import type { Segment } from '../index/segment.ts';
import type { VaultIndex } from '../index/vault-index.ts';
import { allowedNotes } from '../query/allowed-notes.ts';
import type { Query } from '../query/query-parser.ts';
import type { NoteMasks, SearchFilter } from '../query/search-filter.ts';
import { prefixTerms } from '../query/vocabulary.ts';
import { TopK } from '../top-k.ts';
import { inverseDocumentFrequency, LengthNorms, PARAMETERS, type QueryTerm } from './bm25f.ts';
import { FirstPass } from './first-pass.ts';
import { queryTerms, relaxedQuery } from './query-terms.ts';
import { type Candidate, type RerankedNote, rerank } from './rerank.ts';

/** A note that the words of a query found. */
export interface KeywordHit extends RerankedNote {
  readonly id: string;
}

/** A word that was matched, as the vault spells it. A snippet shows the words that say most. */
export interface MatchedWord {
  readonly word: string;
  /** The number of the query's word that it is a form of. */
  readonly term: number;
  /** Weight of the word: rarer words in the vault weigh more. */
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
  /** The notes that pass the filters; null for all. */
  readonly allowed: NoteMasks | null;
}

/** Number of notes beyond the limit that are reranked. */
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
  if (terms.length === 0) {
    const isList = query.clauses.length > 0 || query.excluded.length > 0;
    return { hits: isList ? rankUnscored(segments, allowed, limit) : [], words: [], relaxed, allowed };
  }
  const norms = new LengthNorms(index);
  const passes = segments.map((segment, at) => new FirstPass(segment, allowed?.[at] ?? null));
  addBonuses(passes, query);
  scoreNotes(index, terms, passes, norms);
  const words = matchedWords(terms);
  const candidates = bestCandidates(passes, limit + EXTRA_CANDIDATES);
  for (const pass of passes) pass.release();
  const reranked = rerank(terms, candidates, norms);
  reranked.sort((a, b) => b.score - a.score || newerFirst(a, b));
  const hits = reranked.slice(0, limit).map((hit) => ({ id: hit.segment.id(hit.note), ...hit }));
  return { hits, words, relaxed, allowed };
}

/** Returns the words of all variants; one that is a form of several words of the query belongs to the first. */
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

/** Returns the result of a query without words: all allowed notes score 1, newest first. */
function rankUnscored(segments: readonly Segment[], allowed: NoteMasks | null, limit: number): KeywordHit[] {
  const newest = new BestCandidates(limit, 1);
  segments.forEach((segment, at) => {
    allowed?.[at]?.forEach((bit, note) => {
      if (bit === 1) newest.add({ segment, note, firstPassScore: 1, bonus: 0 });
    });
  });
  return newest.sorted().map(({ segment, note }) => {
    return { id: segment.id(note), segment, note, score: 1, chunk: 0, matches: 1, leastWeight: 1 };
  });
}

/** Scores each allowed note as a whole, from 0 to 1, and adds its bonus. Sets the idf of the terms. */
function scoreNotes(
  { noteCount }: VaultIndex,
  terms: readonly QueryTerm[],
  passes: readonly FirstPass[],
  norms: LengthNorms,
): void {
  for (const term of terms) {
    let matching = 0;
    for (const pass of passes) matching += pass.read(term.variants, norms);
    term.idf = term.share * inverseDocumentFrequency(matching, noteCount);
    for (const pass of passes) pass.score(term.idf);
  }
  const idfs = terms.reduce((sum, { idf }) => sum + idf, 0);
  const contentWords = terms.filter(({ share }) => share === 1).length;
  for (const pass of passes) pass.finish(idfs, contentWords);
}

/** Returns the notes of the highest scores, best first; of equal scores the newer note first. */
function bestCandidates(passes: readonly FirstPass[], count: number): Candidate[] {
  const best = new BestCandidates(count, thresholdOf(passes, count));
  for (const pass of passes) {
    pass.each((note, firstPassScore, bonus) => {
      if (firstPassScore >= best.threshold) best.add({ segment: pass.segment, note, firstPassScore, bonus });
    });
  }
  return best.sorted();
}

/** Returns the lowest of the `count` highest scores; 0 when there are fewer. */
function thresholdOf(passes: readonly FirstPass[], count: number): number {
  const best = new TopK(count);
  let threshold = 0;
  for (const pass of passes) {
    pass.each((note, score) => {
      if (score <= threshold) return;
      best.push(note, score);
      threshold = Math.max(0, best.threshold);
    });
  }
  return threshold;
}

/** Keeps the best of the candidates that are added. Any number of notes may score exactly the threshold. */
class BestCandidates {
  readonly threshold: number;
  readonly #count: number;
  #candidates: Candidate[] = [];

  constructor(count: number, threshold: number) {
    this.#count = count;
    this.threshold = threshold;
  }

  add(candidate: Candidate): void {
    this.#candidates.push(candidate);
    if (this.#candidates.length >= this.#count * CANDIDATE_SLACK) this.sorted();
  }

  /** Drops all but the best, and returns these, best first. */
  sorted(): Candidate[] {
    this.#candidates.sort((a, b) => b.firstPassScore - a.firstPassScore || newerFirst(a, b));
    this.#candidates = this.#candidates.slice(0, this.#count);
    return this.#candidates;
  }
}

/** Maximum number of titles that begin with the typed text. */
const MAX_TITLES = 32;
/** Fewer letters begin too many titles. */
const MIN_TITLE_START = 3;
const MIN_UNSPACED_START = 2;

/**
 * Gives notes as a bonus the share of the distance to the best score that they gain: the title is the query or begins
 * with it, or the note has a tag of the query.
 */
function addBonuses(passes: readonly FirstPass[], query: Query): void {
  const add = (term: string, bonus: number) => {
    for (const pass of passes) {
      const reader = pass.segment.postings(term);
      while (reader?.next()) pass.addBonus(reader.note, bonus);
    }
  };
  for (const tag of query.tags) add(tagTerm(tag), PARAMETERS.tag);
  const words = [...query.words, ...query.phrases.flatMap((phrase) => phrase.words)].map(({ word }) => word);
  if (words.length === 0) return;
  const whole = titleTerm(words);
  add(whole, PARAMETERS.wholeTitle);
  const least = words.some(isUnspaced) ? MIN_UNSPACED_START : MIN_TITLE_START;
  if (!query.lastWordIncomplete || words.join('').length < least) return;
  let left = MAX_TITLES;
  for (const title of prefixTerms(
    passes.map(({ segment }) => segment),
    whole,
  )) {
    if (title !== whole) add(title, PARAMETERS.titleStart);
    if (--left === 0) break;
  }
}
