import { BREAK, classAt, LETTER, MARK, UNSPACED, unitsAt } from './classes.ts';

/** Text of scripts without spaces is passed to the dictionary in pieces of at most this length. */
const maxStretch = 2048;

/** Receives the runs of a text during the word search. */
export interface Runs {
  /** A word: a run of letters and digits with their marks. */
  word(start: number, end: number): void;
  /** Words of scripts without spaces and the text between them: a dictionary finds the boundaries. */
  stretch(start: number, end: number): void;
}

/**
 * Calls `runs` for each run between two offsets of a text, in order. Takes time linear in the length.
 *
 * @param pauseAt no run is started at or after this offset.
 * @returns the offset at which it stopped. Continuing from there gives the same runs as a single call.
 */
export function eachRun(text: string, from: number, to: number, runs: Runs, pauseAt = to): number {
  let at = from;
  while (at < pauseAt) {
    const kind = classAt(text, at);
    const start = at;
    if (kind === LETTER) {
      at = endOfWord(text, start, to);
      runs.word(start, at);
    } else if (kind === UNSPACED) {
      at = endOfStretch(text, start, Math.min(to, start + maxStretch));
      runs.stretch(start, at);
    } else at += unitsAt(text, at);
  }
  return at;
}

function endOfWord(text: string, start: number, to: number): number {
  for (let at = start; at < to; at += unitsAt(text, at)) {
    const kind = classAt(text, at);
    if (kind !== LETTER && kind !== MARK) return at;
  }
  return to;
}

/** Each dictionary call has a fixed cost, so the text between words is passed along with them. */
function endOfStretch(text: string, start: number, to: number): number {
  let end = start;
  for (let at = start; at < to && classAt(text, at) !== LETTER; ) {
    const kind = classAt(text, at);
    at += unitsAt(text, at);
    if (kind !== BREAK) end = at;
  }
  return Math.min(Math.max(end, start + unitsAt(text, start)), to);
}

let dictionary: Intl.Segmenter | undefined;

/** Segments a stretch with ICU's dictionaries. */
export function segmentsOf(stretch: string): Intl.Segments {
  dictionary ??= new Intl.Segmenter('ja', { granularity: 'word' });
  return dictionary.segment(stretch);
}
