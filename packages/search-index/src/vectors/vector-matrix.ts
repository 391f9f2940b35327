import { TopK } from '../top-k.ts';
import { BinaryQuantization } from './binary-quantization.ts';
import type { QuantizedVectors } from './quantize.ts';

/** A chunk that is near the query. */
export interface ChunkHit {
  readonly note: number;
  /** The chunk's number in its note, from 0. */
  readonly chunk: number;
  /** Cosine, -1 to 1. */
  readonly score: number;
}

/**
 * Minimum number of chunks for preselecting candidates by one bit per number. The threshold is higher if most numbers
 * of the query are 0.
 */
const PRESELECT_FROM = 5000;
/** Candidates that are compared exactly: this many for each wanted chunk, and at least MIN_CANDIDATES. */
const CANDIDATES_PER_HIT = 8;
const MIN_CANDIDATES = 1000;
/** A dimension's mean is subtracted when its square is at least this share of the variance. */
const MIN_MEAN_SHARE = 1;
const REMOVED = -1;
/** Removed rows are reclaimed once there are more than this many, and more than a quarter of all. */
const MIN_REMOVED_TO_COMPACT = 256;

/**
 * The vectors of a vault's chunks, one row each, searched by comparing the query with every row. The caller numbers the
 * notes. Numbers should be small, because masks are indexed by them.
 */
export class VectorMatrix {
  readonly dimensions: number;
  #values: Int8Array;
  #scales: Float32Array;
  #notes: Int32Array;
  #chunks: Uint16Array;
  /** Rows in use, including those of removed notes. */
  #rows = 0;
  #removedRows = 0;
  /** The sum of all vectors, which tells how similar a text is to them on average. */
  readonly #sum: Float64Array;
  /** The rows of each note, which are consecutive. */
  readonly #rowsOfNote = new Map<number, { first: number; count: number }>();
  #binary: BinaryQuantization | null = null;
  /** Number of rows from which the means of `#binary` were computed. */
  #rowsInMeans = 0;

  constructor(dimensions: number) {
    this.dimensions = dimensions;
    this.#sum = new Float64Array(dimensions);
    this.#values = new Int8Array(0);
    this.#scales = new Float32Array(0);
    this.#notes = new Int32Array(0);
    this.#chunks = new Uint16Array(0);
  }

  /** Number of chunks. */
  get size(): number {
    return this.#rows - this.#removedRows;
  }

  get noteCount(): number {
    return this.#rowsOfNote.size;
  }

  /** Memory in bytes. */
  get bytes(): number {
    const arrays = [this.#values, this.#scales, this.#notes, this.#chunks];
    return arrays.reduce((sum, array) => sum + array.byteLength, this.#binary?.bytes ?? 0) + this.#rowsOfNote.size * 64;
  }

  has(note: number): boolean {
    return this.#rowsOfNote.has(note);
  }

  /** Sets the vectors of a note, one for each chunk. */
  set(note: number, { dimensions, values, scales }: QuantizedVectors): void {
    if (dimensions !== this.dimensions)
      throw new RangeError(`vectors have ${dimensions} dimensions, not ${this.dimensions}`);
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
    this.#rowsOfNote.set(note, { first, count });
    this.#addToSum(first, count, 1);
    if (this.#binary !== null) this.#binary.set(first, this.#rows, this.#values, this.#scales);
  }

  delete(note: number): void {
    const rows = this.#rowsOfNote.get(note);
    if (rows === undefined) return;
    this.#addToSum(rows.first, rows.count, -1);
    this.#notes.fill(REMOVED, rows.first, rows.first + rows.count);
    this.#rowsOfNote.delete(note);
    this.#removedRows += rows.count;
    // Every search skips over removed rows; reclaiming them costs about as much as one search.
    if (this.#removedRows > MIN_REMOVED_TO_COMPACT && this.#removedRows * 4 > this.#rows) this.#compact();
  }

  /** Returns the sum of a query's cosines with all chunks. */
  sumOfCosines(query: Float32Array): number {
    return query.reduce((total, value, at) => total + value * (this.#sum[at] ?? 0), 0);
  }

  #addToSum(first: number, count: number, sign: 1 | -1): void {
    const { dimensions } = this;
    for (let row = first; row < first + count; row++) {
      const scale = sign * (this.#scales[row] as number);
      const base = row * dimensions;
      for (let at = 0; at < dimensions; at++) {
        this.#sum[at] = (this.#sum[at] as number) + scale * (this.#values[base + at] as number);
      }
    }
  }

  /**
   * Returns the `count` chunks nearest to the query, best first.
   *
   * @param allowed 1 for each note that may be found; null for all.
   */
  search(query: Float32Array, count: number, allowed: Uint8Array | null = null): ChunkHit[] {
    if (query.length !== this.dimensions) {
      throw new RangeError(`the query has ${query.length} dimensions, not ${this.dimensions}`);
    }
    const rows = this.#allowedRows(allowed);
    const best = new TopK(count);
    // The builtin embedder gives a short query only 3 to 50 numbers that are not 0, of 512.
    const nonZero = nonZeroDimensions(query);
    const isSparse = nonZero.length * 4 < query.length;
    const compareAll = rows.length * nonZero.length < PRESELECT_FROM * query.length;
    let { threshold } = best;
    for (const row of compareAll ? rows : this.#preselect(query, count, rows)) {
      const score = isSparse ? this.#sparseDot(query, nonZero, row) : this.#dot(query, row);
      if (score <= threshold) continue;
      best.push(row, score);
      threshold = best.threshold;
    }
    return best
      .sorted()
      .map(({ row, score }) => ({ note: this.#notes[row] ?? 0, chunk: this.#chunks[row] ?? 0, score }));
  }

  /** Returns the vector of a note's chunk; null when there is none. */
  vectorOf(note: number, chunk: number): Float32Array | null {
    const rows = this.#rowsOfNote.get(note);
    if (rows === undefined || chunk >= rows.count) return null;
    const row = rows.first + chunk;
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
      if (note !== REMOVED && (allowed === null || allowed[note] === 1)) rows[count++] = row;
    }
    return rows.subarray(0, count);
  }

  /** Returns the rows whose estimated dot product with the query is highest, ascending. */
  #preselect(query: Float32Array, count: number, rows: Int32Array): Int32Array {
    const estimates = this.#upToDateBinary().estimates(query, rows);
    const candidates = new TopK(Math.max(MIN_CANDIDATES, count * CANDIDATES_PER_HIT));
    let threshold = candidates.threshold;
    for (let index = 0; index < rows.length; index++) {
      const score = estimates[index] as number;
      if (score <= threshold) continue;
      candidates.push(rows[index] as number, score);
      threshold = candidates.threshold;
    }
    return candidates.rows().sort();
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

  /** Returns the dot product with a query that is 0 in all other dimensions. */
  #sparseDot(query: Float32Array, nonZero: Int32Array, row: number): number {
    const base = row * this.dimensions;
    const values = this.#values;
    let sum = 0;
    for (let index = 0; index < nonZero.length; index++) {
      const at = nonZero[index] as number;
      sum += (query[at] as number) * (values[base + at] as number);
    }
    return sum * (this.#scales[row] as number);
  }

  /**
   * Returns the bits. They are made at first use, and again when the number of rows has doubled: the means may have
   * moved.
   */
  #upToDateBinary(): BinaryQuantization {
    if (this.#binary !== null && this.#rows <= 2 * this.#rowsInMeans) return this.#binary;
    const binary = new BinaryQuantization(this.dimensions, this.#means());
    binary.set(0, this.#rows, this.#values, this.#scales);
    this.#binary = binary;
    this.#rowsInMeans = this.#rows;
    return binary;
  }

  /**
   * Returns the mean of each dimension, or 0 where it is small compared with the variance: subtracting that would gain
   * little, and would make a sparse query non-zero in every dimension.
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
      return mean * mean < MIN_MEAN_SHARE * variance ? 0 : mean;
    });
  }

  #reserve(more: number): void {
    const needed = this.#rows + more;
    if (needed <= this.#notes.length) return;
    const capacity = Math.max(64, Math.ceil(needed * 1.5));
    this.#values = copyInto(new Int8Array(capacity * this.dimensions), this.#values);
    this.#scales = copyInto(new Float32Array(capacity), this.#scales);
    this.#notes = copyInto(new Int32Array(capacity), this.#notes);
    this.#chunks = copyInto(new Uint16Array(capacity), this.#chunks);
  }

  /** Moves the rows in use together. */
  #compact(): void {
    const dimensions = this.dimensions;
    let to = 0;
    for (let row = 0; row < this.#rows; row++) {
      const note = this.#notes[row] ?? REMOVED;
      if (note === REMOVED) continue;
      if (to < row) {
        this.#values.copyWithin(to * dimensions, row * dimensions, (row + 1) * dimensions);
        this.#scales[to] = this.#scales[row] ?? 0;
        this.#notes[to] = note;
        this.#chunks[to] = this.#chunks[row] ?? 0;
      }
      const rowsOfNote = this.#rowsOfNote.get(note);
      if (rowsOfNote !== undefined && this.#chunks[to] === 0) rowsOfNote.first = to;
      to++;
    }
    this.#rows = to;
    this.#removedRows = 0;
    // The bits still belong to the old rows; the next search makes them again.
    this.#binary = null;
    this.#rowsInMeans = 0;
  }
}

function nonZeroDimensions(query: Float32Array): Int32Array {
  return Int32Array.from(query.keys()).filter((at) => query[at] !== 0);
}

function copyInto<Values extends { set(values: Values): void }>(to: Values, from: Values): Values {
  to.set(from);
  return to;
}
