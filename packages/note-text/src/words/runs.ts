import { BREAK, classAt, LETTER, MARK, UNSPACED, unitsAt } from './classes.ts';

/** Text of scripts without spaces is given to the dictionary in pieces of this length. */
const maxStretch = 2048;

/** What a text is made of, for the search for words. */
export interface Runs {
  /** A word: a run of letters and digits with their marks. */
  word(start: number, end: number): void;
  /** Words of scripts without spaces, and whatever stands between them: a dictionary says where these part. */
  stretch(start: number, end: number): void;
}

/**
 * Calls `runs` for what stands between two offsets of a text, in order. Takes time linear in the length.
 *
 * @param pauseAt no run is begun from here on.
 * @returns where it stopped: going on from there gives what going through at once would have.
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

/** Each call of the dictionary has its price: what stands between words goes with them. */
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

/** A stretch as ICU's dictionaries part it. */
export function segmentsOf(stretch: string): Intl.Segments {
  dictionary ??= new Intl.Segmenter('ja', { granularity: 'word' });
  return dictionary.segment(stretch);
}
