import type { SealingKey } from './keyring.ts';

interface Opened<Value> {
  readonly key: object;
  readonly version: number;
  /** The sealed bytes, one per character: a string takes less memory than a buffer. */
  readonly sealed: string;
  readonly value: Value;
}

/** Memory overhead per value, besides three times its sealed bytes: both they and the opened value are kept. */
const ENTRY_BYTES = 200;

/**
 * Caches opened values, because opening a small one costs more than reading its row. A cached value is used only for
 * the same bytes of the same version under the same key, so it is never stale, and later damage is not hidden.
 *
 * The size is limited; when it is reached, about half of the values, the least recently used, are dropped.
 */
export class OpenedValues<Value> {
  readonly #bytesMax: number;
  #recent = new Map<string, Opened<Value>>();
  #earlier = new Map<string, Opened<Value>>();
  #recentBytes = 0;

  /** @param bytesMax about how much memory the values may take. */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /**
   * Returns the opened value of sealed bytes.
   *
   * @param row the id of its row; the row's next value replaces this one.
   * @param version of the value, to which its bytes are bound.
   * @param open opens the bytes if they are not cached. All callers share the value it returns.
   */
  open(key: Pick<SealingKey, 'open'>, row: string, version: number, bytes: Buffer, open: () => Value): Value {
    const sealed = bytes.toString('latin1');
    const recent = this.#recent.get(row);
    const known = recent ?? this.#earlier.get(row);
    if (known !== undefined && known.key === key && known.version === version && known.sealed === sealed) {
      if (recent === undefined) this.#keep(row, known);
      return known.value;
    }
    const value = open();
    this.#keep(row, { key, version, sealed, value });
    return value;
  }

  clear(): void {
    this.#recent.clear();
    this.#earlier.clear();
    this.#recentBytes = 0;
  }

  #keep(row: string, opened: Opened<Value>): void {
    this.#recent.set(row, opened);
    this.#recentBytes += 3 * opened.sealed.length + ENTRY_BYTES;
    if (this.#recentBytes <= this.#bytesMax / 2) return;
    this.#earlier = this.#recent;
    this.#recent = new Map();
    this.#recentBytes = 0;
  }
}
