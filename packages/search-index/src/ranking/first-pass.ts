import type { PostingsReader } from '../index/postings.ts';
import type { Segment } from '../index/segment.ts';
import type { TermVariant } from '../query/query-expansion.ts';
import { coverageFactor, type LengthNorms, PARAMETERS, qualityOf, saturate } from './bm25f.ts';

/** Numbers for each note of a segment, all 0 between queries. */
class NoteNumbers {
  readonly capacity: number;
  readonly scores: Float64Array;
  readonly bonuses: Float64Array;
  /** The sum of the idfs of a note's terms, each by how well it matches. */
  readonly covered: Float64Array;
  /** Frequencies of the term read last. */
  readonly frequencies: Float64Array;
  readonly weights: Float64Array;
  /** Lists of notes: those with a score or a bonus, and those that have the last term. */
  readonly touched: Int32Array;
  readonly matching: Int32Array;

  constructor(capacity: number) {
    this.capacity = capacity;
    const numbers = () => new Float64Array(capacity);
    [this.scores, this.bonuses, this.covered] = [numbers(), numbers(), numbers()];
    [this.frequencies, this.weights] = [numbers(), numbers()];
    [this.touched, this.matching] = [new Int32Array(capacity), new Int32Array(capacity)];
  }
}

/**
 * Numbers that no query uses, the smallest first. Clearing what a query touched costs less than allocating for all notes,
 * and a thread runs one query at a time.
 */
const free: NoteNumbers[] = [];
const MAX_FREE = 8;
/** Numbers for more notes take tens of megabytes, which are not kept. */
const MAX_FREE_CAPACITY = 2 ** 19;

function numbersFor(size: number): NoteNumbers {
  const at = free.findIndex(({ capacity }) => capacity >= size);
  const [found] = at < 0 ? [] : free.splice(at, 1);
  return found ?? new NoteNumbers(2 ** Math.ceil(Math.log2(Math.max(64, size))));
}

/** Scores the notes of one segment as a whole, term by term. Costs nothing for notes without a term. */
export class FirstPass {
  readonly segment: Segment;
  readonly #allowed: Uint8Array | null;
  readonly #numbers: NoteNumbers;
  #touched = 0;
  #matching = 0;

  /** @param allowed 1 for each note that may be found; null for all live notes. */
  constructor(segment: Segment, allowed: Uint8Array | null) {
    this.segment = segment;
    this.#allowed = allowed;
    this.#numbers = numbersFor(segment.size);
  }

  #isAllowed(note: number): boolean {
    return this.#allowed === null ? this.segment.deleted[note] !== 1 : this.#allowed[note] === 1;
  }

  /** Gives a note a bonus, unless it has a larger one. */
  addBonus(note: number, bonus: number): void {
    const { bonuses, touched } = this.#numbers;
    const before = bonuses[note] as number;
    if (bonus <= before || !this.#isAllowed(note)) return;
    if (before === 0) touched[this.#touched++] = note;
    bonuses[note] = bonus;
  }

  /** Adds up the weighted frequency of the variants of a term in each live note, and returns how many notes have it. */
  read(variants: readonly TermVariant[], norms: LengthNorms): number {
    const { segment } = this;
    const { deleted } = segment;
    const { frequencies, weights, matching } = this.#numbers;
    let count = 0;
    for (const { term, weight, namesOnly } of variants) {
      const reader = segment.postings(term);
      while (reader?.next()) {
        const { note } = reader;
        if (deleted[note] === 1) continue;
        const inNames = namesFrequency(reader, segment, norms);
        const weighted = weight * (namesOnly ? inNames : inNames + reader.body / norms.body(segment.bodyWords(note)));
        if (weighted === 0) continue;
        const before = frequencies[note] as number;
        if (before === 0) matching[count++] = note;
        frequencies[note] = before + weighted;
        if (weight > (weights[note] as number)) weights[note] = weight;
      }
    }
    this.#matching = count;
    return count;
  }

  /** Adds the term that was read to the scores, and makes room for the next. */
  score(idf: number): void {
    const { scores, bonuses, covered, frequencies, weights, touched, matching } = this.#numbers;
    const allowed = this.#allowed;
    let [lastWeight, quality] = [1, 1];
    for (let at = 0; at < this.#matching; at++) {
      const note = matching[at] as number;
      const weight = weights[note] as number;
      if (weight !== lastWeight) [lastWeight, quality] = [weight, qualityOf(weight)];
      // Deleted notes were not read.
      if (allowed === null || allowed[note] === 1) {
        const before = scores[note] as number;
        if (before === 0 && bonuses[note] === 0) touched[this.#touched++] = note;
        scores[note] = before + idf * saturate(frequencies[note] as number) * quality;
        covered[note] = (covered[note] as number) + idf * weight;
      }
      frequencies[note] = 0;
      weights[note] = 0;
    }
  }

  /**
   * Scales the scores to at most 1 and adds the bonuses: candidates are chosen in this order, because a title may begin
   * with the query and have none of its words.
   */
  finish(idfs: number, contentWords: number): void {
    const { scores, bonuses, covered, touched } = this.#numbers;
    const best = idfs * (PARAMETERS.k1 + 1);
    for (let at = 0; at < this.#touched; at++) {
      const note = touched[at] as number;
      const score = scores[note] as number;
      const scaled = score === 0 ? 0 : (score / best) * coverageFactor((covered[note] as number) / idfs, contentWords);
      scores[note] = scaled + (bonuses[note] as number);
    }
  }

  /** Calls `visit` for each note with a score or a bonus, in no order. */
  each(visit: (note: number, score: number, bonus: number) => void): void {
    const { scores, bonuses, touched } = this.#numbers;
    for (let at = 0; at < this.#touched; at++) {
      const note = touched[at] as number;
      visit(note, scores[note] as number, bonuses[note] as number);
    }
  }

  /** Lets the next query use the memory. Nothing may be called afterwards. */
  release(): void {
    const { scores, bonuses, covered, touched, capacity } = this.#numbers;
    for (let at = 0; at < this.#touched; at++) {
      const note = touched[at] as number;
      scores[note] = 0;
      bonuses[note] = 0;
      covered[note] = 0;
    }
    if (free.length >= MAX_FREE || capacity > MAX_FREE_CAPACITY) return;
    free.push(this.#numbers);
    free.sort((a, b) => a.capacity - b.capacity);
  }
}

/** Returns the weighted frequency in title, headings and labels. */
function namesFrequency({ title, heading, label, note }: PostingsReader, segment: Segment, norms: LengthNorms): number {
  if (title + heading + label === 0) return 0;
  const inTitle = title === 0 ? 0 : (PARAMETERS.title * title) / norms.title(segment.titleWords(note));
  return inTitle + PARAMETERS.heading * heading + PARAMETERS.label * label;
}
