/**
 * Binary quantization: one bit for each number of each vector, which says whether the number is above the mean of its
 * dimension. A query looks up eight bits at once in a table, and so estimates its dot product with a row well enough to
 * choose candidates (the estimator of RaBitQ, Gao and Long 2024, without its rotation).
 *
 * The means are subtracted from vectors and query, because some models give all texts about the same value in some
 * dimensions: those bits would carry no information, and the query's values there would outweigh the others. With m the
 * means, q·v = (q − m)·(v − m) + m·v + a constant. The first product is estimated, the second is stored for each row.
 */
export class BinaryQuantization {
  readonly #dimensions: number;
  readonly #rowBytes: number;
  #bits = new Uint8Array(0);
  /** The factor of each row that makes estimates comparable whatever the spread of its numbers. */
  #factors = new Float32Array(0);
  /** The dot product of each row with the means. */
  #offsets = new Float32Array(0);
  readonly #means: Float32Array;

  /** @param means the mean of each dimension; they need not be exact. */
  constructor(dimensions: number, means: Float32Array) {
    this.#dimensions = dimensions;
    // An even number, because bytes are read in pairs.
    this.#rowBytes = 2 * Math.ceil(dimensions / 16);
    this.#means = means;
  }

  /** Memory in bytes. */
  get bytes(): number {
    return this.#bits.byteLength + this.#factors.byteLength + this.#offsets.byteLength;
  }

  /** Sets the bits of rows `from` to `to` (exclusive). `values` and `scales` hold all rows. */
  set(from: number, to: number, values: Int8Array, scales: Float32Array): void {
    this.#reserve(to);
    for (let row = from; row < to; row++) this.#setRow(row, values, scales[row] ?? 0);
  }

  #reserve(rows: number): void {
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

  /** Estimates the dot product of the query with each of the given rows, up to a constant. */
  estimates(query: Float32Array, rows: Int32Array): Float32Array {
    const shifted = query.map((value, at) => value - (this.#means[at] ?? 0));
    const table = this.#contributions(shifted);
    const used = this.#nonZeroBytes(shifted);
    const offsets = this.#offsets;
    const bits = this.#bits;
    const factors = this.#factors;
    const rowBytes = this.#rowBytes;
    const estimates = new Float32Array(rows.length);
    // Every index is in range by construction, and checks would double the time.
    for (let index = 0; index < rows.length; index++) {
      const row = rows[index] as number;
      const base = row * rowBytes;
      // Two sums, so that the processor can add both at the same time.
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

  /** Returns the bytes of a row in which the query is not all 0, filled up to an even number. */
  #nonZeroBytes(query: Float32Array): Int32Array {
    const used: number[] = [];
    for (let byte = 0; byte < this.#rowBytes; byte++) {
      if (query.subarray(byte * 8, byte * 8 + 8).some((value) => value !== 0)) used.push(byte);
    }
    for (let byte = 0; used.length % 2 === 1; byte++) if (!used.includes(byte)) used.push(byte);
    return Int32Array.from(used);
  }

  /** Returns a table of what each byte of a row, with each of its 256 values, adds to the dot product. */
  #contributions(query: Float32Array): Float32Array {
    const table = new Float32Array(this.#rowBytes * 256);
    for (let byte = 0; byte < this.#rowBytes; byte++) {
      const base = byte << 8;
      let allBelow = 0;
      for (let bit = 0; bit < 8; bit++) allBelow -= query[byte * 8 + bit] ?? 0;
      table[base] = allBelow;
      for (let value = 1; value < 256; value++) {
        const lowest = 31 - Math.clz32(value & -value);
        table[base + value] = (table[base + (value & (value - 1))] ?? 0) + 2 * (query[byte * 8 + lowest] ?? 0);
      }
    }
    return table;
  }
}
