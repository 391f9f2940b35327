import type { Quantized } from './quantize.ts';
import { SignBits } from './sign-bits.ts';
import { TopRows } from './top-rows.ts';

/** A chunk that is near the query. */
export interface VectorHit {
  readonly note: number;
  /** The chunk's place in its note, from 0. */
  readonly chunk: number;
  /** Cosine, -1 to 1. */
  readonly score: number;
}

/** From this many chunks on, bits choose whose bytes are read; more, when most of the query's numbers are 0. */
const PREFILTER_FROM = 5000;
/** Of the chunks whose bits look best, this many times those asked for are compared exactly, and at least LEAST. */
const CANDIDATES_EACH = 8;
const CANDIDATES_LEAST = 1000;
/** A mean is taken out when its square is at least this share of the variance. */
const MEAN_COUNTS = 1;
const GONE = -1;

/**
 * All vectors of a vault in memory, searched by comparing the query with each. Notes are numbers that the caller gives
 * them, small ones: an array of them is indexed by such a number.
 */
export class VectorMatrix {
  readonly dimensions: number;
  #values: Int8Array;
  #scales: Float32Array;
  #notes: Int32Array;
  #chunks: Uint16Array;
  /** Rows in use, those of removed notes included. */
  #rows = 0;
  #gone = 0;
  /** The first row of each note and how many it has: a note's rows stand together. */
  readonly #places = new Map<number, { first: number; count: number }>();
  #bits: SignBits | null = null;
  /** The rows that the means of `#bits` were taken from. */
  #meansOf = 0;

  constructor(dimensions: number) {
    this.dimensions = dimensions;
    this.#values = new Int8Array(0);
    this.#scales = new Float32Array(0);
    this.#notes = new Int32Array(0);
    this.#chunks = new Uint16Array(0);
  }

  /** Chunks that can be found. */
  get size(): number {
    return this.#rows - this.#gone;
  }

  get notes(): number {
    return this.#places.size;
  }

  /** Memory held, in bytes. */
  get bytes(): number {
    const arrays = [this.#values, this.#scales, this.#notes, this.#chunks];
    return arrays.reduce((sum, array) => sum + array.byteLength, this.#bits?.bytes ?? 0) + this.#places.size * 64;
  }

  has(note: number): boolean {
    return this.#places.has(note);
  }

  /** Puts a note's vectors in place of those it had. */
  set(note: number, { dimensions, values, scales }: Quantized): void {
    if (dimensions !== this.dimensions)
      throw new RangeError(`vectors of ${dimensions} dimensions among ${this.dimensions}`);
    this.delete(note);
    const count = scales.length;
    if (count === 0) return;
    this.#reserve(count);
    const first = this.#rows;
    this.#values.set(values, first * dimensions);
    this.#scales.set(scales, first);
    for (let chunk = 0; chunk < count; chunk++) {
      this.#notes[first + chunk] = note;
      this.#chunks[first + chunk] = chunk;
    }
    this.#rows += count;
    this.#places.set(note, { first, count });
    if (this.#bits !== null) this.#bits.set(first, this.#rows, this.#values, this.#scales);
  }

  delete(note: number): void {
    const place = this.#places.get(note);
    if (place === undefined) return;
    this.#notes.fill(GONE, place.first, place.first + place.count);
    this.#places.delete(note);
    this.#gone += place.count;
    // Removed rows cost a look at every search; moving the others together costs about as much as one.
    if (this.#gone > 256 && this.#gone * 4 > this.#rows) this.#compact();
  }

  /**
   * The `count` chunks nearest to the query, best first.
   *
   * @param allowed 1 for each note that may be found; null: all.
   */
  search(query: Float32Array, count: number, allowed: Uint8Array | null = null): VectorHit[] {
    if (query.length !== this.dimensions) throw new RangeError('the query is of another space');
    const rows = this.#allowedRows(allowed);
    const best = new TopRows(count);
    // A query of few words has few numbers: those of the builtin embedder have 3 to 50 of 512.
    const used = placesIn(query);
    const few = rows.length * used.length < PREFILTER_FROM * query.length;
    let { floor } = best;
    for (const row of few ? rows : this.#likely(query, count, rows)) {
      const score = used.length * 4 < query.length ? this.#sparseDot(query, used, row) : this.#dot(query, row);
      if (score <= floor) continue;
      best.push(row, score);
      floor = best.floor;
    }
    return best
      .sorted()
      .map(({ row, score }) => ({ note: this.#notes[row] ?? 0, chunk: this.#chunks[row] ?? 0, score }));
  }

  /** A note's vector, or null when it has none: of the given chunk, scaled to length 1. */
  vectorOf(note: number, chunk: number): Float32Array | null {
    const place = this.#places.get(note);
    if (place === undefined || chunk >= place.count) return null;
    const row = place.first + chunk;
    const scale = this.#scales[row] ?? 0;
    const base = row * this.dimensions;
    return Float32Array.from(this.#values.subarray(base, base + this.dimensions), (value) => value * scale);
  }

  #allowedRows(allowed: Uint8Array | null): Int32Array {
    const rows = new Int32Array(this.size);
    let count = 0;
    const notes = this.#notes;
    for (let row = 0; row < this.#rows; row++) {
      const note = notes[row] as number;
      if (note !== GONE && (allowed === null || allowed[note] === 1)) rows[count++] = row;
    }
    return rows.subarray(0, count);
  }

  /** The rows whose bits look best, in order of their rows. */
  #likely(query: Float32Array, count: number, rows: Int32Array): Int32Array {
    const estimates = this.#freshBits().estimates(query, rows);
    const likely = new TopRows(Math.max(CANDIDATES_LEAST, count * CANDIDATES_EACH));
    let floor = likely.floor;
    for (let index = 0; index < rows.length; index++) {
      const score = estimates[index] as number;
      if (score <= floor) continue;
      likely.push(rows[index] as number, score);
      floor = likely.floor;
    }
    return likely.rows().sort();
  }

  #dot(query: Float32Array, row: number): number {
    const base = row * this.dimensions;
    const values = this.#values;
    const pairs = query.length - (query.length % 2);
    let even = 0;
    let odd = 0;
    for (let at = 0; at < pairs; at += 2) {
      even += (query[at] as number) * (values[base + at] as number);
      odd += (query[at + 1] as number) * (values[base + at + 1] as number);
    }
    if (pairs < query.length) even += (query[pairs] as number) * (values[base + pairs] as number);
    return (even + odd) * (this.#scales[row] as number);
  }

  /** As `#dot`, of a query that is 0 but in some places. */
  #sparseDot(query: Float32Array, used: Int32Array, row: number): number {
    const base = row * this.dimensions;
    const values = this.#values;
    let sum = 0;
    for (let index = 0; index < used.length; index++) {
      const at = used[index] as number;
      sum += (query[at] as number) * (values[base + at] as number);
    }
    return sum * (this.#scales[row] as number);
  }

  /** The bits, made when they are first needed and again when the vault has doubled: its means may have moved. */
  #freshBits(): SignBits {
    if (this.#bits !== null && this.#rows <= 2 * this.#meansOf) return this.#bits;
    const bits = new SignBits(this.dimensions, this.#means());
    bits.set(0, this.#rows, this.#values, this.#scales);
    this.#bits = bits;
    this.#meansOf = this.#rows;
    return bits;
  }

  /**
   * The mean of each dimension, 0 where it is small against how much the dimension varies: taking that out would gain
   * little, and make a query of few words, which is zero in most dimensions, say something about all of them.
   */
  #means(): Float32Array {
    const sums = new Float64Array(this.dimensions);
    const squares = new Float64Array(this.dimensions);
    for (let row = 0; row < this.#rows; row++) {
      const scale = this.#scales[row] ?? 0;
      const base = row * this.dimensions;
      for (let at = 0; at < this.dimensions; at++) {
        const value = (this.#values[base + at] ?? 0) * scale;
        sums[at] = (sums[at] ?? 0) + value;
        squares[at] = (squares[at] ?? 0) + value * value;
      }
    }
    const count = Math.max(1, this.#rows);
    return Float32Array.from(sums, (sum, at) => {
      const mean = sum / count;
      const variance = (squares[at] ?? 0) / count - mean * mean;
      return mean * mean < MEAN_COUNTS * variance ? 0 : mean;
    });
  }

  #reserve(more: number): void {
    const needed = this.#rows + more;
    if (needed <= this.#notes.length) return;
    const capacity = Math.max(64, Math.ceil(needed * 1.5));
    this.#values = grown(this.#values, new Int8Array(capacity * this.dimensions));
    this.#scales = grown(this.#scales, new Float32Array(capacity));
    this.#notes = grown(this.#notes, new Int32Array(capacity));
    this.#chunks = grown(this.#chunks, new Uint16Array(capacity));
  }

  /** Moves what is left to the front. */
  #compact(): void {
    const dimensions = this.dimensions;
    let to = 0;
    for (let row = 0; row < this.#rows; row++) {
      const note = this.#notes[row] ?? GONE;
      if (note === GONE) continue;
      if (to < row) {
        this.#values.copyWithin(to * dimensions, row * dimensions, (row + 1) * dimensions);
        this.#scales[to] = this.#scales[row] ?? 0;
        this.#notes[to] = note;
        this.#chunks[to] = this.#chunks[row] ?? 0;
      }
      const place = this.#places.get(note);
      if (place !== undefined && this.#chunks[to] === 0) place.first = to;
      to++;
    }
    this.#rows = to;
    this.#gone = 0;
    // Bits stand at the rows they had: made again at the next search.
    this.#bits = null;
    this.#meansOf = 0;
  }
}

/** Where a query's numbers are not 0. */
function placesIn(query: Float32Array): Int32Array {
  return Int32Array.from(query.keys()).filter((at) => query[at] !== 0);
}

function grown<Values extends { set(values: Values): void }>(from: Values, to: Values): Values {
  to.set(from);
  return to;
}
