import type { NoteInfo } from '../analysis/analyzer.ts';
import { stemKeys } from '../analysis/terms.ts';
import { type FactArrays, FrozenFacts } from './columns.ts';
import { type FuzzyMatch, FuzzyMatcher, SIGNATURE_BYTES } from './fuzzy.ts';
import { countIds, idAt } from './note-ids.ts';
import { PackedTexts, startOf } from './packed-texts.ts';
import { PostingsReader, PostingsSkips } from './postings.ts';
import type { Segment, TermList } from './segment.ts';

/** The arrays of a frozen segment. They can be stored; see segment-codec.ts. */
export interface SegmentArrays extends FactArrays {
  /** 16 bytes for each note. */
  readonly ids: Uint8Array;
  /** Each note's path, and where it ends. */
  readonly paths: Uint8Array;
  readonly pathEnds: Uint32Array;
  /** Each note's NoteInfo without its path as JSON, and where it ends. */
  readonly infos: Uint8Array;
  readonly infoEnds: Uint32Array;
  /** The position of the first word of each chunk, and where each note's chunks end. */
  readonly chunkPositions: Uint32Array;
  readonly chunkEnds: Uint32Array;
  readonly bodyWords: Uint32Array;
  readonly titleWords: Uint32Array;
  readonly created: Float64Array;
  readonly timestamps: Float64Array;
  /** Sorted terms, see packTexts. */
  readonly terms: Uint8Array;
  readonly termEnds: Uint32Array;
  /** Each term's postings, and where they end. */
  readonly postings: Uint8Array;
  readonly postingEnds: Uint32Array;
  /** Sorted stem keys, see packTexts; the indexes of each one's terms, and where these end. */
  readonly stems: Uint8Array;
  readonly stemEnds: Uint32Array;
  readonly stemTerms: Uint32Array;
  readonly stemTermEnds: Uint32Array;
  /** 16 bytes for each deleted note. */
  readonly tombstones: Uint8Array;
}

const decoder = new TextDecoder();
const MAX_KNOWN_INDEXES = 512;
/** Shorter postings have nothing to skip. */
const MIN_BYTES_TO_SKIP = 1024;

/** A segment to which no more notes are added. */
export class FrozenSegment implements Segment {
  readonly arrays: SegmentArrays;
  readonly size: number;
  readonly deleted: Uint8Array;
  deletedCount = 0;
  readonly tombstones: readonly string[];
  readonly terms: TermList;
  readonly facts: FrozenFacts;
  readonly bytes: number;
  readonly #stems: TermList;
  /** The index of each term that was looked up lately; -1 where there is none. One search looks up a term several times. */
  readonly #indexes = new Map<string, number>();
  readonly #skips = new Map<number, PostingsSkips>();
  #fuzzyMatcher: FuzzyMatcher | undefined;

  constructor(arrays: SegmentArrays) {
    this.arrays = arrays;
    this.size = countIds(arrays.ids);
    this.deleted = new Uint8Array(this.size);
    this.tombstones = Array.from({ length: countIds(arrays.tombstones) }, (_, index) => idAt(arrays.tombstones, index));
    this.terms = new PackedTexts(arrays.terms, arrays.termEnds);
    this.facts = new FrozenFacts(arrays);
    this.#stems = new PackedTexts(arrays.stems, arrays.stemEnds);
    // PackedTexts also keeps the texts as strings, mostly with one byte per letter.
    const texts = arrays.terms.length + arrays.stems.length + this.terms.length * SIGNATURE_BYTES;
    this.bytes = Object.values(arrays).reduce(
      (sum, array: ArrayBufferView) => sum + array.byteLength,
      this.size + texts,
    );
  }

  markDeleted(note: number): void {
    if (this.deleted[note] === 1) return;
    this.deleted[note] = 1;
    this.deletedCount++;
  }

  id(note: number): string {
    return idAt(this.arrays.ids, note);
  }

  info(note: number): NoteInfo {
    const { infos, infoEnds } = this.arrays;
    const json = decoder.decode(infos.subarray(startOf(infoEnds, note), infoEnds[note]));
    return { ...(JSON.parse(json) as Omit<NoteInfo, 'path'>), path: this.path(note) };
  }

  path(note: number): string {
    const { paths, pathEnds } = this.arrays;
    return decoder.decode(paths.subarray(startOf(pathEnds, note), pathEnds[note]));
  }

  chunkPositions(note: number): ArrayLike<number> {
    const { chunkPositions, chunkEnds } = this.arrays;
    return chunkPositions.subarray(startOf(chunkEnds, note), chunkEnds[note]);
  }

  bodyWords(note: number): number {
    return this.arrays.bodyWords[note] ?? 0;
  }
  titleWords(note: number): number {
    return this.arrays.titleWords[note] ?? 0;
  }
  created(note: number): number {
    return this.arrays.created[note] ?? Number.NaN;
  }
  timestamp(note: number): number {
    return this.arrays.timestamps[note] ?? Number.NaN;
  }

  postings(term: string): PostingsReader | null {
    const index = this.#indexOf(term);
    if (index < 0) return null;
    const { postings, postingEnds } = this.arrays;
    const [start, end] = [startOf(postingEnds, index), postingEnds[index] ?? 0];
    return new PostingsReader(postings, start, end, end - start < MIN_BYTES_TO_SKIP ? null : this.#skipsOf(index));
  }

  hasTerm(term: string): boolean {
    return this.#indexOf(term) >= 0;
  }

  #indexOf(term: string): number {
    const known = this.#indexes.get(term);
    if (known !== undefined) return known;
    const found = this.terms.lowerBound(term);
    const index = found < this.terms.length && this.terms.at(found) === term ? found : -1;
    if (this.#indexes.size >= MAX_KNOWN_INDEXES) this.#indexes.clear();
    this.#indexes.set(term, index);
    return index;
  }

  #skipsOf(index: number): PostingsSkips {
    const known = this.#skips.get(index);
    if (known !== undefined) return known;
    const skips = new PostingsSkips();
    this.#skips.set(index, skips);
    return skips;
  }

  fuzzy(word: string, maxEdits: number): FuzzyMatch[] {
    this.#fuzzyMatcher ??= this.#buildFuzzyMatcher();
    return this.#fuzzyMatcher.match(word, maxEdits, (index) => this.terms.at(index));
  }

  #buildFuzzyMatcher(): FuzzyMatcher {
    const matcher = new FuzzyMatcher();
    for (let index = 0; index < this.terms.length; index++) matcher.add(this.terms.at(index));
    return matcher;
  }

  withStem(key: string): readonly string[] {
    const index = this.#stems.lowerBound(key);
    if (index >= this.#stems.length || this.#stems.at(index) !== key) {
      // A word that is its own stem, and has no other form here, is left out of the list.
      return this.postings(key) !== null && stemKeys(key).includes(key) ? [key] : [];
    }
    const { stemTerms, stemTermEnds } = this.arrays;
    const indexes = stemTerms.subarray(startOf(stemTermEnds, index), stemTermEnds[index]);
    return Array.from(indexes, (term) => this.terms.at(term));
  }
}
