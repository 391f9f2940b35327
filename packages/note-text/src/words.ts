import { classAt, UNSPACED } from './words/classes.ts';
import { fold } from './words/fold.ts';
import { eachRun, type Runs, segmentsOf } from './words/runs.ts';

/** A longer run of letters (mostly encoded data) is cut to its first units. */
export const maxWordLength = 64;

/** Called with each word in folded form and its UTF-16 offsets. */
export type VisitWord = (word: string, start: number, end: number) => void;

/**
 * Calls `visit` for each word of `text` between two UTF-16 offsets, in order. Words are runs of letters and digits with
 * their marks; scripts written without spaces are segmented by ICU's dictionaries. Takes time linear in the length.
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
      const stretch = text.slice(start, end);
      for (const { segment, index } of segmentsOf(stretch)) {
        if (classAt(stretch, index) === UNSPACED) give(start + index, start + index + segment.length);
      }
    },
  };
  return eachRun(text, from, to, runs, pauseAt);
}

/** The folded, shortened form of a run of letters, under which it is indexed. */
export function foldedWord(run: string): string {
  return fold(run.slice(0, maxWordLength).toWellFormed());
}

/** The folded words of a short text, in order. */
export function wordsOf(text: string): string[] {
  const words: string[] = [];
  eachWord(text, (word) => words.push(word));
  return words;
}
