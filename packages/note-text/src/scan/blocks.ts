import type { Span } from '../raw-link.ts';
import {
  closesFence,
  footnoteMarkLength,
  readAtxHeading,
  readFence,
  readListMarker,
  setextLevel,
  thematicBreakStop,
} from './block-starts.ts';
import { type Definitions, takeDefinitions } from './definitions.ts';
import { readHtmlBlock } from './html.ts';
import { InlineText } from './inline-text.ts';
import { type Leaf, type ParagraphLeaf, trackMarks } from './leaf.ts';
import { LineCursor } from './line.ts';
import { beginsTable, splitRow } from './table.ts';

export interface Heading {
  /** 1 to 6. */
  readonly level: number;
  /** As written, without the marks and the white space around it. */
  readonly text: string;
  /** From the first mark (setext: the first character of the text) to the end of the last line, line end excluded. */
  readonly start: number;
  readonly end: number;
}

/** What the blocks of a note leave for the inline scan; every offset is one of the content. */
export interface Blocks {
  /** Paragraphs, headings, table cells, HTML without its code: in the order of the note. */
  readonly texts: InlineText[];
  readonly definitions: Definitions;
  readonly headings: Heading[];
  /** Fenced and indented code blocks. */
  readonly code: Span[];
}

/** Most headings kept of one note. */
const maxHeadings = 20_000;

/** Containers nest no deeper, so that no line costs more than this many steps to place; deeper marks are text. */
const maxDepth = 100;

interface Container {
  readonly kind: 'quote' | 'item';
  /** Columns a line must be indented by to stay in the item. */
  readonly indent: number;
  /** An item without content ends at the next blank line. */
  empty: boolean;
}

/** Finds the blocks of `content` from the offset `from` on, by the algorithm of CommonMark 0.31.2, appendix "Phase 1". */
export function scanBlocks(content: string, from: number): Blocks {
  return new BlockScanner(content, from).run();
}

class BlockScanner {
  readonly #content: string;
  readonly #line: LineCursor;
  readonly #containers: Container[] = [];
  /** Containers the current line lies in: those matched, then those it opened. */
  #depth = 0;
  #leaf: Leaf | null = null;
  #afterBlank = false;
  readonly #out: Blocks = { texts: [], definitions: new Map(), headings: [], code: [] };
  readonly #lastMark = new Map<string, number>();

  constructor(content: string, from: number) {
    this.#content = content;
    this.#line = new LineCursor(content, from);
  }

  run(): Blocks {
    while (this.#line.advanceLine()) this.#readLine();
    this.#closeLeaf();
    return this.#out;
  }

  #readLine(): void {
    const line = this.#line;
    if (line.blank && this.#afterBlank) {
      // A second blank line changes nothing, and would have to be placed in a hundred open list items.
      if (this.#leaf?.kind === 'fence') this.#leaf.end = line.end;
      return;
    }
    this.#afterBlank = line.blank;
    this.#matchContainers();
    const all = this.#depth === this.#containers.length;
    if (all && this.#leaf && this.#leaf.kind !== 'paragraph' && this.#continueLeaf(this.#leaf)) return;
    const paragraph = this.#leaf?.kind === 'paragraph' ? this.#leaf : null;
    if (this.#openBlocks(all)) return;
    if (paragraph && paragraph === this.#leaf && !line.blank && (all || paragraph.tableFrom < 0)) {
      // Without its containers' marks this is a lazy continuation line (section 5.1).
      this.#addParagraphLine(paragraph);
      return;
    }
    this.#begin();
    if (!line.blank) this.#openParagraph(line.firstAt);
  }

  #matchContainers(): void {
    const line = this.#line;
    this.#depth = 0;
    for (const container of this.#containers) {
      if (container.kind === 'quote') {
        if (line.indent > 3 || line.blank || this.#content.charAt(line.firstAt) !== '>') return;
        this.#takeQuoteMark();
      } else if (line.blank) {
        if (container.empty) return;
        line.skipToFirst();
      } else if (line.indent >= container.indent) {
        line.skipColumns(container.indent);
      } else {
        return;
      }
      this.#depth++;
    }
  }

  #takeQuoteMark(): void {
    const line = this.#line;
    line.skipToFirst();
    line.skipCharacters(1);
    line.skipColumns(1);
  }

  /** Ends what the current line does not belong to. */
  #begin(): void {
    this.#closeLeaf();
    this.#containers.length = this.#depth;
  }

  #setLeaf(leaf: Leaf): void {
    this.#leaf = leaf;
    this.#fillContainer();
  }

  #fillContainer(): void {
    const last = this.#containers.at(-1);
    if (last) last.empty = false;
  }

  #push(kind: Container['kind'], indent: number): void {
    this.#begin();
    this.#fillContainer();
    this.#containers.push({ kind, indent, empty: true });
    this.#depth++;
  }

  /** Gives the line to the open leaf; false when that ended before this line. */
  #continueLeaf(leaf: Exclude<Leaf, ParagraphLeaf>): boolean {
    const line = this.#line;
    switch (leaf.kind) {
      case 'fence':
        leaf.end = line.end;
        if (line.indent < 4 && closesFence(leaf.mark, this.#content, line.firstAt, line.end)) this.#closeLeaf();
        return true;
      case 'indented':
        if (line.blank) return true;
        if (line.indent < 4) break;
        leaf.end = line.end;
        return true;
      case 'html':
        if (line.blank && leaf.closers.length === 0) break;
        leaf.lines.push({ start: line.at, end: line.end });
        if (this.#endsHtml(leaf.closers)) this.#closeLeaf();
        return true;
      case 'hidden':
        return this.#continueHidden(leaf.closer);
    }
    this.#closeLeaf();
    return false;
  }

  #endsHtml(closers: readonly string[]): boolean {
    if (closers.length === 0) return false;
    const text = this.#content.slice(this.#line.at, this.#line.end).toLowerCase();
    return closers.some((closer) => text.includes(closer));
  }

  #continueHidden(closer: string): boolean {
    const line = this.#line;
    const close = this.#content.slice(line.at, line.end).indexOf(closer);
    if (close < 0) return true;
    this.#leaf = null;
    const rest = line.at + close + closer.length;
    if (this.#content.slice(rest, line.end).trim() !== '') this.#openParagraph(rest);
    return true;
  }

  /** Opens the blocks that begin on this line; true when nothing of the line is left. `all`: every container matched. */
  #openBlocks(all: boolean): boolean {
    const line = this.#line;
    let breakStop = -1;
    for (let opened = false; !line.blank; opened = true) {
      const inParagraph = all && !opened && this.#leaf?.kind === 'paragraph';
      if (line.indent >= 4) return this.#openIndented();
      const at = line.firstAt;
      const first = this.#content.charAt(at);
      if (first === '>' && this.#depth < maxDepth) {
        this.#push('quote', 0);
        this.#takeQuoteMark();
        continue;
      }
      if (this.#openLeaf(first, inParagraph)) return true;
      // What stopped an earlier mark of this line from being a break stops this one too.
      if ((first === '*' || first === '-' || first === '_') && at >= breakStop) {
        breakStop = thematicBreakStop(this.#content, at, line.end);
        if (breakStop === line.end) {
          this.#begin();
          this.#fillContainer();
          return true;
        }
      }
      if (!this.#openItem(inParagraph)) return false;
    }
    return false;
  }

  #openIndented(): boolean {
    if (this.#leaf?.kind === 'paragraph') return false;
    this.#begin();
    this.#setLeaf({ kind: 'indented', start: this.#line.firstAt, end: this.#line.end });
    return true;
  }

  #openLeaf(first: string, inParagraph: boolean): boolean {
    switch (first) {
      case '#':
        return this.#openAtxHeading();
      case '`':
      case '~':
        return this.#openFence();
      case '<':
        return this.#openHidden('<!--', '-->', false) || this.#openHtml();
      case '%':
        return this.#openHidden('%%', '%%', true);
      case '$':
        return this.#openHidden('$$', '$$', true);
      case '=':
      case '-':
        return inParagraph && this.#endSetextHeading();
      default:
        return false;
    }
  }

  #openAtxHeading(): boolean {
    const { firstAt, end } = this.#line;
    const heading = readAtxHeading(this.#content, firstAt, end);
    if (!heading) return false;
    this.#begin();
    this.#fillContainer();
    const span = { start: heading.textStart, end: heading.textEnd };
    this.#addHeading(heading.level, this.#content.slice(span.start, span.end), firstAt, end);
    this.#out.texts.push(new InlineText(this.#content, [span]));
    return true;
  }

  #addHeading(level: number, text: string, start: number, end: number): void {
    if (this.#out.headings.length < maxHeadings) this.#out.headings.push({ level, text, start, end });
  }

  #openFence(): boolean {
    const { firstAt, end } = this.#line;
    const mark = readFence(this.#content, firstAt, end);
    if (!mark) return false;
    this.#begin();
    this.#setLeaf({ kind: 'fence', mark, start: firstAt, end });
    return true;
  }

  /**
   * A comment or mathematics that begins a line and closes on a later one. Marks that close on their line are left to
   * the inline scan, and so are those that an open paragraph is waiting for. With `paired`, a mark never closed is text:
   * a stray `%%` must not hide the rest of the note.
   */
  #openHidden(mark: string, closer: string, paired: boolean): boolean {
    const { firstAt, end } = this.#line;
    const content = this.#content;
    if (!content.startsWith(mark, firstAt)) return false;
    const after = firstAt + (paired ? mark.length : 2);
    if (content.slice(after, end).includes(closer)) return false;
    if (paired && this.#lastOf(closer) < end) return false;
    if (this.#leaf?.kind === 'paragraph' && (mark === '$$' ? this.#leaf.open.math : this.#leaf.open.comment)) {
      return false;
    }
    this.#begin();
    this.#setLeaf({ kind: 'hidden', closer });
    return true;
  }

  #lastOf(mark: string): number {
    let last = this.#lastMark.get(mark);
    if (last === undefined) {
      last = this.#content.lastIndexOf(mark);
      this.#lastMark.set(mark, last);
    }
    return last;
  }

  #openHtml(): boolean {
    const line = this.#line;
    const html = readHtmlBlock(this.#content, line.firstAt, line.end);
    if (!html || (!html.interrupts && this.#leaf?.kind === 'paragraph')) return false;
    this.#begin();
    this.#setLeaf({ kind: 'html', closers: html.closers, lines: [{ start: line.firstAt, end: line.end }] });
    if (this.#endsHtml(html.closers)) this.#closeLeaf();
    return true;
  }

  #endSetextHeading(): boolean {
    const { firstAt, end } = this.#line;
    const leaf = this.#leaf;
    const level = setextLevel(this.#content, firstAt, end);
    if (level === 0 || leaf?.kind !== 'paragraph' || leaf.tableFrom >= 0) return false;
    const lines = this.#withoutDefinitions(leaf.lines);
    this.#leaf = null;
    const first = lines[0];
    // Nothing but definitions above: the line stands for itself.
    if (!first) return false;
    const text = lines.map((span) => this.#content.slice(span.start, span.end).trim()).join(' ');
    this.#addHeading(level, text, first.start, end);
    this.#out.texts.push(new InlineText(this.#content, lines));
    return true;
  }

  #openItem(inParagraph: boolean): boolean {
    const line = this.#line;
    if (this.#depth >= maxDepth) return false;
    const footnote = footnoteMarkLength(this.#content, line.firstAt, line.end);
    if (footnote > 0) {
      this.#push('item', 4);
      line.skipToFirst();
      line.skipCharacters(footnote);
      line.skipToFirst();
      return true;
    }
    const marker = readListMarker(this.#content, line.firstAt, line.end);
    if (!marker || (inParagraph && !marker.interrupts)) return false;
    const offset = line.indent;
    line.skipToFirst();
    line.skipCharacters(marker.length);
    // Section 5.2: more than four columns after the marker belong to indented code, which starts after one.
    const spaces = line.blank || line.indent > 4 ? 1 : line.indent;
    this.#push('item', offset + marker.length + spaces);
    line.skipColumns(spaces);
    return true;
  }

  #openParagraph(at: number): void {
    const leaf: ParagraphLeaf = {
      kind: 'paragraph',
      lines: [],
      tableFrom: -1,
      open: { comment: false, math: false },
    };
    this.#setLeaf(leaf);
    this.#addLine(leaf, at);
  }

  #addParagraphLine(leaf: ParagraphLeaf): void {
    const header = leaf.lines.at(-1);
    this.#addLine(leaf, this.#line.firstAt);
    const row = leaf.lines.at(-1);
    if (leaf.tableFrom < 0 && header && row && beginsTable(this.#content, header, row)) {
      leaf.tableFrom = leaf.lines.length - 2;
    }
  }

  #addLine(leaf: ParagraphLeaf, at: number): void {
    leaf.lines.push({ start: at, end: this.#line.end });
    trackMarks(leaf.open, this.#content.slice(at, this.#line.end));
  }

  #closeLeaf(): void {
    const leaf = this.#leaf;
    this.#leaf = null;
    if (!leaf) return;
    if (leaf.kind === 'paragraph') this.#closeParagraph(leaf);
    else if (leaf.kind === 'fence' || leaf.kind === 'indented') {
      this.#out.code.push({ start: leaf.start, end: leaf.end });
    } else if (leaf.kind === 'html' && leaf.closers.length === 0) {
      this.#out.texts.push(new InlineText(this.#content, leaf.lines));
    }
  }

  #closeParagraph(leaf: ParagraphLeaf): void {
    const prose = leaf.tableFrom < 0 ? leaf.lines : leaf.lines.slice(0, leaf.tableFrom);
    const rest = this.#withoutDefinitions(prose);
    if (rest.length > 0) this.#out.texts.push(new InlineText(this.#content, rest));
    if (leaf.tableFrom < 0) return;
    for (const row of leaf.lines.slice(leaf.tableFrom)) {
      for (const cell of splitRow(this.#content, row)) this.#out.texts.push(new InlineText(this.#content, [cell]));
    }
  }

  #withoutDefinitions(lines: readonly Span[]): readonly Span[] {
    const first = lines[0];
    if (!first || this.#content.charAt(first.start) !== '[') return lines;
    const taken = takeDefinitions(new InlineText(this.#content, lines), this.#out.definitions);
    return taken === 0 ? lines : lines.slice(taken);
  }
}
