/**
 * A cursor over the lines of a text. It counts columns as CommonMark does (0.31.2, section 2.2: tab stops of four).
 * Offsets are UTF-16; `\n`, `\r\n` and a lone `\r` end a line.
 */
export class LineCursor {
  readonly text: string;
  /** First offset of the current line. */
  start = 0;
  /** Offset of the line end of the current line, or the text's length. */
  end = 0;
  /** First offset of the next line; at the end of the text, its length. */
  next: number;
  /** Current offset in the line, and its column. */
  at = 0;
  column = 0;
  /** Offset and column of the first character that is neither space nor tab. */
  firstAt = 0;
  firstColumn = 0;
  #newline = -1;
  #carriageReturn = -1;

  constructor(text: string, from: number) {
    this.text = text;
    this.next = from;
    this.#newline = text.indexOf('\n', from);
    this.#carriageReturn = text.indexOf('\r', from);
  }

  /** Columns of white space between the current offset and the next other character. */
  get indent(): number {
    return this.firstColumn - this.column;
  }

  /** True when only white space is left on the line. */
  get blank(): boolean {
    return this.firstAt >= this.end;
  }

  /** Goes to the next line; false when there is none. */
  advanceLine(): boolean {
    if (this.next >= this.text.length) return false;
    this.start = this.next;
    // A position found far ahead is kept; otherwise a text with one kind of line end would be searched to its end for
    // every line.
    if (this.#newline >= 0 && this.#newline < this.start) this.#newline = this.text.indexOf('\n', this.start);
    if (this.#carriageReturn >= 0 && this.#carriageReturn < this.start) {
      this.#carriageReturn = this.text.indexOf('\r', this.start);
    }
    const lf = this.#newline < 0 ? this.text.length : this.#newline;
    const cr = this.#carriageReturn < 0 ? this.text.length : this.#carriageReturn;
    this.end = Math.min(lf, cr);
    this.next = Math.min(lf === cr + 1 ? cr + 2 : this.end + 1, this.text.length);
    this.at = this.start;
    this.column = 0;
    this.#findFirst();
    return true;
  }

  /** Moves past white space up to `columns` columns. The unused columns of a tab still count as indent. */
  skipColumns(columns: number): void {
    let left = columns;
    while (left > 0 && this.at < this.end) {
      const c = this.text.charAt(this.at);
      const width = c === '\t' ? 4 - (this.column % 4) : c === ' ' ? 1 : 0;
      if (width === 0) return;
      if (width > left) {
        this.column += left;
        return;
      }
      this.column += width;
      left -= width;
      this.at++;
    }
  }

  /** Moves to the first character that is not white space. */
  skipToFirst(): void {
    this.at = this.firstAt;
    this.column = this.firstColumn;
  }

  /** Moves past `count` characters, none of them a tab, then finds the next character that is not white space. */
  skipCharacters(count: number): void {
    this.at += count;
    this.column += count;
    this.#findFirst();
  }

  #findFirst(): void {
    let i = this.at;
    let column = this.column;
    for (; i < this.end; i++) {
      const code = this.text.charCodeAt(i);
      if (code === 0x20) column++;
      else if (code === 0x09) column += 4 - (column % 4);
      else break;
    }
    this.firstAt = i;
    this.firstColumn = column;
  }
}
