import type { Text } from '@codemirror/state';
import { splitRow } from '@notevault/note-text/scan/table.ts';
import type { Alignment } from './model.ts';

/** Position of a cell, in UTF-16 offsets of the document. */
export interface SourceCell {
  readonly from: number;
  readonly to: number;
  /** Source of the cell, including the blanks around it. */
  readonly source: string;
  readonly text: string;
  /** Start of the text; after the first blank if the cell is empty. */
  readonly textFrom: number;
}

/** A line of a table, without its line end. */
export interface SourceLine {
  readonly from: number;
  readonly to: number;
  readonly text: string;
  readonly cells: readonly SourceCell[];
}

/** A table's source in a document: the header, the delimiter row, and the rows. */
export interface SourceTable {
  readonly lines: readonly SourceLine[];
  readonly alignments: readonly Alignment[];
  readonly lineEnd: '\n' | '\r\n';
  /** Length of the line end after the table if a blank line follows, else 0. */
  readonly spareEnd: number;
}

/** Reads the table whose header begins at `from`. */
export function readSource(doc: Text, from: number, lines: number, alignments: readonly Alignment[]): SourceTable {
  const first = doc.lineAt(from).number;
  const last = doc.line(first + lines - 1);
  const isSpare = last.number < doc.lines && doc.line(last.number + 1).text.trim() === '';
  const lineEnd = last.text.endsWith('\r') || doc.line(first).text.endsWith('\r') ? '\r\n' : '\n';
  return {
    lines: Array.from({ length: lines }, (_, index) => readLine(doc.line(first + index))),
    alignments,
    lineEnd,
    spareEnd: isSpare ? (last.text.endsWith('\r') ? 2 : 1) : 0,
  };
}

/** Reads a line of a table. */
export function readLine({ from, text: source }: { readonly from: number; readonly text: string }): SourceLine {
  const text = source.replace(/\r$/, '');
  const cells = splitRow(text, blankless(text)).map(({ start, end }) => readCell(from + start, text.slice(start, end)));
  return { from, to: from + text.length, text, cells };
}

function readCell(from: number, source: string): SourceCell {
  const { start, end } = blankless(source);
  const textFrom = from + (start === end ? Math.min(1, source.length) : start);
  return { from, to: from + source.length, source, text: source.slice(start, end), textFrom };
}

/** Returns the range of a text without blanks around it. Other white space counts as text. */
export function blankless(text: string): { readonly start: number; readonly end: number } {
  const isBlank = (at: number) => text.charAt(at) === ' ' || text.charAt(at) === '\t';
  let [start, end] = [0, text.length];
  while (start < end && isBlank(start)) start++;
  while (end > start && isBlank(end - 1)) end--;
  return { start, end };
}
