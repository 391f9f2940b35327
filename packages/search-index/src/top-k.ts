/** Keeps the `k` best of many scored rows, in a heap whose root is the worst of them. */
export class TopK {
  readonly #k: number;
  /** Plain arrays: most heaps are small, and allocating typed arrays costs more than filling them. */
  readonly #rows: number[] = [];
  readonly #scores: number[] = [];
  #count = 0;

  constructor(k: number) {
    this.#k = k;
  }

  /** A row must score above this to be added. */
  get threshold(): number {
    return this.#count < this.#k ? Number.NEGATIVE_INFINITY : (this.#scores[0] ?? Number.POSITIVE_INFINITY);
  }

  /** Adds a row whose score is above the threshold. */
  push(row: number, score: number): void {
    if (this.#count < this.#k) this.#siftUp(this.#count++, row, score);
    else this.#siftDown(row, score);
  }

  /** Returns the rows, in no order. */
  rows(): Int32Array {
    return Int32Array.from(this.#rows);
  }

  /** Returns the rows with their scores, best first; of equal scores the lower row first. */
  sorted(): { row: number; score: number }[] {
    return Array.from({ length: this.#count }, (_, at) => ({
      row: this.#rows[at] ?? 0,
      score: this.#scores[at] ?? 0,
    })).sort((a, b) => b.score - a.score || a.row - b.row);
  }

  #siftUp(from: number, row: number, score: number): void {
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if ((this.#scores[parent] as number) <= score) break;
      this.#move(parent, at);
      at = parent;
    }
    this.#put(at, row, score);
  }

  #siftDown(row: number, score: number): void {
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      if (left >= this.#count) break;
      const right = left + 1;
      const child =
        right < this.#count && (this.#scores[right] as number) < (this.#scores[left] as number) ? right : left;
      if ((this.#scores[child] as number) >= score) break;
      this.#move(child, at);
      at = child;
    }
    this.#put(at, row, score);
  }

  #move(from: number, to: number): void {
    this.#put(to, this.#rows[from] ?? 0, this.#scores[from] as number);
  }

  #put(at: number, row: number, score: number): void {
    this.#rows[at] = row;
    this.#scores[at] = score;
  }
}
