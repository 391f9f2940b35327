import { beginsTable, splitRow } from '@notevault/note-text/scan/table.ts';

export type Alignment = 'left' | 'center' | 'right' | null;

/** A parsed table. Cells contain their source, with marks and escapes. */
export interface Table {
  readonly header: readonly string[];
  readonly alignments: readonly Alignment[];
  readonly rows: readonly (readonly string[])[];
}

/** Parses a table (GitHub Flavored Markdown); null if it is none. Every row gets as many cells as the header. */
export function parseTable(source: string): Table | null {
  const lines = source.split('\n').map((line) => line.replace(/\r$/, ''));
  const [head = '', delimiters = '', ...body] = lines;
  const both = `${head}\n${delimiters}`;
  const headSpan = { start: indentOf(head), end: head.length };
  const delimiterSpan = { start: head.length + 1 + indentOf(delimiters), end: both.length };
  if (!beginsTable(both, headSpan, delimiterSpan)) return null;
  const header = cellsOf(head);
  const alignments = cellsOf(delimiters).map(alignmentOf);
  const rows = body.filter((line) => line.trim() !== '').map((line) => fit(cellsOf(line), header.length, ''));
  return { header, alignments: fit(alignments, header.length, null), rows };
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

function cellsOf(line: string): string[] {
  return splitRow(line, { start: indentOf(line), end: line.length }).map(({ start, end }) =>
    line.slice(start, end).trim(),
  );
}

function alignmentOf(cell: string): Alignment {
  const isLeft = cell.startsWith(':');
  const isRight = cell.endsWith(':');
  if (isLeft && isRight) return 'center';
  return isRight ? 'right' : isLeft ? 'left' : null;
}

function fit<Cell>(cells: readonly Cell[], width: number, empty: Cell): Cell[] {
  return Array.from({ length: width }, (_, index) => cells[index] ?? empty);
}

/** Returns a cell of the delimiter row. */
export function delimiter(alignment: Alignment, width: number): string {
  const left = alignment === 'left' || alignment === 'center' ? ':' : '-';
  const right = alignment === 'right' || alignment === 'center' ? ':' : '-';
  return left + '-'.repeat(Math.max(1, width - 2)) + right;
}

const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\uff01-\uff60]/u;

/** Returns the width of a text in columns of a fixed-width font. */
export function widthOf(text: string): number {
  let width = 0;
  for (const char of text) width += /\p{M}/u.test(char) ? 0 : WIDE.test(char) ? 2 : 1;
  return width;
}
