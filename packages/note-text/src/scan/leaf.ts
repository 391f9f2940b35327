import type { Span } from '../raw-link.ts';
import type { FenceMark } from './block-starts.ts';

/** The block that the next line may go on with, and that holds no other blocks (CommonMark 0.31.2, section 4). */
export type Leaf = ParagraphLeaf | FenceLeaf | IndentedLeaf | HtmlLeaf | HiddenLeaf;

export interface ParagraphLeaf {
  readonly kind: 'paragraph';
  readonly lines: Span[];
  /** Line of a table's header row within `lines`; -1 while it is no table. */
  tableFrom: number;
  /** Marks of comment or mathematics that stand open at the end of its last line. */
  readonly open: { comment: boolean; math: boolean };
}

export interface FenceLeaf {
  readonly kind: 'fence';
  readonly mark: FenceMark;
  readonly start: number;
  end: number;
}

export interface IndentedLeaf {
  readonly kind: 'indented';
  readonly start: number;
  end: number;
}

export interface HtmlLeaf {
  readonly kind: 'html';
  /** Lower case; none: a blank line ends the block and its lines may hold links. */
  readonly closers: readonly string[];
  readonly lines: Span[];
}

/** A comment or display mathematics over several lines: up to `closer`, blank lines included. */
export interface HiddenLeaf {
  readonly kind: 'hidden';
  readonly closer: string;
}

/** Notes in an open paragraph which of `%%` and `$$` its line leaves open. */
export function trackMarks(open: ParagraphLeaf['open'], line: string): void {
  if (isOdd(line, '%%')) open.comment = !open.comment;
  if (isOdd(line, '$$')) open.math = !open.math;
}

function isOdd(line: string, mark: string): boolean {
  let odd = false;
  for (let i = line.indexOf(mark); i >= 0; i = line.indexOf(mark, i + 2)) odd = !odd;
  return odd;
}
