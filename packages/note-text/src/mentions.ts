import { findAll, foldCase, isWholeWords } from './find-text.ts';
import { findFrontmatter } from './frontmatter/fence.ts';
import type { ParsedLink, Span } from './links/parsed-link.ts';
import { scanBlocks } from './scan/blocks.ts';
import { scanInline } from './scan/inline.ts';
import type { InlineText } from './scan/inline-text.ts';
import { TagSet } from './tags.ts';

/** A place where a name stands in plain text. */
export interface Mention extends Span {
  /** Whether it is in the cell of a table, where `|` must be escaped. */
  readonly inTable: boolean;
}

const NAME_UNITS_MIN = 2;
const NAME_UNITS_MAX = 200;
const NAMES_MAX = 50;
const MENTIONS_MAX = 1000;

/** Returns the names by which notes may mention a note: those of one character would be found everywhere. */
export function mentionNames(title: string, aliases: readonly string[]): string[] {
  const names = [title, ...aliases].map((name) => name.trim());
  const usable = names.filter(({ length }) => length >= NAME_UNITS_MIN && length <= NAME_UNITS_MAX);
  return [...new Map(usable.map((name) => [foldCase(name), name])).values()].slice(0, NAMES_MAX);
}

/**
 * Finds where names stand as whole words, in any case, outside of links, tags, code, addresses, comments and
 * frontmatter; of names that overlap the first and longest. In order, at most 1,000.
 */
export function mentionsIn(content: string, names: readonly string[]): Mention[] {
  const { bodyStart } = findFrontmatter(content);
  const folded = foldCase(content);
  const found: Span[] = [];
  for (const name of names) {
    for (const start of findAll(folded, foldCase(name))) {
      const span = { start, end: start + name.length };
      if (start >= bodyStart && isWholeWords(content, span)) found.push(span);
    }
  }
  if (found.length === 0) return [];
  const order = (a: Span, b: Span) => a.start - b.start || b.end - a.end;
  const plain = plainParts(content, bodyStart);
  const mentions: Mention[] = [];
  const addresses = new Addresses(content);
  let part = 0;
  let free = 0;
  for (const span of found.sort(order)) {
    if (mentions.length >= MENTIONS_MAX) break;
    while (part < plain.length && (plain[part]?.end ?? 0) <= span.start) part++;
    const inside = plain[part];
    if (inside === undefined || span.start < Math.max(inside.start, free) || span.end > inside.end) continue;
    if (addresses.has(span)) continue;
    mentions.push({ ...span, inTable: inside.inTable });
    free = span.end;
  }
  return mentions;
}

/** Returns the stretches of plain text, in order. */
function plainParts(content: string, bodyStart: number): Mention[] {
  const blocks = scanBlocks(content, bodyStart, true);
  const parts: Mention[] = [];
  for (const text of blocks.texts) {
    const opaque: Span[] = [];
    const links: ParsedLink[] = [];
    scanInline(text, blocks.definitions, { links, tags: new TagSet(), code: null, opaque });
    opaque.sort((a, b) => a.start - b.start);
    for (const line of linesOf(text)) {
      let from = line.start;
      for (const { start, end } of opaque) {
        if (end <= from || start >= line.end) continue;
        if (start > from) parts.push({ start: from, end: start, inTable: text.isCell });
        from = Math.max(from, end);
      }
      if (from < line.end) parts.push({ start: from, end: line.end, inTable: text.isCell });
    }
  }
  return parts.sort((a, b) => a.start - b.start);
}

function linesOf(source: InlineText): Span[] {
  const lines: Span[] = [];
  for (let at = 0; at <= source.text.length; ) {
    const newline = source.text.indexOf('\n', at);
    const end = newline < 0 ? source.text.length : newline;
    const start = source.toContent(at);
    lines.push({ start, end: start + end - at });
    at = end + 1;
  }
  return lines;
}

/** Tells whether spans, in ascending order, are in addresses such as `https://example.com/name`; each text is read once. */
class Addresses {
  readonly #content: string;
  #read = 0;
  #isInside = false;

  constructor(content: string) {
    this.#content = content;
  }

  has({ start }: Span): boolean {
    const text = this.#content.slice(this.#read, start);
    const run = text.slice(lastBlank(text) + 1);
    this.#isInside = (this.#isInside && run.length === text.length) || run.includes('://');
    this.#read = start;
    return this.#isInside;
  }
}

function lastBlank(text: string): number {
  let at = text.length - 1;
  while (at >= 0 && !/\s/.test(text.charAt(at))) at--;
  return at;
}
