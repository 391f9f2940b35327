import type { Span } from '../links/parsed-link.ts';

/**
 * The text of one paragraph, heading or table cell: its lines joined by `\n`, without the markers of the containers
 * around it. `toContent` turns an offset in `text` into the offset in the content.
 */
export class InlineText {
  readonly text: string;
  readonly isCell: boolean;
  readonly #first: number;
  /** Start offsets of the second and later lines, in `text` and in the content; null for the usual text of one line. */
  readonly #starts: readonly number[] | null;
  readonly #offsets: readonly number[] | null;

  /** @param isCell whether it is the cell of a table. */
  constructor(content: string, lines: readonly Span[], isCell = false) {
    this.isCell = isCell;
    const [only = { start: 0, end: 0 }] = lines;
    this.#first = only.start;
    this.#starts = null;
    this.#offsets = null;
    if (lines.length < 2) {
      this.text = content.slice(only.start, only.end);
      return;
    }
    const starts: number[] = [];
    let length = 0;
    for (const line of lines) {
      starts.push(length);
      length += line.end - line.start + 1;
    }
    this.text = lines.map((line) => content.slice(line.start, line.end)).join('\n');
    this.#starts = starts;
    this.#offsets = lines.map((line) => line.start);
  }

  /** Whether the text can hold a link, a tag or code at all; most cells and many lines cannot. */
  get holdsInlines(): boolean {
    return /[`[#]|<img/i.test(this.text);
  }

  toContent(at: number): number {
    if (!this.#starts || !this.#offsets) return this.#first + at;
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#starts[middle] ?? 0) <= at) low = middle;
      else high = middle - 1;
    }
    return (this.#offsets[low] ?? 0) + at - (this.#starts[low] ?? 0);
  }

  /** Returns the number of whole lines before the offset `at`. */
  linesBefore(at: number): number {
    if (!this.#starts) return at > 0 ? 1 : 0;
    let count = 0;
    while (count < this.#starts.length && (this.#starts[count] ?? 0) < at) count++;
    return count;
  }
}
