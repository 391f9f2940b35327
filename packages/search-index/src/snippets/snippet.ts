import { WordFinder } from '@notevault/note-text/words/find.ts';
import { isFunctionWord } from '@notevault/note-text/words/languages.ts';
import { plainText } from './plain-text.ts';

/** What of a note is shown beside its title. */
export interface Excerpt {
  /** At most 300 UTF-16 units of plain text. */
  readonly snippet: string;
  /** Where words that were looked for stand in the snippet, in UTF-16 units. */
  readonly highlights: readonly (readonly [number, number])[];
}

const maxSnippet = 300;
/** Of a piece longer than this, only so much around the first match is looked at. */
const maxPiece = 8000;
/** What is shown before the first match. */
const lead = 60;
const ellipsis = '…';

interface Match {
  readonly start: number;
  readonly end: number;
  readonly word: string;
}

/** Takes excerpts of texts: of each the part that says most of why it was found. */
export class Excerpts {
  readonly #finder: WordFinder;

  /**
   * @param words folded, as the vault spells them; those that only hold a question together are marked when nothing else is
   * there.
   */
  constructor(words: Iterable<string>) {
    const all = new Set(words);
    const meaningful = new Set([...all].filter((word) => !isFunctionWord(word)));
    this.#finder = new WordFinder(meaningful.size > 0 ? meaningful : all);
  }

  of(text: string): Excerpt {
    const plain = plainText(text.length > maxPiece ? around(text, this.#finder) : text);
    const matches = matchesIn(plain, this.#finder);
    const from = startOf(plain, bestStart(matches));
    const before = from > 0 ? ellipsis : '';
    const room = maxSnippet - before.length;
    const whole = plain.length - from <= room;
    const to = whole ? plain.length : endOf(plain, from, from + room - ellipsis.length);
    const snippet = `${before}${plain.slice(from, to)}${whole ? '' : ellipsis}`;
    const shift = before.length - from;
    const highlights = matches
      .filter(({ start, end }) => start >= from && end <= to)
      .map(({ start, end }) => [start + shift, end + shift] as const);
    return { snippet, highlights };
  }
}

function around(text: string, finder: WordFinder): string {
  const first = matchesIn(text, finder)[0]?.start ?? 0;
  const nearest = Math.max(0, first - maxPiece / 4);
  const line = text.lastIndexOf('\n', nearest) + 1;
  const from = nearest - line < maxPiece / 4 ? line : nearest;
  return text.slice(from, from + maxPiece).toWellFormed();
}

function matchesIn(text: string, finder: WordFinder): Match[] {
  const matches: Match[] = [];
  finder.each(text, (word, start, end) => matches.push({ start, end, word }));
  return matches;
}

/** Where the stretch begins that holds most different words, then most words; the first of equals. */
function bestStart(matches: readonly Match[]): number {
  let best = { at: 0, score: 0 };
  const inside = new Map<string, number>();
  let last = 0;
  matches.forEach((match, first) => {
    while (last < matches.length && (matches[last]?.end ?? 0) - match.start <= maxSnippet - lead - 2) {
      const { word } = matches[last] ?? match;
      inside.set(word, (inside.get(word) ?? 0) + 1);
      last++;
    }
    const score = inside.size * 1000 + (last - first);
    if (score > best.score) best = { at: match.start, score };
    const count = (inside.get(match.word) ?? 1) - 1;
    if (count > 0) inside.set(match.word, count);
    else inside.delete(match.word);
    last = Math.max(last, first + 1);
  });
  return best.at;
}

/** A little before a match, at the beginning of a word. */
function startOf(text: string, at: number): number {
  if (at <= lead) return 0;
  const space = text.indexOf(' ', at - lead);
  const from = space >= 0 && space < at ? space + 1 : at - lead;
  return splits(text, from) ? from + 1 : from;
}

function endOf(text: string, from: number, to: number): number {
  const space = text.lastIndexOf(' ', to);
  const end = space > from + (to - from) / 2 ? space : to;
  return splits(text, end) ? end - 1 : end;
}

/** Whether a cut there would part a surrogate pair, or a letter from its marks. */
function splits(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit < 0xe000;
}
