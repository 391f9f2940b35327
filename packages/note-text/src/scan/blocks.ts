import { Blocks } from './block-output.ts';
import {
  footnoteMarkLength,
  readAtxHeading,
  readFence,
  readListMarker,
  setextLevel,
  thematicBreakStop,
} from './block-starts.ts';
import { readHtmlBlock } from './html.ts';
import { continueLeaf, endsHtml, HiddenStarts, type Leaf, type ParagraphLeaf, trackMarks } from './leaf.ts';
import { LineCursor } from './line.ts';
import { beginsTable } from './table.ts';

/** Deepest nesting of containers, which bounds the work per line; deeper markers are text. */
const maxDepth = 100;

interface Container {
  readonly kind: 'quote' | 'item';
  /** Columns a line must be indented by to stay in the item. */
  readonly indent: number;
  /** An item without content ends at the next blank line. */
  empty: boolean;
  /** Whether it is the item of a list, not a footnote. */
  readonly isListItem: boolean;
}

/** Finds the blocks of `content` from the offset `from`, line by line (CommonMark 0.31.2, appendix, phase 1). */
export function scanBlocks(content: string, from: number, keepsAllTexts = false): Blocks {
  return new BlockScanner(content, from, keepsAllTexts).run();
}

class BlockScanner {
  readonly #content: string;
  readonly #line: LineCursor;
  readonly #containers: Container[] = [];
  /** Number of containers around the current line: those it continues, then those it opened. */
  #depth = 0;
  #leaf: Leaf | null = null;
  #afterBlank = false;
  readonly #out: Blocks;
  readonly #hidden = new HiddenStarts();

  constructor(content: string, from: number, keepsAllTexts: boolean) {
    this.#content = content;
    this.#line = new LineCursor(content, from);
    this.#out = new Blocks(content, keepsAllTexts);
  }

  run(): Blocks {
    while (this.#line.advanceLine()) this.#readLine();
    this.#closeLeaf();
    return this.#out;
  }

  #readLine(): void {
    const line = this.#line;
    if (line.blank && this.#afterBlank) {
      // A second blank line changes nothing, and matching it against a hundred open list items would cost time.
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
      // A line without the markers of its containers is a lazy continuation line here (section 5.1).
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

  /** Closes the blocks that the current line does not continue. */
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

  #push(kind: Container['kind'], indent: number, isListItem = false): void {
    this.#begin();
    this.#fillContainer();
    this.#containers.push({ kind, indent, empty: true, isListItem });
    this.#depth++;
  }

  /** Gives the line to the open leaf; false when the leaf ended before this line. */
  #continueLeaf(leaf: Exclude<Leaf, ParagraphLeaf>): boolean {
    const { taken, ends, rest } = continueLeaf(leaf, this.#line);
    if (ends) this.#closeLeaf();
    if (rest >= 0) this.#openParagraph(rest);
    return taken;
  }

  /**
   * Opens the blocks that begin on this line; true when nothing of the line is left. `all`: whether every container
   * matched.
   */
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
      // The character that kept an earlier marker of this line from being a break rules this one out too.
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
        return this.#openHidden() || this.#openHtml();
      case '%':
      case '$':
        return this.#openHidden();
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
    const text = { start: heading.textStart, end: heading.textEnd };
    this.#out.addAtxHeading(heading.level, text, { start: firstAt, end });
    return true;
  }

  #openFence(): boolean {
    const { firstAt, end } = this.#line;
    const mark = readFence(this.#content, firstAt, end);
    if (!mark) return false;
    this.#begin();
    this.#setLeaf({ kind: 'fence', mark, start: firstAt, end });
    return true;
  }

  #openHidden(): boolean {
    const leaf = this.#hidden.read(this.#line, this.#leaf?.kind === 'paragraph' ? this.#leaf : null);
    if (!leaf) return false;
    this.#begin();
    this.#setLeaf(leaf);
    return true;
  }

  #openHtml(): boolean {
    const line = this.#line;
    const html = readHtmlBlock(this.#content, line.firstAt, line.end);
    if (!html || (!html.interrupts && this.#leaf?.kind === 'paragraph')) return false;
    this.#begin();
    this.#setLeaf({ kind: 'html', closers: html.closers, lines: [{ start: line.firstAt, end: line.end }] });
    if (endsHtml(html.closers, line)) this.#closeLeaf();
    return true;
  }

  #endSetextHeading(): boolean {
    const { firstAt, end } = this.#line;
    const leaf = this.#leaf;
    const level = setextLevel(this.#content, firstAt, end);
    if (level === 0 || leaf?.kind !== 'paragraph' || leaf.tableFrom >= 0) return false;
    this.#leaf = null;
    // When the paragraph held only definitions, the line is not an underline but text.
    return this.#out.addSetextHeading(level, leaf, end);
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
    // Section 5.2: with more than four columns after the marker, the item begins with indented code after one column.
    const spaces = line.blank || line.indent > 4 ? 1 : line.indent;
    this.#push('item', offset + marker.length + spaces, true);
    line.skipColumns(spaces);
    return true;
  }

  #openParagraph(at: number): void {
    const item = this.#containers.at(-1);
    if (item?.isListItem && item.empty) this.#out.addBox({ start: at, end: this.#line.end });
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
    if (leaf) this.#out.add(leaf);
  }
}
