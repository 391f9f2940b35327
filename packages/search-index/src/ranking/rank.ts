import { isFunctionWord } from '@notevault/note-text/words/languages.ts';
import { wordOf } from './analyse.ts';
import { type Candidate, type CloseHit, closeScores } from './close-look.ts';
import { exactTerms, expandWord, type Variant } from './expand.ts';
import { allowedNotes, type Masks, type Narrowing } from './filters.ts';
import type { PostingsReader } from './postings.ts';
import type { Query } from './query.ts';
import { Norms, saturated, scoring, type Term } from './scoring.ts';
import type { Segment } from './segment.ts';
import { TopRows } from './top-rows.ts';
import type { VaultIndex } from './vault-index.ts';

/** A note that a query finds by its words. */
export interface WordHit extends Omit<CloseHit, 'segment' | 'note'> {
  readonly id: string;
}

export interface Ranking {
  /** Best first; equal scores: the newer id first. */
  readonly hits: readonly WordHit[];
  /** The words that were looked for, as the vault spells them: what a snippet marks. */
  readonly words: readonly string[];
}

/** So many notes beyond the limit are looked at closely. */
const closeLooks = 40;

/** Ranks the notes of a vault by the words of a query. */
export function rank(index: VaultIndex, query: Query, narrow: Narrowing, limit: number): Ranking {
  const allowed = allowedNotes(index, query, narrow);
  const terms = termsOf(index, query);
  const words = [...new Set(terms.flatMap(({ variants }) => variants.map(({ term }) => wordOf(term))))];
  if (terms.length === 0) return { hits: onlyFiltered(index, query, allowed, limit), words };
  const scores = roughScores(index, terms, allowed);
  const best = terms.reduce((sum, { idf }) => sum + idf * (scoring.k1 + 1), 0);
  const candidates = pick(index.segments, scores, limit + closeLooks);
  const hits = closeScores(index, terms, candidates, best);
  hits.sort((a, b) => b.score - a.score || newerFirst(a, b));
  return {
    hits: hits.slice(0, limit).map(({ segment, note, ...hit }) => ({ id: segment.id(note), ...hit })),
    words,
  };
}

type Placed = Pick<CloseHit, 'segment' | 'note'>;

/** Of equal scores the newer note, by its id, so that it does not matter how notes lie in segments. */
function newerFirst(a: Placed, b: Placed): number {
  return a.segment.id(a.note) < b.segment.id(b.note) ? 1 : -1;
}

function termsOf(index: VaultIndex, query: Query): Term[] {
  const last = query.words.length - 1;
  const meaningful = query.phrases.length > 0 || !query.words.every(isFunctionWord);
  const terms: Term[] = query.words.map((word, at) => ({
    variants: expandWord(index, word, query.typing && at === last),
    share: meaningful && isFunctionWord(word) ? scoring.functionWord : 1,
    idf: 0,
  }));
  for (const word of new Set(query.phrases.flat())) {
    if (query.words.includes(word)) continue;
    const variants = exactTerms(index.segments, word).map((term) => ({ term, weight: 1, namesOnly: false }));
    terms.push({ variants, share: 1, idf: 0 });
  }
  return terms;
}

/** Without words all that is allowed is as good: newest first. */
function onlyFiltered(index: VaultIndex, query: Query, allowed: Masks, limit: number): WordHit[] {
  if (query.filters.length === 0 && query.excluded.length === 0) return [];
  const scores = allowed.map((mask) => Float64Array.from(mask));
  return pick(index.segments, scores, limit).map(({ segment, note }) => ({
    ...{ id: segment.id(note), score: 1, chunk: 0, matches: 1 },
  }));
}

/** The score of each allowed note, taken as a whole; sets the terms' rarity. */
function roughScores(index: VaultIndex, terms: readonly Term[], allowed: Masks): Float64Array[] {
  const { segments, notes } = index;
  const scores = segments.map(({ size }) => new Float64Array(size));
  const frequencies = segments.map(({ size }) => new Float64Array(size));
  const norms = new Norms(index);
  for (const term of terms) {
    let found = 0;
    const touched = segments.map((segment, at) => {
      const frequency = frequencies[at] ?? new Float64Array();
      const own = frequenciesOf(segment, term.variants, norms, frequency);
      found += own.length;
      return own;
    });
    term.idf = term.share * Math.log(1 + (notes - found + 0.5) / (found + 0.5));
    touched.forEach((own, at) => {
      const [frequency, score, mask] = [frequencies[at], scores[at], allowed[at]];
      if (frequency === undefined || score === undefined || mask === undefined) return;
      for (const note of own) {
        const tf = frequency[note] ?? 0;
        frequency[note] = 0;
        if (mask[note] === 1) score[note] = (score[note] ?? 0) + term.idf * saturated(tf);
      }
    });
  }
  return scores;
}

/** Adds up how often the variants stand in each live note; resolves to the notes that have any. */
function frequenciesOf(
  segment: Segment,
  variants: readonly Variant[],
  norms: Norms,
  frequency: Float64Array,
): number[] {
  const touched: number[] = [];
  const { dead } = segment;
  for (const { term, weight, namesOnly } of variants) {
    const reader = segment.postings(term);
    while (reader?.next()) {
      const { note } = reader;
      if (dead[note] === 1) continue;
      const names = namesFrequency(reader, segment, norms);
      const tf = weight * (namesOnly ? names : names + reader.body / norms.body(segment.bodyWords(note)));
      if (tf === 0) continue;
      const before = frequency[note] ?? 0;
      if (before === 0) touched.push(note);
      frequency[note] = before + tf;
    }
  }
  return touched;
}

function namesFrequency({ title, heading, label, note }: PostingsReader, segment: Segment, norms: Norms): number {
  if (title + heading + label === 0) return 0;
  const inTitle = title === 0 ? 0 : (scoring.title * title) / norms.title(segment.titleWords(note));
  return inTitle + scoring.heading * heading + scoring.label * label;
}

/** The notes of the highest scores, best first; of equal ones the newer. */
function pick(segments: readonly Segment[], scores: readonly Float64Array[], count: number): Candidate[] {
  const least = leastOf(scores, count);
  let kept: Candidate[] = [];
  const shrink = () => {
    kept.sort((a, b) => b.rough - a.rough || newerFirst(a, b));
    kept = kept.slice(0, count);
  };
  segments.forEach((segment, at) => {
    const own = scores[at] ?? new Float64Array();
    for (let note = 0; note < own.length; note++) {
      const rough = own[note] as number;
      if (rough === 0 || rough < least) continue;
      kept.push({ segment, at, note, rough });
      // Many may have the least score.
      if (kept.length >= count * 4) shrink();
    }
  });
  shrink();
  return kept;
}

/** The least of the `count` highest scores. */
function leastOf(scores: readonly Float64Array[], count: number): number {
  const best = new TopRows(count);
  let floor = 0;
  for (const own of scores) {
    for (let note = 0; note < own.length; note++) {
      const score = own[note] as number;
      if (score <= floor) continue;
      best.push(note, score);
      floor = Math.max(0, best.floor);
    }
  }
  return floor;
}
