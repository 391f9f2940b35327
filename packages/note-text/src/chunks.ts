import { splitsPair } from './diff/tokens.ts';
import { findFrontmatter } from './frontmatter/fence.ts';
import type { Heading } from './scan.ts';
import { scan } from './scan.ts';

/** A piece of a note. The chunks of a note cover all of it, in order, without gap or overlap. */
export interface Chunk {
  /** UTF-16 offsets into the content. */
  readonly start: number;
  readonly end: number;
  /** The headings that the text stands under, outermost first; each cut at 200 UTF-16 units. */
  readonly headings: readonly string[];
}

/** Joins a chain of headings into one line of text. */
export function headingPath(headings: readonly string[]): string {
  return headings.join(' > ');
}

/** Maximum number of chunks of a note. A longer note gets larger chunks, so that all of it is covered. */
export const maxChunks = 2000;
const maxHeadingLength = 200;
/** Share of a chunk below which a section is joined with the next section of the same parent. */
const smallShare = 1 / 3;

/**
 * Cuts a note into chunks that fit an embedding model, in time linear in its length. It cuts before headings; a section
 * longer than a chunk is cut before a paragraph, else a line, a sentence or a word. A heading without text of its own
 * stays with its first subsection, and frontmatter stays with the first section.
 *
 * @param maxTokens about how many tokens a chunk may have (see `tokensOf`); exceeded only when there would be more than
 * `maxChunks` chunks.
 */
export function chunksOf(
  content: string,
  maxTokens: number,
  headings: readonly Heading[] = scan(content).headings,
): Chunk[] {
  const quarters = Math.max(1, Math.floor(maxTokens * QUARTERS));
  const bodyStart = findFrontmatter(content).bodyStart;
  const sections = sectionsOf(content, bodyStart, headings);
  const chunks = cut(content, joinSmall(sections, quarters), quarters);
  if (chunks.length <= maxChunks) return chunks.map(plain);
  const total = sections.reduce((sum, { weight }) => sum + weight, 0);
  // Two neighbours that were not joined weigh more than one chunk together, so there are at most 2 × total / larger +
  // 1.
  const larger = Math.max(quarters, Math.ceil((2 * total) / (maxChunks - 1)));
  return joinAll(cut(content, sections, larger), larger).map(plain);
}

/** Estimates how many tokens a language model makes of a text: letters of larger alphabets make shorter tokens. */
export function tokensOf(text: string): number {
  return Math.ceil(weigh(text, 0, text.length) / QUARTERS);
}

const QUARTERS = 4;

interface Section extends Chunk {
  /** Weight in quarters of a token. */
  readonly weight: number;
  /** Whether there is text below the heading. */
  readonly hasText: boolean;
}

function plain({ start, end, headings }: Chunk): Chunk {
  return { start, end, headings };
}

function unitWeight(unit: number): number {
  if (unit < 0x80) return 1;
  return unit < 0x2e80 ? 2 : QUARTERS;
}

function weigh(text: string, from: number, to: number): number {
  let weight = 0;
  for (let at = from; at < to; at++) weight += unitWeight(text.charCodeAt(at));
  return weight;
}

function sectionsOf(content: string, bodyStart: number, headings: readonly Heading[]): Section[] {
  const sections: Section[] = [];
  const add = (start: number, end: number, textFrom: number, chain: readonly string[], hasText?: boolean) => {
    if (start >= end) return;
    const text = hasText ?? content.slice(textFrom, end).trim() !== '';
    sections.push({ start, end, headings: chain, weight: weigh(content, start, end), hasText: text });
  };
  const starts = headings.map((heading) => lineStart(content, heading.start, bodyStart));
  const open: Heading[] = [];
  // Frontmatter counts as a heading of the whole note, so that it stays with the text after it.
  add(0, bodyStart, 0, [], false);
  add(bodyStart, starts[0] ?? content.length, bodyStart, []);
  headings.forEach((heading, index) => {
    while ((open.at(-1)?.level ?? 0) >= heading.level) open.pop();
    open.push(heading);
    const chain = open.filter(({ text }) => text !== '').map(({ text }) => cutHeading(text));
    add(starts[index] ?? 0, starts[index + 1] ?? content.length, heading.end, chain);
  });
  return sections;
}

/**
 * Start of the line that holds `offset`, not before `floor`: a heading in a list or quote begins with that line's
 * markers.
 */
function lineStart(content: string, offset: number, floor: number): number {
  return Math.max(content.lastIndexOf('\n', offset - 1) + 1, floor);
}

function cutHeading(text: string): string {
  if (text.length <= maxHeadingLength) return text;
  return text.slice(0, splitsPair(text, maxHeadingLength) ? maxHeadingLength - 1 : maxHeadingLength);
}

/** Joins a heading without text to the section after it, and a small section to the next one under the same heading. */
function joinSmall(sections: readonly Section[], quarters: number): Section[] {
  const small = quarters * smallShare;
  const joined: Section[] = [];
  for (const section of sections) {
    const last = joined.at(-1);
    const fits = last !== undefined && last.weight + section.weight <= quarters;
    if (last !== undefined && fits && (!last.hasText || (last.weight < small && areClose(last, section)))) {
      joined[joined.length - 1] = join(last, section);
    } else joined.push(section);
  }
  return joined;
}

/** Returns whether `second` is a subsection or a sibling of `first`, so that one chain of headings describes both. */
function areClose(first: Section, second: Section): boolean {
  if (isPrefix(first.headings, second.headings)) return first.headings.length > 0;
  const parent = first.headings.slice(0, -1);
  return parent.length > 0 && second.headings.length >= first.headings.length && isPrefix(parent, second.headings);
}

function isPrefix(prefix: readonly string[], of: readonly string[]): boolean {
  return prefix.every((heading, index) => heading === of[index]);
}

function join(first: Section, second: Section): Section {
  return {
    start: first.start,
    end: second.end,
    headings: first.hasText ? shared(first.headings, second.headings) : second.headings,
    weight: first.weight + second.weight,
    hasText: first.hasText || second.hasText,
  };
}

function shared(a: readonly string[], b: readonly string[]): readonly string[] {
  const parting = a.findIndex((heading, index) => heading !== b[index]);
  return parting < 0 ? a : a.slice(0, parting);
}

/** Joins neighbouring sections while they fit into one chunk, whatever their headings. */
function joinAll(sections: readonly Section[], quarters: number): Section[] {
  const joined: Section[] = [];
  for (const section of sections) {
    const last = joined.at(-1);
    if (last !== undefined && last.weight + section.weight <= quarters) {
      joined[joined.length - 1] = join(last, section);
    } else joined.push(section);
  }
  return joined;
}

/** Cuts each section that is too long into parts of about equal size. */
function cut(content: string, sections: readonly Section[], quarters: number): Section[] {
  return sections.flatMap((section) => {
    if (section.weight <= quarters) return [section];
    const parts: Section[] = [];
    let left = section.weight;
    for (let start = section.start; start < section.end; ) {
      const end = left <= quarters ? section.end : endOfPart(content, start, section.end, left, quarters);
      const weight = weigh(content, start, end);
      parts.push({ ...section, start, end, weight });
      left -= weight;
      start = end;
    }
    return parts;
  });
}

/**
 * End of the part that starts at `start`: the last good break between two thirds of an equal share and the largest part
 * that fits.
 */
function endOfPart(content: string, start: number, sectionEnd: number, left: number, quarters: number): number {
  const parts = Math.ceil(left / quarters);
  const least = Math.floor((2 * left) / (3 * parts));
  let weight = 0;
  let low = start;
  let high = start;
  while (high < sectionEnd) {
    const next = weight + unitWeight(content.charCodeAt(high));
    if (next > quarters) break;
    weight = next;
    high++;
    if (weight <= least) low = high;
  }
  const at = lastBreak(content, low, high);
  // Never splits a surrogate pair and always advances: a single character may weigh more than a chunk.
  if (!splitsPair(content, at)) return Math.max(at, start + 1);
  return at - 1 > start ? at - 1 : start + 2;
}

/** Returns the last offset in (low, high] after a blank line, else after a line, a sentence, a space; else `high`. */
function lastBreak(content: string, low: number, high: number): number {
  const found = [0, 0, 0];
  for (let at = high; at > low; at--) {
    const rank = breakRank(content, at);
    if (rank === PARAGRAPH) return at;
    if (rank > 0 && found[rank - 1] === 0) found[rank - 1] = at;
  }
  return found[LINE - 1] || found[SENTENCE - 1] || found[SPACE - 1] || high;
}

const SPACE = 1;
const SENTENCE = 2;
const LINE = 3;
const PARAGRAPH = 4;

/** Returns the quality of a break before `at`; 0 if no break is allowed there. */
function breakRank(content: string, at: number): number {
  const before = content.charAt(at - 1);
  if (before === '\n') {
    const line = content.charAt(at - 2) === '\r' ? at - 3 : at - 2;
    return content.charAt(line) === '\n' ? PARAGRAPH : LINE;
  }
  if ('。！？'.includes(before)) return SENTENCE;
  if (before !== ' ' && before !== '\t') return 0;
  return '.!?…'.includes(content.charAt(at - 2)) ? SENTENCE : SPACE;
}
