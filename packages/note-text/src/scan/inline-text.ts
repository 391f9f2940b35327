import type { Span } from '../raw-link.ts';

/**
 * The text of one paragraph, heading or table cell, its lines joined by `\n` without the marks of the containers around
 * it, and the way back: `toContent` turns an offset in `text` into the offset in the content.
 */
export class InlineText {
  readonly text: string;
  /** Offsets of the lines in `text` and in the content. */
  readonly #starts: readonly number[];
  readonly #offsets: readonly number[];

  constructor(content: string, lines: readonly Span[]) {
    const starts: number[] = [];
    const parts: string[] = [];
    let length = 0;
    for (const line of lines) {
      starts.push(length);
      parts.push(content.slice(line.start, line.end));
      length += line.end - line.start + 1;
    }
    this.text = parts.join('\n');
    this.#starts = starts;
    this.#offsets = lines.map((line) => line.start);
  }

  toContent(at: number): number {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#starts[middle] ?? 0) <= at) low = middle;
      else high = middle - 1;
    }
    return (this.#offsets[low] ?? 0) + at - (this.#starts[low] ?? 0);
  }

  /** How many whole lines end before the offset `at` of `text`. */
  linesBefore(at: number): number {
    let count = 0;
    while (count < this.#starts.length && (this.#starts[count] ?? 0) < at) count++;
    return count;
  }
}
