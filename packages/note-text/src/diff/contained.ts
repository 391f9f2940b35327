/** Tests whether one text contains all of another, cut only between words. All offsets count UTF-16 units. */
import type { Budget } from './budget.ts';
import { compareTokens, type Hunk } from './myers.ts';
import { joinsWords, words } from './tokens.ts';

/** Past this many differing words, two texts count as having nothing in common. */
const changedWords = 300;
/**
 * Maximum gaps in a change that counts as the same change with other edits inside; texts that merely share words have
 * more.
 */
const maxGaps = 3;

/** A stretch that both texts have. */
export interface Piece {
  readonly inLess: number;
  readonly inMore: number;
  readonly length: number;
}

/**
 * Finds all of the shorter text as pieces of the longer one, in order and cut between words. Returns an empty list when
 * it is not contained, or only in more pieces than one edited change would have, or has no letter or digit.
 *
 * @param beginsAlike whether both begin at the same base offset. Then the last word of the shorter text may be
 * continued in the longer one, as happens while somebody types.
 * @param goesOn whether any word may be continued.
 */
export function piecesIn(less: string, more: string, beginsAlike: boolean, budget: Budget, goesOn = true): Piece[] {
  if (less.length > more.length || !hasLetter(less)) return [];
  if (more.startsWith(less) && (endsBetweenWords(more, less.length) || (beginsAlike && isContinued(less, more)))) {
    return [{ inLess: 0, inMore: 0, length: less.length }];
  }
  const found = wordsIn(less, more, budget);
  return found.length === 0 && goesOn ? wordsGoingOn(less, more, budget) : found;
}

/** A shorter word may begin another one by chance. */
const minContinued = 3;

/** Finds all of the shorter text in the longer one, in order, where each word may be continued. */
function wordsGoingOn(less: string, more: string, budget: Budget): Piece[] {
  const pieces: Piece[] = [];
  let [inLess, inMore, gaps] = [0, 0, 0];
  while (inLess < less.length) {
    const end = words.next(less, inLess, less.length);
    const token = less.slice(inLess, end);
    const at = nextToken(token, more, inMore, budget);
    if (at === -1 || budget.work <= 0) return [];
    if (!isWithinWord(more, inMore, at)) gaps++;
    pieces.push({ inLess, inMore: at, length: token.length });
    [inLess, inMore] = [end, at + token.length];
  }
  return gaps > maxGaps ? [] : pieces;
}

/**
 * Finds in a text all words of another one that it does not have from the base, in order. A side that replaces a whole
 * line writes words of the base again; in its next text, these may be replaced as well.
 *
 * @returns the stretches found, and what is missing of the base; null when a new word is missing.
 */
export function newWordsIn(
  base: string,
  less: string,
  more: string,
  budget: Budget,
): { found: Piece[]; gone: Piece[] } | null {
  const ofNew = changedTokens(base, less, budget);
  const ofMore = changedTokens(less, more, budget);
  if (ofNew === null || ofMore === null || ofMore.length > maxReplaced) return null;
  const found: Piece[] = [];
  const gone: Piece[] = [];
  let [inLess, inMore, next] = [0, 0, 0];
  for (const { aFrom, aTo, bTo } of [...ofMore, { aFrom: less.length, aTo: less.length, bTo: more.length }]) {
    if (aFrom > inLess) found.push({ inLess, inMore, length: aFrom - inLess });
    while (next < ofNew.length && (ofNew[next] as Hunk).bTo <= aFrom) next++;
    if (aTo > aFrom) {
      if ((ofNew[next]?.bFrom ?? aTo) < aTo || !hasLetter(less.slice(aFrom, aTo))) return null;
      gone.push({ inLess: aFrom, inMore, length: aTo - aFrom });
    }
    [inLess, inMore] = [aTo, bTo];
  }
  return gone.length > 0 && found.some(({ inLess: from, length }) => isNew(less, ofNew, from, from + length))
    ? { found, gone }
    : null;
}

/** Maximum stretches replaced or added in a text that counts as a continuation of another one. */
const maxReplaced = 12;

function changedTokens(a: string, b: string, budget: Budget): Hunk[] | null {
  if (budget.work <= 0) return null;
  const whole = { aFrom: 0, aTo: a.length, bFrom: 0, bTo: b.length };
  const { hunks, rest } = compareTokens(a, b, whole, words, changedWords, budget);
  return rest === null ? hunks : null;
}

/** Returns whether a stretch has a word that the base has not. */
function isNew(text: string, ofNew: readonly Hunk[], from: number, to: number): boolean {
  return ofNew.some(({ bFrom, bTo }) =>
    hasLetter(text.slice(Math.max(bFrom, from), Math.max(from, Math.min(bTo, to)))),
  );
}

/** Returns the offset of the next token of a text that is a token, or goes on from it; -1 when there is none. */
function nextToken(token: string, text: string, from: number, budget: Budget): number {
  const isLong = token.length >= minContinued;
  for (let at = from; at < text.length && budget.work > 0; budget.work -= wordCost) {
    const to = words.next(text, at, text.length);
    const isToken = to - at === token.length || (isLong && isContinued(token, text.slice(at, to)));
    if (isToken && (at === from ? endsBetweenWords(text, from) : true) && text.startsWith(token, at)) return at;
    at = to;
  }
  return -1;
}

/** Returns whether a word of the text ends with a stretch, or the stretch is empty. */
function isWithinWord(text: string, from: number, to: number): boolean {
  return to === from || (!endsBetweenWords(text, from) && words.next(text, from, text.length) === to);
}

/** Returns whether a text has a letter or digit, not only white space and punctuation. */
export function hasLetter(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (isLetter(text.charCodeAt(at))) return true;
  return false;
}

/** Returns the words of a text that have a letter, as far as the budget allows. */
export function wordsOf(text: string, budget: Budget): Set<string> {
  const found = new Set<string>();
  for (let at = 0; at < text.length && budget.work > 0; ) {
    const to = words.next(text, at, text.length);
    if (isLetter(text.charCodeAt(at))) {
      found.add(text.slice(at, to));
      budget.work -= wordCost;
    }
    at = to;
  }
  return found;
}

/** The cost of looking up a word, in steps of the budget. */
const wordCost = 5;

/** Returns whether a set has every word of a text. */
export function hasWords(set: ReadonlySet<string>, text: string, budget: Budget): boolean {
  for (let at = 0; at < text.length; ) {
    const to = words.next(text, at, text.length);
    if (isLetter(text.charCodeAt(at))) {
      budget.work -= wordCost;
      if (!set.has(text.slice(at, to))) return false;
    }
    at = to;
  }
  return true;
}

function isLetter(unit: number): boolean {
  return joinsWords(unit) || unit > 0x2e7f;
}

function endsBetweenWords(text: string, at: number): boolean {
  return at === text.length || !joinsWords(text.charCodeAt(at - 1)) || !joinsWords(text.charCodeAt(at));
}

/**
 * Returns whether the last word goes on in the longer text. A number does not: `item 1` and `item 12` are two items.
 */
function isContinued(less: string, more: string): boolean {
  const isDigit = (unit: number) => unit >= 48 && unit <= 57;
  return !isDigit(less.charCodeAt(less.length - 1)) && !isDigit(more.charCodeAt(less.length));
}

function wordsIn(less: string, more: string, budget: Budget): Piece[] {
  if (budget.work <= 0) return [];
  const whole = { aFrom: 0, aTo: less.length, bFrom: 0, bTo: more.length };
  const { hunks, rest } = compareTokens(less, more, whole, words, changedWords, budget);
  if (rest !== null || hunks.some(({ aFrom, aTo }) => aFrom < aTo)) return [];
  const insertions = joined(less, more, hunks);
  if (insertions.length > maxGaps) return [];
  const pieces: Piece[] = [];
  let [inLess, inMore] = [0, 0];
  for (const { aFrom, aTo, bTo } of [...insertions, { aFrom: less.length, aTo: less.length, bTo: more.length }]) {
    if (aFrom > inLess) pieces.push({ inLess, inMore, length: aFrom - inLess });
    [inLess, inMore] = [aTo, bTo];
  }
  return pieces;
}

/**
 * Joins two insertions when the later one, slid back over the text between, touches the earlier one: a comparison may
 * choose either position.
 */
function joined(less: string, more: string, insertions: readonly Hunk[]): Hunk[] {
  const result: Hunk[] = [];
  for (const insertion of insertions) {
    const last = result.at(-1);
    const between = last === undefined ? '' : less.slice(last.aTo, insertion.aFrom);
    const slides = last !== undefined && more.startsWith(between, insertion.bTo - between.length);
    if (slides && between.length <= insertion.bTo - insertion.bFrom) {
      result[result.length - 1] = { ...last, bTo: insertion.bTo - between.length };
    } else result.push(insertion);
  }
  return result;
}
