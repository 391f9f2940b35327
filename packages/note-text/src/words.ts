import { BREAK, classAt, LETTER, MARK, UNSPACED, unitsAt } from './words/classes.ts';
import { fold } from './words/fold.ts';

/** Longer runs of letters (encoded data, mostly) are known by so many of their first units. */
export const maxWordLength = 64;
/** Text of scripts without spaces is given to the dictionary in pieces of this length. */
const maxStretch = 2048;

let dictionary: Intl.Segmenter | undefined;

/**
 * Calls `visit` for each word of `text` between two UTF-16 offsets, in order, with its folded form and where it stands.
 * Words are runs of letters and digits with their marks; scripts that are written without spaces are parted by ICU's
 * dictionaries. Takes time linear in the length, whatever the text holds.
 */
export function eachWord(
  text: string,
  visit: (word: string, start: number, end: number) => void,
  from = 0,
  to = text.length,
): void {
  const give = (start: number, end: number) => {
    const word = fold(text.slice(start, Math.min(end, start + maxWordLength)).toWellFormed());
    if (word !== '') visit(word, start, end);
  };
  for (let at = from; at < to; ) {
    const kind = classAt(text, at);
    if (kind !== LETTER && kind !== UNSPACED) {
      at += unitsAt(text, at);
      continue;
    }
    const start = at;
    at = kind === LETTER ? endOfWord(text, start, to) : endOfStretch(text, start, Math.min(to, start + maxStretch));
    if (kind === LETTER) give(start, at);
    else eachSegment(text.slice(start, at), (offset, length) => give(start + offset, start + offset + length));
  }
}

function endOfWord(text: string, start: number, to: number): number {
  let at = start;
  while (at < to && (classAt(text, at) === LETTER || classAt(text, at) === MARK)) at += unitsAt(text, at);
  return Math.min(at, to);
}

/** Words of scripts without spaces, and whatever stands between them: each call of the dictionary has its price. */
function endOfStretch(text: string, start: number, to: number): number {
  let end = start;
  for (let at = start; at < to && classAt(text, at) !== LETTER; ) {
    const kind = classAt(text, at);
    at += unitsAt(text, at);
    if (kind !== BREAK) end = at;
  }
  return Math.min(Math.max(end, start + unitsAt(text, start)), to);
}

function eachSegment(stretch: string, visit: (offset: number, length: number) => void): void {
  dictionary ??= new Intl.Segmenter('ja', { granularity: 'word' });
  for (const { segment, index } of dictionary.segment(stretch)) {
    if (classAt(stretch, index) === UNSPACED) visit(index, segment.length);
  }
}

/** The folded words of a short text, in order. */
export function wordsOf(text: string): string[] {
  const words: string[] = [];
  eachWord(text, (word) => words.push(word));
  return words;
}
