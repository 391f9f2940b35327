/**
 * Finds the few edits that lead from one text to another, shaped as a person would have made them: whole lines where
 * lines were added, removed or replaced, words and letters where a line was changed. Edits that follow lines and words
 * merge well with concurrent edits.
 */

import { type Budget, withBudget } from './budget.ts';
import { alignToLines, joinCloseHunks } from './cleanup.ts';
import { compareTokens, type Hunk } from './myers.ts';
import { gapsBetweenSharedLines } from './patience.ts';
import { commonPrefix, commonSuffix, joinsWords, lines, splitsPair, startsLine, words } from './tokens.ts';

/** Replaces `remove` units at `at` by `insert`. `at` is a UTF-16 offset in the text before all edits. */
export interface Edit {
  readonly at: number;
  readonly remove: number;
  readonly insert: string;
}

export interface DiffLimits {
  /** Maximum number of steps (about ten nanoseconds each); the part not compared by then is replaced as a whole. */
  readonly work: number;
  /** Steps after which TooManySteps is thrown, if fewer than `work`. */
  readonly allowed: number;
  /**
   * Most differing lines between two certain agreements before the search falls back to lines that occur once in both
   * texts.
   */
  readonly changedLines: number;
  /** Maximum number of differing words in a changed hunk; beyond that the hunk is replaced as a whole. */
  readonly changedWords: number;
}

const defaultDiffLimits: DiffLimits = {
  work: 1_500_000,
  allowed: Number.POSITIVE_INFINITY,
  changedLines: 600,
  changedWords: 500,
};

/** A longer run of letters is not a word but, say, encoded data. */
const longWord = 1000;

/** Maximum distance by which an edit is moved to a better aligned position, in UTF-16 units. */
const maxMove = 256;

/** Returns the hunk without the common prefix and suffix of both stretches. No boundary splits a surrogate pair. */
function trimmed(a: string, b: string, hunk: Hunk): Hunk {
  const { aFrom, aTo, bFrom, bTo } = hunk;
  const max = Math.min(aTo - aFrom, bTo - bFrom);
  let ahead = commonPrefix(a, aFrom, b, bFrom, max);
  if (ahead > 0 && (splitsPair(a, aFrom + ahead) || splitsPair(b, bFrom + ahead))) ahead--;
  let behind = commonSuffix(a, aTo, b, bTo, max - ahead);
  if (behind > 0 && (splitsPair(a, aTo - behind) || splitsPair(b, bTo - behind))) behind--;
  return { aFrom: aFrom + ahead, aTo: aTo - behind, bFrom: bFrom + ahead, bTo: bTo - behind };
}

/** Returns the changed part of two texts, widened to whole lines of both. */
function changedLines(a: string, b: string): Hunk {
  const hunk = trimmed(a, b, { aFrom: 0, aTo: a.length, bFrom: 0, bTo: b.length });
  const widened = lines.back(a, 0, hunk.aFrom, b, hunk.bFrom);
  if (!startsLine(a, hunk.aTo) || !startsLine(b, hunk.bTo)) {
    const end = lines.next(a, hunk.aTo, a.length);
    hunk.bTo += end - hunk.aTo;
    hunk.aTo = end;
  }
  return { ...hunk, aFrom: widened, bFrom: widened };
}

/** Compares by lines. Where too much changed to search, lines that occur once in both texts divide the rest. */
function lineHunks(a: string, b: string, limits: DiffLimits, budget: Budget): Hunk[] {
  const { hunks, rest } = compareTokens(a, b, changedLines(a, b), lines, limits.changedLines, budget);
  if (rest === null) return hunks;
  for (const gap of gapsBetweenSharedLines(a, b, rest, budget)) {
    const found = compareTokens(a, b, gap, lines, limits.changedLines / 4, budget);
    for (const hunk of found.hunks) hunks.push(hunk);
    if (found.rest !== null) hunks.push(found.rest);
  }
  return hunks;
}

/** Returns the changed part of a hunk, widened to whole words of both texts. */
function changedWords(a: string, b: string, hunk: Hunk, inner: Hunk): Hunk {
  const step = inner.aFrom - words.back(a, hunk.aFrom, inner.aFrom, b, inner.bFrom);
  let { aTo, bTo } = inner;
  const inWord = (text: string, at: number) => joinsWords(text.charCodeAt(at - 1));
  while (aTo < hunk.aTo && joinsWords(a.charCodeAt(aTo)) && (inWord(a, aTo) || inWord(b, bTo))) {
    aTo++;
    bTo++;
  }
  return { aFrom: inner.aFrom - step, aTo, bFrom: inner.bFrom - step, bTo };
}

function isWord(text: string, from: number, to: number): boolean {
  if (to - from > longWord) return false;
  for (let at = from; at < to; at++) if (!joinsWords(text.charCodeAt(at))) return false;
  return true;
}

/** Trims the letters that both sides share at their ends, but only inside a word: longer stretches keep whole words. */
function trimmedWord(a: string, b: string, hunk: Hunk): Hunk {
  const inner = trimmed(a, b, hunk);
  if (inner.aFrom === inner.aTo || inner.bFrom === inner.bTo) return inner;
  return isWord(a, hunk.aFrom, hunk.aTo) && isWord(b, hunk.bFrom, hunk.bTo) ? inner : hunk;
}

/**
 * Returns the changes inside a hunk of lines: by words, then by letters inside a word. Unlike lines are replaced whole.
 */
function innerHunks(a: string, b: string, hunk: Hunk, limits: DiffLimits, budget: Budget): Hunk[] {
  const inner = trimmed(a, b, hunk);
  if (inner.aFrom === inner.aTo || inner.bFrom === inner.bTo) return alignToLines(a, b, hunk, [inner]);
  const region = changedWords(a, b, hunk, inner);
  const { hunks, rest } = compareTokens(a, b, region, words, limits.changedWords, budget);
  if (rest !== null) hunks.push(rest);
  const found = joinCloseHunks(a, hunks).map((rewrite) => trimmedWord(a, b, rewrite));
  return alignToLines(a, b, hunk, found);
}

/** Scores how well a stretch of `text` is aligned: whole lines score best, then whole words. */
function alignmentScore(text: string, from: number, to: number): number {
  if (startsLine(text, from) && startsLine(text, to)) return 3;
  const inWord = (at: number) => joinsWords(text.charCodeAt(at - 1)) && joinsWords(text.charCodeAt(at));
  return (inWord(from) ? 0 : 1) + (inWord(to) ? 0 : 1);
}

/**
 * Moves a pure insertion or removal to the best aligned of its equivalent positions: between `- a` and `- b`, the
 * inserted text is the line `- b`, not `b` and the bullet of the next line. It moves only backwards, because trimming
 * left it at its last possible position, and not before `floor`, the end of the previous edit in the old text.
 */
function alignToWords(a: string, b: string, hunk: Hunk, floor: number): Hunk {
  const inserts = hunk.aFrom === hunk.aTo;
  if (!inserts && hunk.bFrom !== hunk.bTo) return hunk;
  const [text, from, to] = inserts ? [b, hunk.bFrom, hunk.bTo] : [a, hunk.aFrom, hunk.aTo];
  const furthest = Math.min(to - from, hunk.aFrom - floor, maxMove);
  let best = 0;
  let bestScore = alignmentScore(text, from, to);
  for (let step = 1; step <= furthest && bestScore < 3; step++) {
    if (text.charCodeAt(from - step) !== text.charCodeAt(to - step)) break;
    const found = alignmentScore(text, from - step, to - step);
    const splits = splitsPair(a, hunk.aFrom - step) || splitsPair(b, hunk.bFrom - step) || splitsPair(text, to - step);
    if (found > bestScore && !splits) {
      best = step;
      bestScore = found;
    }
  }
  return { aFrom: hunk.aFrom - best, aTo: hunk.aTo - best, bFrom: hunk.bFrom - best, bTo: hunk.bTo - best };
}

/**
 * Returns the edits that lead from `before` to `after`: sorted by `at`, not touching, all in offsets of `before`; `[]`
 * for equal texts. No edit starts or ends inside a surrogate pair. Memory is linear and time bounded for any texts:
 * what is beyond a limit is replaced as a whole. Throws only TooManySteps.
 */
export function minimalDiff(before: string, after: string, limits: Partial<DiffLimits> = {}): Edit[] {
  if (before === after) return [];
  const all = { ...defaultDiffLimits, ...limits };
  const hunks =
    before.endsWith('\n') && after.endsWith('\n')
      ? hunksBetween(before, after, all)
      : withoutLastNewline(hunksBetween(`${before}\n`, `${after}\n`, all), before);
  return hunks.map(({ aFrom, aTo, bFrom, bTo }) => ({
    at: aFrom,
    remove: aTo - aFrom,
    insert: after.slice(bFrom, bTo),
  }));
}

function hunksBetween(before: string, after: string, limits: DiffLimits): Hunk[] {
  return withBudget(limits.work, limits.allowed, (budget) => hunksWithin(before, after, limits, budget));
}

function hunksWithin(before: string, after: string, limits: DiffLimits, budget: Budget): Hunk[] {
  const hunks: Hunk[] = [];
  for (const lineHunk of lineHunks(before, after, limits, budget)) {
    for (const found of innerHunks(before, after, lineHunk, limits, budget)) {
      if (found.aFrom === found.aTo && found.bFrom === found.bTo) continue;
      addHunk(hunks, alignToWords(before, after, found, hunks.at(-1)?.aTo ?? 0));
    }
  }
  return hunks;
}

/** Adds a hunk, joined with the last one where they touch. */
function addHunk(hunks: Hunk[], hunk: Hunk): void {
  const last = hunks.at(-1);
  if (last === undefined || last.aTo < hunk.aFrom) hunks.push(hunk);
  else hunks[hunks.length - 1] = { ...hunk, aFrom: last.aFrom, bFrom: last.bFrom };
}

/**
 * Takes back the newline that both texts got for the comparison: their last lines are equal to lines inside the other
 * text only with it.
 */
function withoutLastNewline(hunks: Hunk[], before: string): Hunk[] {
  const last = hunks.at(-1);
  if (last === undefined || last.aTo <= before.length) return hunks;
  const { aFrom, aTo, bFrom, bTo } = last;
  // Lines added or removed at the end have the newline before them instead.
  const shift = aFrom === aTo || bFrom === bTo ? 1 : 0;
  hunks.pop();
  addHunk(hunks, { aFrom: aFrom - shift, aTo: aTo - 1, bFrom: bFrom - shift, bTo: bTo - 1 });
  return hunks;
}

/** Applies edits as `minimalDiff` returns them: sorted, not touching, in offsets of `before`. */
export function applyEdits(before: string, edits: readonly Edit[]): string {
  const parts: string[] = [];
  let from = 0;
  for (const { at, remove, insert } of edits) {
    parts.push(before.slice(from, at), insert);
    from = at + remove;
  }
  parts.push(before.slice(from));
  return parts.join('');
}
