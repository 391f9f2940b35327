import { classAt, UNSPACED } from './words/classes.ts';
import { fold } from './words/fold.ts';
import { eachRun, type Runs, segmentsOf } from './words/runs.ts';
import { simplified } from './words/simplified.ts';

/** A longer run of letters (mostly encoded data) is cut to its first units. */
export const maxWordLength = 64;

/** Called with each word in folded form and its UTF-16 offsets. */
export type VisitWord = (word: string, start: number, end: number) => void;

/**
 * Calls `visit` for each word of `text` between two UTF-16 offsets, in order. Words are runs of letters and digits with
 * their marks, and emoji; scripts written without spaces are segmented by ICU's dictionaries. Takes time linear in the length.
 *
 * @param pauseAt no word is started at or after this offset.
 * @returns the offset at which it stopped, from which a later call can continue.
 */
export function eachWord(text: string, visit: VisitWord, from = 0, to = text.length, pauseAt = to): number {
  const give = (start: number, end: number) => {
    const word = foldedWord(text.slice(start, Math.min(end, start + maxWordLength)));
    if (word !== '') visit(word, start, end);
  };
  const runs: Runs = {
    word: give,
    stretch(start, end) {
      const stretch = segmentable(text.slice(start, end));
      for (const { segment, index } of segmentsOf(stretch)) {
        if (classAt(stretch, index) === UNSPACED) give(start + index, start + index + segment.length);
      }
    },
  };
  return eachRun(text, from, to, runs, pauseAt);
}

const kana = /[\u3040-\u30ff]/;

/** Chinese is segmented in simplified characters, so that both scripts have the same words; Japanese as it is. */
export function segmentable(stretch: string): string {
  return kana.test(stretch) ? stretch : simplified(stretch);
}

/** Returns the folded, shortened form of a run of letters, under which it is indexed. */
export function foldedWord(run: string): string {
  return fold(run.slice(0, maxWordLength).toWellFormed());
}

/**
 * Returns a run of letters in lower case with its accents, as stemmers know words. Of other alphabets than Latin, and
 * of words without accents, it is the folded word.
 *
 * @param folded the run's folded form.
 */
export function writtenWord(run: string, folded: string): string {
  if (!isLatin(folded.charCodeAt(0)) || isAscii(run)) return folded;
  return run.slice(0, maxWordLength).toWellFormed().normalize('NFKC').toLowerCase();
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0x7f) return false;
  return true;
}

const isLatin = (unit: number) => (unit >= 0x61 && unit <= 0x7a) || (unit >= 0xc0 && unit < 0x250);

/** A word in the form that is looked up, and as it was written. */
export interface SpelledWord {
  /** Folded. */
  readonly word: string;
  /** The word in lower case with accents, see `writtenWord`. */
  readonly written: string;
}

/** Returns the words of a short text, in order. */
export function spelledWordsOf(text: string): SpelledWord[] {
  const words: SpelledWord[] = [];
  eachWord(text, (word, start, end) => words.push({ word, written: writtenWord(text.slice(start, end), word) }));
  return words;
}

/** Returns the folded words of a short text, in order. */
export function wordsOf(text: string): string[] {
  const words: string[] = [];
  eachWord(text, (word) => words.push(word));
  return words;
}
