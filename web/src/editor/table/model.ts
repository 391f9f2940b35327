import { beginsTable, splitRow } from '@notevault/note-text/scan/table.ts';

export type Alignment = 'left' | 'center' | 'right' | null;

/** A table as text: its cells are source, with their marks and escapes. */
export interface Table {
  readonly header: readonly string[];
  readonly alignments: readonly Alignment[];
  readonly rows: readonly (readonly string[])[];
}

/** Reads the source of a table (GitHub Flavored Markdown); null when it is none. Every row gets the header's width. */
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

/** Writes a table with columns of equal width. Cells keep their text. */
export function printTable({ header, alignments, rows }: Table): string {
  const widths = header.map((_, column) =>
    Math.max(3, ...[header, ...rows].map((row) => widthOf(printCell(row[column] ?? '')))),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => pad(printCell(cell), widths[column] ?? 3, alignments[column] ?? null)).join(' | ')} |`;
  const rule = alignments.map((alignment, column) => delimiter(alignment, widths[column] ?? 3));
  return [line(header), `| ${rule.join(' | ')} |`, ...rows.map(line)].join('\n');
}

/** A cell as it stands in a row: a pipe outside of a link would end it. */
function printCell(cell: string): string {
  const clean = cell.replace(/\s*\n\s*/g, ' ').trim();
  const [only, ...more] = splitRow(clean, { start: 0, end: clean.length });
  const isOneCell = more.length === 0 && (only?.start ?? 0) === 0 && (only?.end ?? 0) === clean.length;
  return isOneCell ? clean : clean.replace(/(?<!\\)((?:\\\\)*)\|/g, '$1\\|');
}

function delimiter(alignment: Alignment, width: number): string {
  const left = alignment === 'left' || alignment === 'center' ? ':' : '-';
  const right = alignment === 'right' || alignment === 'center' ? ':' : '-';
  return left + '-'.repeat(Math.max(1, width - 2)) + right;
}

function pad(text: string, width: number, alignment: Alignment): string {
  const missing = Math.max(0, width - widthOf(text));
  if (alignment === 'right') return ' '.repeat(missing) + text;
  if (alignment !== 'center') return text + ' '.repeat(missing);
  const before = missing >> 1;
  return ' '.repeat(before) + text + ' '.repeat(missing - before);
}

const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\uff01-\uff60]/u;

/** The columns that a text takes in a fixed-width font. */
export function widthOf(text: string): number {
  let width = 0;
  for (const char of text) width += /\p{M}/u.test(char) ? 0 : WIDE.test(char) ? 2 : 1;
  return width;
}
