const CAPACITY = 500;

/**
 * Cache of block widget heights by content, so that a recreated widget has its height immediately and the text below
 * does not move. The least recently used entries are evicted.
 */
export class HeightCache {
  readonly #heights = new Map<string, number>();
  readonly #capacity: number;

  constructor(capacity = CAPACITY) {
    this.#capacity = capacity;
  }

  /** Returns the height in pixels, or -1 if unknown. */
  get(key: string): number {
    const height = this.#heights.get(key);
    if (height === undefined) return -1;
    this.#heights.delete(key);
    this.#heights.set(key, height);
    return height;
  }

  set(key: string, height: number): void {
    if (height <= 0) return;
    this.#heights.delete(key);
    this.#heights.set(key, height);
    const oldest = this.#heights.keys().next();
    if (this.#heights.size > this.#capacity && !oldest.done) this.#heights.delete(oldest.value);
  }
}

export const widgetHeights = new HeightCache();
