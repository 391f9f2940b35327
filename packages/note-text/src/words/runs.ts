import { BREAK, classAt, LETTER, MARK, SYMBOL, UNSPACED, unitsAt } from './classes.ts';

/** Text of scripts without spaces is passed to the dictionary in pieces of at most this length. */
const maxStretch = 2048;

/** Receives the runs of a text during the word search. */
export interface Runs {
  /** A word: a run of letters and digits with their marks, an emoji, or a name like `C++`, `C#` and `.NET`. */
  word(start: number, end: number): void;
  /** Reports a stretch of text in scripts without spaces, in which a dictionary finds the word boundaries. */
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
      at = endWithSign(text, start, endOfWord(text, start, to), to);
      runs.word(start, at);
    } else if (kind === SYMBOL) {
      at = endOfSymbol(text, start, to);
      runs.word(start, at);
    } else if (isDotName(text, start, to)) {
      at = start + DOT_NAME.length;
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

/** Languages are named by one letter with signs: `C++`, `C#`, `F#`. */
function endWithSign(text: string, start: number, end: number, to: number): number {
  if (end - start !== 1) return end;
  const sign = text.startsWith('++', end) ? 2 : text.charAt(end) === '#' ? 1 : 0;
  const after = end + sign;
  return sign > 0 && after <= to && (after >= text.length || classAt(text, after) !== LETTER) ? after : end;
}

const DOT_NAME = '.net';

/** Returns whether `.NET` begins at an offset; a file name that ends in `.net` is two words. */
function isDotName(text: string, at: number, to: number): boolean {
  const end = at + DOT_NAME.length;
  if (text.charCodeAt(at) !== 0x2e || end > to || text.slice(at, end).toLowerCase() !== DOT_NAME) return false;
  if (at > 0 && classAt(text, at - 1) === LETTER) return false;
  return end >= text.length || classAt(text, end) !== LETTER;
}

const ZERO_WIDTH_JOINER = 0x200d;
const isRegionalIndicator = (text: string, at: number) => /^[\u{1f1e6}-\u{1f1ff}]/u.test(text.slice(at, at + 2));

/** Returns an emoji with its marks, and those joined to it; a flag is two letters. */
function endOfSymbol(text: string, start: number, to: number): number {
  let at = start + unitsAt(text, start);
  if (isRegionalIndicator(text, start) && isRegionalIndicator(text, at)) return Math.min(to, at + 2);
  while (at < to && (classAt(text, at) === MARK || isSkinTone(text, at))) {
    const joins = text.charCodeAt(at) === ZERO_WIDTH_JOINER;
    at += unitsAt(text, at);
    if (joins && at < to && classAt(text, at) === SYMBOL) at += unitsAt(text, at);
  }
  return Math.min(to, at);
}

function isSkinTone(text: string, at: number): boolean {
  const point = text.codePointAt(at) ?? 0;
  return point >= 0x1f3fb && point <= 0x1f3ff;
}

/** Each dictionary call has a fixed cost, so the text between words is passed along with them. */
function endOfStretch(text: string, start: number, to: number): number {
  let end = start;
  for (let at = start; at < to; ) {
    const kind = classAt(text, at);
    if (kind === LETTER || kind === SYMBOL) break;
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
