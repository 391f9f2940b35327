/** The array of the table before, all 0. A thread runs one query at a time. */
let spare = new Float64Array();
/** A larger array is not kept. */
const MAX_SPARE = 2 ** 17;
const MIN_LENGTH = 4096;

/**
 * Frequency and quality of each query term in several texts, one row per text. All rows share one array, because a
 * query has hundreds of rows and allocating small typed arrays is slow.
 */
export class MatchTable {
  readonly #terms: number;
  /** Rows of the weighted frequency of each term, followed by the weight of its best form. */
  #values = spare;
  #used = 0;

  constructor(terms: number) {
    this.#terms = terms;
    spare = new Float64Array();
  }

  /** Adds an empty row and returns what names it. */
  addRow(): number {
    const row = this.#used;
    this.#used += 2 * this.#terms;
    if (this.#used > this.#values.length) {
      const grown = new Float64Array(Math.max(MIN_LENGTH, 2 * this.#used));
      grown.set(this.#values);
      this.#values = grown;
    }
    return row;
  }

  /** @param worth how much an occurrence counts in its field. */
  add(row: number, term: number, weight: number, worth: number): void {
    const values = this.#values;
    values[row + term] = (values[row + term] as number) + weight * worth;
    this.raiseWeight(row, term, weight);
  }

  raiseWeight(row: number, term: number, weight: number): void {
    const at = row + this.#terms + term;
    if (weight > (this.#values[at] as number)) this.#values[at] = weight;
  }

  /** Releases the array for the next table. This table must not be used afterwards. */
  release(): void {
    if (this.#values.length <= MAX_SPARE) spare = this.#values.fill(0, 0, this.#used);
  }

  /** Weighted. */
  frequency(row: number, term: number): number {
    return this.#values[row + term] as number;
  }

  /** Returns the weight of the best form; 0 where the term does not occur. */
  weight(row: number, term: number): number {
    return this.#values[row + this.#terms + term] as number;
  }
}
