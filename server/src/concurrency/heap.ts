/** The part of an entry that its heap keeps up to date. */
export interface HeapEntry {
  /** Its index in the heap. */
  place: number;
}

/** Keeps entries in an order that may change; adding, removing and reordering one takes O(log n). */
export class Heap<Entry extends HeapEntry> {
  readonly #entries: Entry[] = [];
  readonly #isBefore: (one: Entry, other: Entry) => boolean;

  constructor(isBefore: (one: Entry, other: Entry) => boolean) {
    this.#isBefore = isBefore;
  }

  get size(): number {
    return this.#entries.length;
  }

  get first(): Entry | undefined {
    return this.#entries[0];
  }

  /** Returns the first entry that passes. Visits only entries that come before it, and their children. */
  find(passes: (entry: Entry) => boolean, from = 0, best?: Entry): Entry | undefined {
    const entry = this.#entries[from];
    if (entry === undefined || (best !== undefined && !this.#isBefore(entry, best))) return best;
    if (passes(entry)) return entry;
    return this.find(passes, 2 * from + 2, this.find(passes, 2 * from + 1, best));
  }

  add(entry: Entry): void {
    this.#put(entry, this.#entries.length);
    this.#siftUp(entry);
  }

  remove({ place }: Entry): void {
    const last = this.#entries.pop();
    if (last === undefined || place === this.#entries.length) return;
    this.#put(last, place);
    this.reorder(last);
  }

  /** Moves an entry to its new place after its order has changed. */
  reorder(entry: Entry): void {
    this.#siftUp(entry);
    this.#siftDown(entry);
  }

  clear(): void {
    this.#entries.length = 0;
  }

  #siftUp(entry: Entry): void {
    while (entry.place > 0) {
      const parent = this.#entries[(entry.place - 1) >> 1];
      if (parent === undefined || !this.#isBefore(entry, parent)) return;
      this.#swap(entry, parent);
    }
  }

  #siftDown(entry: Entry): void {
    for (;;) {
      const left = this.#entries[2 * entry.place + 1];
      const right = this.#entries[2 * entry.place + 2];
      const child = left !== undefined && right !== undefined && this.#isBefore(right, left) ? right : left;
      if (child === undefined || !this.#isBefore(child, entry)) return;
      this.#swap(entry, child);
    }
  }

  #swap(one: Entry, other: Entry): void {
    const { place } = one;
    this.#put(one, other.place);
    this.#put(other, place);
  }

  #put(entry: Entry, place: number): void {
    this.#entries[place] = entry;
    entry.place = place;
  }
}
