import type { LoadedIndex } from './loaded-index.ts';

/** The indexes in memory, bounded by the bytes that all of them take. The least recently used ones are dropped first. */
export class IndexCache {
  readonly #maxBytes: number;
  /** Indexes by vault, the least recently used first. */
  readonly #indexes = new Map<string, LoadedIndex>();

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#indexes.values().reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Finds a vault's index and marks it as used. */
  get(vault: string): LoadedIndex | undefined {
    const found = this.#indexes.get(vault);
    if (found === undefined) return undefined;
    this.#indexes.delete(vault);
    this.#indexes.set(vault, found);
    return found;
  }

  set(vault: string, index: LoadedIndex): void {
    this.#indexes.set(vault, index);
    this.makeRoomFor(index);
  }

  delete(vault: string): void {
    this.#indexes.delete(vault);
  }

  /** Measures an index that grew, and evicts others until all fit. The index itself stays, however large it is. */
  makeRoomFor(index: LoadedIndex): void {
    index.measure();
    let total = this.bytes;
    for (const [vault, other] of this.#indexes) {
      if (total <= this.#maxBytes) return;
      if (other === index || other.isBusy) continue;
      this.#indexes.delete(vault);
      total -= other.bytes;
    }
  }
}
