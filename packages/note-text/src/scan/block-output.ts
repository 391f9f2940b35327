import type { Span } from '../links/parsed-link.ts';
import { type Definitions, takeDefinitions } from './definitions.ts';
import { InlineText } from './inline-text.ts';
import type { Leaf, ParagraphLeaf } from './leaf.ts';
import { splitRow } from './table.ts';

export interface Heading {
  /** Heading level, from 1 to 6. */
  readonly level: number;
  /** Heading text as written, without the `#` or underline and surrounding white space. */
  readonly text: string;
  /**
   * Offset of the first `#` (setext: of the text); the heading extends to the end of its last line, without the line
   * end.
   */
  readonly start: number;
  readonly end: number;
}

/** Collects what the block scan finds for the inline scan; every offset refers to the content. */
export class Blocks {
  /**
   * Paragraphs, headings, table cells and HTML without its code, in order; only those that can hold links or tags, unless
   * all are kept.
   */
  readonly texts: InlineText[] = [];
  readonly definitions: Definitions = new Map();
  readonly headings: Heading[] = [];
  /** Fenced and indented code blocks. */
  readonly code: Span[] = [];
  /** The lines of list items that begin with a box, from its `[` on. */
  readonly boxes: Span[] = [];
  readonly #content: string;
  readonly #keepsAll: boolean;

  /** @param keepsAll whether `texts` has those too that hold no links, tags or code. */
  constructor(content: string, keepsAll: boolean) {
    this.#content = content;
    this.#keepsAll = keepsAll;
  }

  /** Adds a block that has ended. */
  add(leaf: Leaf): void {
    if (leaf.kind === 'paragraph') this.#addParagraph(leaf);
    else if (leaf.kind === 'fence' || leaf.kind === 'indented') this.code.push({ start: leaf.start, end: leaf.end });
    else if (leaf.kind === 'html' && leaf.closers.length === 0) this.#addText(leaf.lines);
  }

  /** Notes the first line of a list item's paragraph, if it begins with a box. */
  addBox(line: Span): void {
    if (box.test(this.#content.slice(line.start, Math.min(line.end, line.start + BOX_LENGTH)))) this.boxes.push(line);
  }

  /** Adds an ATX heading: the span of its text, and the span of its line from the first `#`. */
  addAtxHeading(level: number, text: Span, line: Span): void {
    this.#addHeading({ level, text: this.#content.slice(text.start, text.end), ...line });
    this.#addText([text]);
  }

  /** Adds the open paragraph as a setext heading; returns false when the paragraph held only definitions. */
  addSetextHeading(level: number, paragraph: ParagraphLeaf, end: number): boolean {
    const lines = this.#withoutDefinitions(paragraph.lines);
    const first = lines[0];
    if (!first) return false;
    const text = lines.map((line) => this.#content.slice(line.start, line.end).trim()).join(' ');
    this.#addHeading({ level, text, start: first.start, end });
    this.#addText(lines);
    return true;
  }

  #addHeading(heading: Heading): void {
    if (this.headings.length < maxHeadings) this.headings.push(heading);
  }

  #addText(lines: readonly Span[], isCell = false): void {
    const text = new InlineText(this.#content, lines, isCell);
    if (this.#keepsAll || text.holdsInlines) this.texts.push(text);
  }

  #addParagraph(leaf: ParagraphLeaf): void {
    const isTable = leaf.tableFrom >= 0;
    this.#addText(this.#withoutDefinitions(isTable ? leaf.lines.slice(0, leaf.tableFrom) : leaf.lines));
    if (!isTable) return;
    for (const row of leaf.lines.slice(leaf.tableFrom)) {
      for (const cell of splitRow(this.#content, row)) this.#addText([cell], true);
    }
  }

  #withoutDefinitions(lines: readonly Span[]): readonly Span[] {
    const first = lines[0];
    if (!first || this.#content.charAt(first.start) !== '[') return lines;
    const taken = takeDefinitions(new InlineText(this.#content, lines), this.definitions);
    return taken === 0 ? lines : lines.slice(taken);
  }
}

/** A mark of one character in brackets, and text after it. */
const box = /^\[[^\][]\][ \t]/;
/** Brackets, mark and white space. */
const BOX_LENGTH = 4;

/** Maximum number of headings kept from a note. */
const maxHeadings = 20_000;
