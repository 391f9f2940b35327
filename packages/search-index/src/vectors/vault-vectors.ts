import type { NoteInfo } from '../analysis/analyzer.ts';
import type { VectorChunk } from '../analysis/passages.ts';
import type { VaultIndex } from '../index/vault-index.ts';
import type { NoteMasks } from '../query/search-filter.ts';
import { isSameTitle, type NoteVectors } from './note-vectors.ts';
import { VectorMatrix } from './vector-matrix.ts';

/** A note near a query. */
export interface VectorHit {
  readonly id: string;
  /** Cosine of its nearest chunk. */
  readonly score: number;
  readonly location: ChunkLocation;
  /** Number of its chunks near the query. */
  readonly matches: number;
}

/** The position and headings of a chunk in its note. */
export interface ChunkLocation {
  /** Start and end of the chunk, as UTF-16 offsets in the content. */
  readonly start: number;
  readonly end: number;
  /** The headings above it. */
  readonly heading: string;
}

/**
 * Margin above the mean similarity that counts as chance, as a share of the distance to 1. Tuned on the golden set, see
 * docs/search.md.
 */
const CHANCE_MARGIN = 0.1;
/**
 * Number of assumed chunks with cosine 0 added to a vault's chunks, because in a small vault most chunks may be near a
 * query.
 */
const UNRELATED_CHUNKS = 10;

/** A note that has vectors. */
interface Entry {
  /** Its number in the matrix. */
  readonly number: number;
  /** The note's version and title from which the vectors were made. */
  readonly version: number;
  readonly title: string;
  readonly chunks: readonly VectorChunk[];
  /**
   * Whether the index is known to hold the same version and title; reading these for hundreds of notes takes
   * milliseconds.
   */
  isCurrent: boolean;
}

/** Memory that an entry takes, approximately. */
const BYTES_PER_ENTRY = 400;
/** A note has several chunks, so the search looks for this many times the wanted number of notes. */
const CHUNKS_PER_NOTE = 4;

/**
 * The vectors of one vault and one model. They may be older or newer than the index: a note is found only when its vectors
 * were made of the version and title that the index holds.
 */
export class VaultVectors {
  readonly model: string;
  /** The vseq up to which the vectors are complete. */
  vseq = 0;
  #matrix: VectorMatrix | null = null;
  readonly #entries = new Map<string, Entry>();
  /** Ids by their number in the matrix. */
  readonly #ids: string[] = [];
  readonly #freeNumbers: number[] = [];

  constructor(model: string) {
    this.model = model;
  }

  /** Memory in bytes, approximately. */
  get bytes(): number {
    return (this.#matrix?.bytes ?? 0) + this.#entries.size * BYTES_PER_ENTRY;
  }

  /** Sets the vectors of a note's version. Throws RangeError when their dimensions are not those of the other notes. */
  put(id: string, version: number, { title, chunks, vectors }: NoteVectors): void {
    this.remove(id);
    this.#matrix ??= new VectorMatrix(vectors.dimensions);
    const number = this.#freeNumbers.pop() ?? this.#ids.length;
    this.#matrix.set(number, vectors);
    this.#ids[number] = id;
    this.#entries.set(id, { number, version, title, chunks, isCurrent: false });
  }

  remove(id: string): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    this.#matrix?.delete(entry.number);
    this.#entries.delete(id);
    this.#freeNumbers.push(entry.number);
  }

  /** Drops the vectors of a note that was written, unless they were made of this version or a later one. */
  noteWritten(id: string, info: Pick<NoteInfo, 'version' | 'title'>): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    entry.isCurrent = isMadeOf(entry, info);
    if (entry.version <= info.version && !entry.isCurrent) this.remove(id);
  }

  /**
   * Returns the cosine with a query up to which chunks are near it by chance: somewhat above the mean of all chunks,
   * which lies at 0 for some models and at 0.7 for others, and is higher for queries about what most notes are about.
   */
  chanceLevel(vector: Float32Array, margin = CHANCE_MARGIN): number {
    if (this.#matrix === null || this.#matrix.dimensions !== vector.length) return 0;
    const mean = Math.max(0, this.#matrix.sumOfCosines(vector) / (this.#matrix.size + UNRELATED_CHUNKS));
    return mean + margin * (1 - mean);
  }

  /** Returns whether the vectors of a note are in memory, made of the note as the index has it. */
  has(index: VaultIndex, id: string): boolean {
    return this.#isCurrent(index, id);
  }

  /**
   * Returns the notes nearest to a vector, best first.
   *
   * @param allowed the notes that may be found; null for all.
   * @param minCosine notes must score above this.
   */
  nearest(
    index: VaultIndex,
    vector: Float32Array,
    count: number,
    allowed: NoteMasks | null,
    minCosine: number,
  ): VectorHit[] {
    if (this.#matrix === null || this.#matrix.dimensions !== vector.length) return [];
    const mask = allowed === null ? null : this.#maskOf(index, allowed);
    const found = new Map<string, { score: number; location: ChunkLocation; matches: number }>();
    for (const { note, chunk, score } of this.#matrix.search(vector, count * CHUNKS_PER_NOTE, mask)) {
      if (score <= minCosine) break;
      const id = this.#ids[note] ?? '';
      const hit = found.get(id);
      if (hit !== undefined) hit.matches += 1;
      else if (found.size < count && this.#isCurrent(index, id))
        found.set(id, { score, location: this.#locationOf(id, chunk), matches: 1 });
    }
    return [...found].map(([id, { score, location, matches }]) => ({ id, score, location, matches }));
  }

  #locationOf(id: string, chunk: number): ChunkLocation {
    const chunks = this.#entries.get(id)?.chunks ?? [];
    const { end = 0, heading = '' } = chunks[chunk] ?? {};
    return { start: chunks[chunk - 1]?.end ?? 0, end, heading };
  }

  /**
   * Returns the vector of the chunk at a UTF-16 offset of a note; null when there is none of the note as the index
   * holds it.
   */
  vectorAt(index: VaultIndex, id: string, offset: number): Float32Array | null {
    const entry = this.#entries.get(id);
    if (entry === undefined || this.#matrix === null || !this.#isCurrent(index, id)) return null;
    const chunk = entry.chunks.findIndex(({ end }) => offset < end);
    return this.#matrix.vectorOf(entry.number, Math.max(0, chunk));
  }

  /** Returns the allowed notes by their numbers in the matrix. */
  #maskOf(index: VaultIndex, allowed: NoteMasks): Uint8Array {
    const maskOfSegment = new Map(index.segments.map((segment, at) => [segment, allowed[at]]));
    const mask = new Uint8Array(this.#ids.length);
    for (const [id, { number }] of this.#entries) {
      const location = index.find(id);
      if (location !== undefined) mask[number] = maskOfSegment.get(location.segment)?.[location.note] ?? 0;
    }
    return mask;
  }

  #isCurrent(index: VaultIndex, id: string): boolean {
    const location = index.find(id);
    const entry = this.#entries.get(id);
    if (location === undefined || entry === undefined) return false;
    entry.isCurrent ||= isMadeOf(entry, location.segment.info(location.note));
    return entry.isCurrent;
  }
}

function isMadeOf(entry: Entry, { version, title }: Pick<NoteInfo, 'version' | 'title'>): boolean {
  return entry.version === version && isSameTitle(entry.title, title);
}
