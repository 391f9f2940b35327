import type { Span } from '../links/parsed-link.ts';
import { closesFence, type FenceMark } from './block-starts.ts';
import type { LineCursor } from './line.ts';

/** The open block that the next line may continue, and that contains no other blocks (CommonMark 0.31.2, section 4). */
export type Leaf = ParagraphLeaf | FenceLeaf | IndentedLeaf | HtmlLeaf | HiddenLeaf;

export interface ParagraphLeaf {
  readonly kind: 'paragraph';
  readonly lines: Span[];
  /** Index within `lines` of a table's header row; -1 while it is no table. */
  tableFrom: number;
  /** Whether a comment or mathematics is still open at the end of the last line. */
  readonly open: { comment: boolean; math: boolean };
}

interface FenceLeaf {
  readonly kind: 'fence';
  readonly mark: FenceMark;
  readonly start: number;
  end: number;
}

interface IndentedLeaf {
  readonly kind: 'indented';
  readonly start: number;
  end: number;
}

interface HtmlLeaf {
  readonly kind: 'html';
  /** Closing tags in lower case. Without any, a blank line ends the block, and its lines may contain links. */
  readonly closers: readonly string[];
  readonly lines: Span[];
}

/** A comment or display mathematics over several lines, blank ones included, up to `closer`. */
export interface HiddenLeaf {
  readonly kind: 'hidden';
  readonly closer: string;
}

/** Updates which of `%%` and `$$` an open paragraph leaves open after this line. */
export function trackMarks(open: ParagraphLeaf['open'], line: string): void {
  if (isOdd(line, '%%')) open.comment = !open.comment;
  if (isOdd(line, '$$')) open.math = !open.math;
}

function isOdd(line: string, mark: string): boolean {
  let odd = false;
  for (let i = line.indexOf(mark); i >= 0; i = line.indexOf(mark, i + 2)) odd = !odd;
  return odd;
}

/**
 * Relation of the next line to an open leaf block. `rest` is the offset of text after the leaf's end on that line, or
 * -1.
 */
export interface Continuation {
  /** Whether the line belongs to the leaf. */
  readonly taken: boolean;
  /** Whether the leaf ends, with this line or before it. */
  readonly ends: boolean;
  readonly rest: number;
}

const goesOn: Continuation = { taken: true, ends: false, rest: -1 };
const endsHere: Continuation = { taken: true, ends: true, rest: -1 };
const endedBefore: Continuation = { taken: false, ends: true, rest: -1 };

/**
 * Offers the line to an open leaf whose containers all continue. Not used for paragraphs, because a block that begins
 * on the line may interrupt them.
 */
export function continueLeaf(leaf: Exclude<Leaf, ParagraphLeaf>, line: LineCursor): Continuation {
  switch (leaf.kind) {
    case 'fence':
      leaf.end = line.end;
      return line.indent < 4 && closesFence(leaf.mark, line.text, line.firstAt, line.end) ? endsHere : goesOn;
    case 'indented':
      if (line.blank) return goesOn;
      if (line.indent < 4) return endedBefore;
      leaf.end = line.end;
      return goesOn;
    case 'html':
      if (line.blank && leaf.closers.length === 0) return endedBefore;
      leaf.lines.push({ start: line.at, end: line.end });
      return endsHtml(leaf.closers, line) ? endsHere : goesOn;
    case 'hidden':
      return continueHidden(leaf.closer, line);
  }
}

/** Returns whether an HTML block ends on this line. A block without closers never ends here. */
export function endsHtml(closers: readonly string[], line: LineCursor): boolean {
  if (closers.length === 0) return false;
  const text = line.text.slice(line.at, line.end).toLowerCase();
  return closers.some((closer) => text.includes(closer));
}

function continueHidden(closer: string, line: LineCursor): Continuation {
  const close = line.text.slice(line.at, line.end).indexOf(closer);
  if (close < 0) return goesOn;
  const rest = line.at + close + closer.length;
  return line.text.slice(rest, line.end).trim() === '' ? endsHere : { taken: true, ends: true, rest };
}

/**
 * Finds comments and mathematics that begin a line and close on a later line. The inline scan handles markers that
 * close on their own line, and those that an open paragraph still waits for.
 */
export class HiddenStarts {
  readonly #lastMark = new Map<string, number>();

  /**
   * Returns the block that begins at the first character of the line, below the given paragraph; null when none begins.
   */
  read(line: LineCursor, paragraph: ParagraphLeaf | null): HiddenLeaf | null {
    const { text, firstAt, end } = line;
    if (text.startsWith('<!--', firstAt)) {
      return text.slice(firstAt + 2, end).includes('-->') ? null : { kind: 'hidden', closer: '-->' };
    }
    const mark = text.slice(firstAt, firstAt + 2);
    if (mark !== '%%' && mark !== '$$') return null;
    // A marker that is never closed must not hide the rest of the note.
    if (text.slice(firstAt + 2, end).includes(mark) || this.#lastOf(text, mark) < end) return null;
    if (mark === '%%' ? paragraph?.open.comment : paragraph?.open.math) return null;
    return { kind: 'hidden', closer: mark };
  }

  #lastOf(text: string, mark: string): number {
    const known = this.#lastMark.get(mark);
    if (known !== undefined) return known;
    const last = text.lastIndexOf(mark);
    this.#lastMark.set(mark, last);
    return last;
  }
}
