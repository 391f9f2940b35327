import { classAt, UNSPACED } from './words/classes.ts';
import { fold } from './words/fold.ts';
import { eachRun, type Runs, segmentsOf } from './words/runs.ts';

/** Longer runs of letters (encoded data, mostly) are known by so many of their first units. */
export const maxWordLength = 64;

/** Hears of words with their folded forms and where they stand, in UTF-16 units. */
export type VisitWord = (word: string, start: number, end: number) => void;

/**
 * Calls `visit` for each word of `text` between two UTF-16 offsets, in order. Words are runs of letters and digits with
 * their marks; scripts that are written without spaces are parted by ICU's dictionaries. Takes time linear in the length,
 * whatever the text holds.
 *
 * @param pauseAt no word is begun from here on.
 * @returns where it stopped, to go on from.
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

/** The form under which a run is known. */
export function foldedWord(run: string): string {
  return fold(run.slice(0, maxWordLength).toWellFormed());
}

/** The folded words of a short text, in order. */
export function wordsOf(text: string): string[] {
  const words: string[] = [];
  eachWord(text, (word) => words.push(word));
  return words;
}
