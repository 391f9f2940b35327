import { type Chunk, chunksOf, headingPath } from '@notevault/note-text/chunks.ts';
import { type Heading, scan } from '@notevault/note-text/scan.ts';

/** A part of a note that can be a search result by itself. */
export interface Section {
  /** Start and end of the section, as UTF-16 offsets in the content. */
  readonly start: number;
  readonly end: number;
  /** The headings above it, outermost first. */
  readonly heading: string;
}

/** About one or two paragraphs: what a reader takes in at a glance. */
const CHUNK_TOKENS = 400;
const MAX_SECTIONS = 2000;
/** Maximum length of a heading, as in `chunksOf`. */
const MAX_HEADING_LENGTH = 200;

/** Cuts a note into the chunks that get a vector each. */
export function chunksOfNote(content: string, headings: readonly Heading[] = scan(content).headings): Chunk[] {
  return chunksOf(content, CHUNK_TOKENS, headings);
}

/**
 * Cuts a note into sections for keyword search: at every heading, so that the headings above a match are known, and
 * inside long sections wherever the chunks are cut. A note with too many headings is cut into its chunks only.
 */
export function sectionsOf(content: string, headings: readonly Heading[]): Section[] {
  const chunks = chunksOfNote(content, headings);
  if (headings.length > MAX_SECTIONS) {
    return chunks.map(({ start, end, headings: above }) => ({ start, end, heading: headingPath(above) }));
  }
  const headingStarts = headings.map(({ start }) => content.lastIndexOf('\n', start - 1) + 1);
  const cuts = [...new Set([...chunks.map(({ start }) => start), ...headingStarts])].sort((a, b) => a - b);
  const outline = new Outline(headings, headingStarts);
  return cuts.map((start, index) => {
    return { start, end: cuts[index + 1] ?? content.length, heading: outline.headingAt(start) };
  });
}

/** Follows the nesting of headings from the beginning of a note to its end. */
class Outline {
  readonly #headings: readonly Heading[];
  readonly #starts: readonly number[];
  readonly #open: Heading[] = [];
  #next = 0;

  constructor(headings: readonly Heading[], starts: readonly number[]) {
    this.#headings = headings;
    this.#starts = starts;
  }

  /** Returns the headings that are open at an offset. Offsets must ascend from call to call. */
  headingAt(offset: number): string {
    for (let heading = this.#headings[this.#next]; heading !== undefined; heading = this.#headings[this.#next]) {
      if ((this.#starts[this.#next] ?? 0) > offset) break;
      while ((this.#open.at(-1)?.level ?? 0) >= heading.level) this.#open.pop();
      this.#open.push(heading);
      this.#next += 1;
    }
    const texts = this.#open.map(({ text }) => text.slice(0, MAX_HEADING_LENGTH).toWellFormed());
    return headingPath(texts.filter((text) => text !== ''));
  }
}
