import { splitsPair } from './diff/tokens.ts';
import { findFrontmatter } from './frontmatter/fence.ts';
import type { Heading } from './scan.ts';
import { scan } from './scan.ts';

/** A piece of a note; pieces follow each other without gap or overlap and together are the note. */
export interface Chunk {
  /** UTF-16 offsets into the content. */
  readonly start: number;
  readonly end: number;
  /** The chain of headings above the text, outermost first; each cut at 200 units. */
  readonly headings: readonly string[];
}

/** How headings stand in one text. */
export function headingPath(headings: readonly string[]): string {
  return headings.join(' > ');
}

/** Most chunks of one note: a longer note gets larger chunks, so that all of it is covered. */
export const maxChunks = 2000;
const maxHeadingLength = 200;
/** A section below this share of a chunk is read together with the next one of the same parent. */
const smallShare = 1 / 3;

/**
 * Cuts a note into chunks that a model can take, in time linear in its length. Cuts are made before headings, and in
 * sections longer than a chunk before paragraphs, lines, sentences or words, whichever is found first. A heading without
 * text of its own stays with what it heads, and frontmatter with the first section.
 *
 * @param maxTokens about how many tokens a chunk may have (see `tokensOf`); exceeded only when there would be too many.
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
  // Any two neighbours left after joining weigh more than one chunk, so there are at most 2 × total / larger + 1.
  const larger = Math.max(quarters, Math.ceil((2 * total) / (maxChunks - 1)));
  return joinAll(cut(content, sections, larger), larger).map(plain);
}

/** A guess at how many tokens a text is to a language model: letters of larger alphabets make shorter tokens. */
export function tokensOf(text: string): number {
  return Math.ceil(weigh(text, 0, text.length) / QUARTERS);
}

const QUARTERS = 4;

interface Section extends Chunk {
  /** Quarters of tokens. */
  readonly weight: number;
  /** Whether there is anything below the heading. */
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
  // Frontmatter counts as a heading of the whole note: it stays with what comes after it.
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

/** A heading in a list or a quote begins with its line's marks. */
function lineStart(content: string, offset: number, floor: number): number {
  return Math.max(content.lastIndexOf('\n', offset - 1) + 1, floor);
}

function cutHeading(text: string): string {
  if (text.length <= maxHeadingLength) return text;
  return text.slice(0, splitsPair(text, maxHeadingLength) ? maxHeadingLength - 1 : maxHeadingLength);
}

/** Joins headings without text to what follows, and small sections to the next below the same heading. */
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

/** Whether the second is below the first or beside it, under a heading that tells of both. */
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

/** Joins neighbours as long as they fit, whatever heads them. */
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

/** Cuts sections that are too long into about equal parts. */
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

/** Where the part from `start` ends: at the last good break between two thirds of its share and all that fits. */
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
  // Never split a pair, never stand still: a chunk of a single character may be too heavy, but must be taken.
  if (!splitsPair(content, at)) return Math.max(at, start + 1);
  return at - 1 > start ? at - 1 : start + 2;
}

/** The last offset in (low, high] after a blank line, else after a line, a sentence, a space; else `high`. */
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

/** How good it is to cut before `at`; 0: not at all. */
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
