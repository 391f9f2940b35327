/**
 * Finds closing markers in one inline text. Results, including "not found", are remembered, so that a thousand opening
 * markers without a closing one search the text once. Offsets must not decrease from call to call.
 */
export class CloserIndex {
  readonly #text: string;
  readonly #found = new Map<string, number>();
  #dollar = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Offset of `needle` at or after `from`; -1 when there is none. */
  find(needle: string, from: number): number {
    const known = this.#found.get(needle);
    if (known !== undefined && (known < 0 || known >= from)) return known;
    const at = this.#text.indexOf(needle, from);
    this.#found.set(needle, at);
    return at;
  }

  /** Offset after the pair of markers that opens at `at`; without a pair, the offset from which one may open again. */
  skip(open: string, close: string, at: number): number {
    if (!this.#text.startsWith(open, at)) return at + 1;
    const end = this.find(close, at + open.length);
    return end < 0 ? at + open.length : end + close.length;
  }

  /**
   * Offset after the mathematics that a single `$` at `at` opens, else after the `$`. As in desktop note applications,
   * there must be no space inside the markers and no digit after them, so that prices stay text.
   */
  skipMath(at: number): number {
    const text = this.#text;
    if (isSpaceOrEnd(text, at + 1)) return at + 1;
    this.#dollar = Math.max(this.#dollar, at + 2);
    while (this.#dollar < text.length && !this.#closesMath(this.#dollar)) this.#dollar++;
    const newline = this.find('\n', at);
    return this.#dollar < text.length && (newline < 0 || this.#dollar < newline) ? this.#dollar + 1 : at + 1;
  }

  #closesMath(at: number): boolean {
    const text = this.#text;
    if (text.charAt(at) !== '$' || isSpaceOrEnd(text, at - 1) || text.charAt(at - 1) === '\\') return false;
    const next = text.charCodeAt(at + 1);
    return !(next >= 0x30 && next <= 0x39);
  }
}

function isSpaceOrEnd(text: string, at: number): boolean {
  return at < 0 || at >= text.length || /\s/.test(text.charAt(at));
}
