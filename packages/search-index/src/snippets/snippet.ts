import { WordMatcher } from '@notevault/note-text/words/matcher.ts';
import type { MatchedWord } from '../ranking/rank.ts';
import { plainText } from './plain-text.ts';

/** Excerpt of a note's text in a search result. */
export interface Snippet {
  /** At most 300 UTF-16 units of plain text. */
  readonly snippet: string;
  /** Start and end of each matched word in the snippet, in UTF-16 units. */
  readonly highlights: readonly (readonly [number, number])[];
}

const MAX_SNIPPET_LENGTH = 300;
/** Maximum length of text read around the first match. */
const MAX_TEXT_LENGTH = 8000;
/** Length of the text shown before the first match. */
const LEAD_LENGTH = 60;
const ELLIPSIS = '…';
/** Score of a repeated word, lower than that of any other word. */
const REPEATED_WORD_SCORE = 1e-6;

interface Match {
  readonly start: number;
  readonly end: number;
  readonly matched: MatchedWord;
}

/** Makes snippets: the part of a text with the most and the rarest of the matched words. */
export class SnippetMaker {
  readonly #words: ReadonlyMap<string, MatchedWord>;
  readonly #finder: WordMatcher;

  /** @param words minor ones are highlighted only when there are no others. */
  constructor(words: readonly MatchedWord[]) {
    const major = words.filter(({ isMinor }) => !isMinor);
    this.#words = new Map((major.length > 0 ? major : words).map((own) => [own.word, own]));
    this.#finder = new WordMatcher(new Set(this.#words.keys()));
  }

  snippetOf(markdown: string): Snippet {
    const plain = plainText(markdown.length > MAX_TEXT_LENGTH ? this.#excerptOf(markdown) : markdown);
    const matches = this.#matchesIn(plain);
    const from = startNear(plain, bestWindowStart(matches));
    const prefix = from > 0 ? ELLIPSIS : '';
    const maxLength = MAX_SNIPPET_LENGTH - prefix.length;
    const reachesEnd = plain.length - from <= maxLength;
    const to = reachesEnd ? plain.length : endNear(plain, from, from + maxLength - ELLIPSIS.length);
    const snippet = `${prefix}${plain.slice(from, to)}${reachesEnd ? '' : ELLIPSIS}`;
    const shift = prefix.length - from;
    const highlights = matches
      .filter(({ start, end }) => start >= from && end <= to)
      .map(({ start, end }) => [start + shift, end + shift] as const);
    return { snippet, highlights };
  }

  /** Returns the part of a long text around its first match, from the beginning of a line where that is near. */
  #excerptOf(markdown: string): string {
    const first = this.#matchesIn(markdown)[0]?.start ?? 0;
    const earliest = Math.max(0, first - MAX_TEXT_LENGTH / 4);
    const lineStart = markdown.lastIndexOf('\n', earliest) + 1;
    const from = earliest - lineStart < MAX_TEXT_LENGTH / 4 ? lineStart : earliest;
    return markdown.slice(from, from + MAX_TEXT_LENGTH).toWellFormed();
  }

  #matchesIn(text: string): Match[] {
    const matches: Match[] = [];
    this.#finder.each(text, (word, start, end) => {
      const matched = this.#words.get(word);
      if (matched !== undefined) matches.push({ start, end, matched });
    });
    return matches;
  }
}

/**
 * Returns the start of the window whose query words are the most informative, then the most numerous; the first of
 * equal windows.
 */
function bestWindowStart(matches: readonly Match[]): number {
  let best = { start: 0, score: 0 };
  const counts = new Map<MatchedWord, number>();
  let last = 0;
  matches.forEach((match, first) => {
    while (last < matches.length && (matches[last]?.end ?? 0) - match.start <= MAX_SNIPPET_LENGTH - LEAD_LENGTH - 2) {
      const { matched } = matches[last] ?? match;
      counts.set(matched, (counts.get(matched) ?? 0) + 1);
      last++;
    }
    const score = weightOf(counts.keys()) + (last - first) * REPEATED_WORD_SCORE;
    if (score > best.score) best = { start: match.start, score };
    const left = (counts.get(match.matched) ?? 1) - 1;
    if (left > 0) counts.set(match.matched, left);
    else counts.delete(match.matched);
    last = Math.max(last, first + 1);
  });
  return best.start;
}

/** Returns the total informativeness of words; only the best form of each word counts. */
function weightOf(words: Iterable<MatchedWord>): number {
  const weights = new Map<number, number>();
  for (const { term, weight } of words) weights.set(term, Math.max(weights.get(term) ?? 0, weight));
  let sum = 0;
  for (const weight of weights.values()) sum += weight;
  return sum;
}

/** Returns the beginning of a word a little before an offset. */
function startNear(text: string, offset: number): number {
  if (offset <= LEAD_LENGTH) return 0;
  const space = text.indexOf(' ', offset - LEAD_LENGTH);
  const from = space >= 0 && space < offset ? space + 1 : offset - LEAD_LENGTH;
  return splitsSurrogatePair(text, from) ? from + 1 : from;
}

/** Returns the end of a word a little before an offset. */
function endNear(text: string, from: number, offset: number): number {
  const space = text.lastIndexOf(' ', offset);
  const end = space > from + (offset - from) / 2 ? space : offset;
  return splitsSurrogatePair(text, end) ? end - 1 : end;
}

function splitsSurrogatePair(text: string, offset: number): boolean {
  const unit = text.charCodeAt(offset);
  return unit >= 0xdc00 && unit < 0xe000;
}
