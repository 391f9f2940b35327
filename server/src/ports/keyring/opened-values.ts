import type { SealingKey } from './keyring.ts';

interface Opened<Value> {
  readonly key: object;
  readonly version: number;
  /** The sealed bytes, a character each: such a text takes less memory than bytes of their own. */
  readonly sealed: string;
  readonly value: Value;
}

/** Memory overhead per value, besides three times its sealed bytes: both they and the opened value are kept. */
const ENTRY_BYTES = 200;

/**
 * Remembers what sealed values contain, because opening a small one costs more than reading its row. What is remembered
 * counts only for the same bytes of the same version under the same key, so a value is never older than its row, and
 * one that was damaged since is not hidden.
 *
 * The size is bounded; about half of the values, those not used of late, are forgotten at a time.
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
   * Returns what the bytes contain.
   *
   * @param row its id; its next value replaces this one.
   * @param version of the value, to which its bytes are bound.
   * @param open opens the bytes, if what they contain is not known. Its callers share what it returns.
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
