import type { Span } from './links/parsed-link.ts';
import { BREAK, classAt, MARK, SYMBOL, UNSPACED, unitsAt } from './words/classes.ts';

/** Folds case such that every offset stays what it is. */
export function foldCase(text: string): string {
  const lower = text.toLowerCase();
  if (lower.length === text.length) return lower.replaceAll('ς', 'σ');
  const fold = (character: string) => {
    const folded = character.toLowerCase();
    return folded.length === character.length ? folded : character;
  };
  return Array.from(text, fold).join('').replaceAll('ς', 'σ');
}

/** Returns the offsets at which a text occurs, without overlaps, in linear time (Knuth, Morris and Pratt). */
export function findAll(text: string, wanted: string): number[] {
  const found: number[] = [];
  // The usual case, a note without it, costs no table.
  let at = wanted === '' ? -1 : text.indexOf(wanted.slice(0, QUICK));
  if (at < 0) return found;
  const back = borders(wanted);
  let matched = 0;
  for (; at < text.length; at++) {
    while (matched > 0 && text.charCodeAt(at) !== wanted.charCodeAt(matched)) matched = back[matched - 1] ?? 0;
    if (text.charCodeAt(at) === wanted.charCodeAt(matched)) matched++;
    if (matched < wanted.length) continue;
    found.push(at - wanted.length + 1);
    matched = 0;
  }
  return found;
}

const QUICK = 8;

/**
 * Returns the border table of a text: for each prefix, the length of its longest proper suffix that is also a prefix.
 */
function borders(text: string): Uint16Array {
  const lengths = new Uint16Array(text.length);
  for (let at = 1, length = 0; at < text.length; at++) {
    while (length > 0 && text.charCodeAt(at) !== text.charCodeAt(length)) length = lengths[length - 1] ?? 0;
    if (text.charCodeAt(at) === text.charCodeAt(length)) length++;
    lengths[at] = length;
  }
  return lengths;
}

/**
 * Returns whether a span begins and ends at the borders of words. In scripts without blanks every character is a
 * border, because only a dictionary tells their words apart.
 */
export function isWholeWords(text: string, { start, end }: Span): boolean {
  return isBorder(text, start) && isBorder(text, end);
}

function isBorder(text: string, at: number): boolean {
  if (at <= 0 || at >= text.length) return true;
  const after = classAt(text, at);
  if (after === MARK) return false;
  const before = classBefore(text, at);
  if (after === BREAK || after === SYMBOL || before === BREAK || before === SYMBOL) return true;
  return after === UNSPACED || before === UNSPACED;
}

/** Returns the class of the character before an offset, without its marks. */
function classBefore(text: string, at: number): number {
  let previous = at;
  do {
    previous -= previous > 1 && unitsAt(text, previous - 2) === 2 ? 2 : 1;
  } while (previous > 0 && at - previous < MARKS_MAX && classAt(text, previous) === MARK);
  return classAt(text, previous);
}

/** More marks on one character are not looked through. */
const MARKS_MAX = 32;
