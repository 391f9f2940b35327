/**
 * One bit for each number of each vector: whether it is above the mean of its dimension. A query reads eight of them at
 * once from a table, which tells its dot product with a vector well enough to choose whom to look at closely (the
 * estimator of RaBitQ, Gao and Long 2024, without its rotation).
 *
 * Means are taken out of vectors and query, because some models give all texts about the same value in some dimensions:
 * those bits would say nothing, and what the query has there would drown the rest. With m the means,
 * q·v = (q − m)·(v − m) + m·v + a constant; the first is estimated, the second kept for each row.
 */
export class SignBits {
  readonly #dimensions: number;
  readonly #rowBytes: number;
  #bits = new Uint8Array(0);
  /** What a row's bits must be multiplied by, so that rows of uneven vectors compare with those of even ones. */
  #factors = new Float32Array(0);
  /** The dot product of each row with the means. */
  #offsets = new Float32Array(0);
  #means: Float32Array;
  #rows = 0;

  /** @param means of the vectors so far; they need not be exact. */
  constructor(dimensions: number, means: Float32Array) {
    this.#dimensions = dimensions;
    // Even: they are read in pairs.
    this.#rowBytes = 2 * Math.ceil(dimensions / 16);
    this.#means = means;
  }

  get bytes(): number {
    return this.#bits.byteLength + this.#factors.byteLength + this.#offsets.byteLength;
  }

  /** Sets the bits of the rows from `from` to `to`, whose bytes and scales stand at their rows. */
  set(from: number, to: number, values: Int8Array, scales: Float32Array): void {
    this.#grow(to);
    for (let row = from; row < to; row++) this.#setRow(row, values, scales[row] ?? 0);
    this.#rows = Math.max(this.#rows, to);
  }

  #grow(rows: number): void {
    if (rows * this.#rowBytes <= this.#bits.length) return;
    const capacity = Math.ceil(rows * 1.5);
    const bits = new Uint8Array(capacity * this.#rowBytes);
    bits.set(this.#bits);
    const factors = new Float32Array(capacity);
    factors.set(this.#factors);
    this.#bits = bits;
    this.#factors = factors;
    const offsets = new Float32Array(capacity);
    offsets.set(this.#offsets);
    this.#offsets = offsets;
  }

  #setRow(row: number, values: Int8Array, scale: number): void {
    const base = row * this.#dimensions;
    let square = 0;
    let sum = 0;
    let offset = 0;
    for (let byte = 0; byte < this.#rowBytes; byte++) {
      let bits = 0;
      for (let bit = 0; bit < 8 && byte * 8 + bit < this.#dimensions; bit++) {
        const at = byte * 8 + bit;
        const mean = this.#means[at] ?? 0;
        const value = (values[base + at] ?? 0) * scale - mean;
        offset += (value + mean) * mean;
        if (value > 0) bits |= 1 << bit;
        square += value * value;
        sum += Math.abs(value);
      }
      this.#bits[row * this.#rowBytes + byte] = bits;
    }
    this.#factors[row] = sum === 0 ? 0 : square / sum;
    this.#offsets[row] = offset;
  }

  /** Estimates, up to a constant, the dot product of the query with each of some rows. */
  estimates(query: Float32Array, rows: Int32Array): Float32Array {
    const shifted = query.map((value, at) => value - (this.#means[at] ?? 0));
    const table = this.#table(shifted);
    const used = this.#bytesUsed(shifted);
    const offsets = this.#offsets;
    const bits = this.#bits;
    const factors = this.#factors;
    const rowBytes = this.#rowBytes;
    const estimates = new Float32Array(rows.length);
    // Every index is in range by construction; a check for each would double the time.
    for (let index = 0; index < rows.length; index++) {
      const row = rows[index] as number;
      const base = row * rowBytes;
      // Two sums, so that an addition need not wait for the one before.
      let even = 0;
      let odd = 0;
      for (let at = 0; at < used.length; at += 2) {
        const byte = used[at] as number;
        const next = used[at + 1] as number;
        even += table[(byte << 8) | (bits[base + byte] as number)] as number;
        odd += table[(next << 8) | (bits[base + next] as number)] as number;
      }
      estimates[index] = (even + odd) * (factors[row] as number) + (offsets[row] as number);
    }
    return estimates;
  }

  /** The bytes of a row that say anything of a query, in an even number. */
  #bytesUsed(query: Float32Array): Int32Array {
    const used: number[] = [];
    for (let byte = 0; byte < this.#rowBytes; byte++) {
      if (query.subarray(byte * 8, byte * 8 + 8).some((value) => value !== 0)) used.push(byte);
    }
    for (let byte = 0; used.length % 2 === 1; byte++) if (!used.includes(byte)) used.push(byte);
    return Int32Array.from(used);
  }

  /** For each byte of a row and each of its 256 values: what its eight numbers add to the dot product. */
  #table(query: Float32Array): Float32Array {
    const table = new Float32Array(this.#rowBytes * 256);
    for (let byte = 0; byte < this.#rowBytes; byte++) {
      const base = byte << 8;
      let none = 0;
      for (let bit = 0; bit < 8; bit++) none -= query[byte * 8 + bit] ?? 0;
      table[base] = none;
      for (let value = 1; value < 256; value++) {
        const lowest = 31 - Math.clz32(value & -value);
        table[base + value] = (table[base + (value & (value - 1))] ?? 0) + 2 * (query[byte * 8 + lowest] ?? 0);
      }
    }
    return table;
  }
}
