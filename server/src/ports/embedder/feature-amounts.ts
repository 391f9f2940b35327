import type { FeatureKind } from './features.ts';

const FIRST_SLOTS = 4096;

/**
 * Amounts by feature, in the order in which the features were added first. A hash determines its feature; collisions are
 * rare enough not to matter. An open hash table in typed arrays: a `Map` would make an object of every hash.
 */
export class FeatureAmounts {
  count = 0;
  /** Each slot is empty (0) or the position of a feature, plus one. */
  #slots = new Int32Array(FIRST_SLOTS);
  #hashes = new Uint32Array(FIRST_SLOTS / 2);
  #amounts = new Float64Array(FIRST_SLOTS / 2);
  #kinds = new Uint8Array(FIRST_SLOTS / 2);
  /** When the kind of each feature was set. */
  #times = new Uint32Array(FIRST_SLOTS / 2);

  /** Removes all features, and the memory that an unusually long text took. */
  clear(): void {
    this.count = 0;
    if (this.#slots.length === FIRST_SLOTS) this.#slots.fill(0);
    else this.#allocate(FIRST_SLOTS);
  }

  /**
   * Returns the position of a feature, which is added with the amount 0 if it is new.
   *
   * @param time when the feature last occurred: of two features with one hash, the later one gives it its kind.
   */
  positionOf(hash: number, kind: FeatureKind, time: number): number {
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    for (let at = this.#slots[slot] ?? 0; at !== 0; at = this.#slots[slot] ?? 0) {
      if (this.#hashes[at - 1] === hash) {
        if (time >= (this.#times[at - 1] ?? 0)) this.#setKind(at - 1, kind, time);
        return at - 1;
      }
      slot = (slot + 1) & mask;
    }
    if (this.count === this.#hashes.length) {
      this.#grow();
      return this.positionOf(hash, kind, time);
    }
    const position = this.count++;
    this.#slots[slot] = position + 1;
    this.#hashes[position] = hash;
    this.#amounts[position] = 0;
    this.#setKind(position, kind, time);
    return position;
  }

  hashAt(position: number): number {
    return this.#hashes[position] ?? 0;
  }

  kindAt(position: number): FeatureKind {
    return this.#kinds[position] as FeatureKind;
  }

  amountAt(position: number): number {
    return this.#amounts[position] ?? 0;
  }

  setAmount(position: number, amount: number): void {
    this.#amounts[position] = amount;
  }

  #setKind(position: number, kind: FeatureKind, time: number): void {
    this.#kinds[position] = kind;
    this.#times[position] = time;
  }

  #grow(): void {
    const [hashes, amounts, kinds, times] = [this.#hashes, this.#amounts, this.#kinds, this.#times];
    const size = 2 * this.#slots.length;
    this.#allocate(size);
    this.#hashes.set(hashes);
    this.#amounts.set(amounts);
    this.#kinds.set(kinds);
    this.#times.set(times);
    for (let position = 0; position < this.count; position++) {
      let slot = this.hashAt(position) & (size - 1);
      while (this.#slots[slot] !== 0) slot = (slot + 1) & (size - 1);
      this.#slots[slot] = position + 1;
    }
  }

  #allocate(slots: number): void {
    this.#slots = new Int32Array(slots);
    this.#hashes = new Uint32Array(slots / 2);
    this.#amounts = new Float64Array(slots / 2);
    this.#kinds = new Uint8Array(slots / 2);
    this.#times = new Uint32Array(slots / 2);
  }
}
