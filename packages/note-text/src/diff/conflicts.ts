/** Finds the words that both sides of a merge changed, each in its own way. All offsets count UTF-16 units. */

import type { Budget } from './budget.ts';
import { compareTokens, type Hunk } from './myers.ts';
import type { Region, Run } from './runs.ts';
import { joinsWords, startsLine, words } from './tokens.ts';
import { hasOneWord, isInsideWord, type Phrase, type WordChange } from './whole-words.ts';

/** Changes of both sides that meet in words or marks, in order. */
export interface Conflict<Change extends WordChange = WordChange> {
  readonly client: ClientChange<Change>[];
  readonly stored: Change[];
}

/** A change of the client, and the last change of the stored side that it touches. */
export interface ClientChange<Change extends WordChange> {
  readonly own: Change;
  readonly met: Change;
}

/** Returns the changes that lead from the base to the stored text, in order. */
export function storedChanges(runs: readonly Run[], baseLength: number, storedLength: number): Hunk[] {
  const hunks: Hunk[] = [];
  let [aFrom, bFrom] = [0, 0];
  const end = { baseStart: baseLength, nowStart: storedLength, length: 0, alive: true };
  for (const { baseStart, nowStart, length, alive } of [...runs, end]) {
    if (!alive) continue;
    if (baseStart > aFrom || nowStart > bFrom) hunks.push({ aFrom, aTo: baseStart, bFrom, bTo: nowStart });
    [aFrom, bFrom] = [baseStart + length, nowStart + length];
  }
  return hunks;
}

/** The texts in which both sides changed a base. */
export interface Sides {
  readonly base: string;
  readonly stored: string;
  readonly client: string;
}

/**
 * Cuts changes into changes of words where the other side changed only words of them, so that each word finds its place.
 * A word of the base that such a change merely wrote again would come back after the other side had removed it.
 */
export function cutIntoWords(
  base: string,
  [text, changes]: readonly [string, readonly Hunk[]],
  [other, others]: readonly [string, readonly Hunk[]],
  budget: Budget,
): Hunk[] {
  let first = 0;
  return changes.flatMap((change) => {
    while (first < others.length && (others[first] as Hunk).aTo <= change.aFrom) first++;
    if (change.aFrom === change.aTo || change.bFrom === change.bTo) return [change];
    for (let at = first; (others[at]?.aFrom ?? change.aTo) < change.aTo; at++) {
      const { aFrom, aTo, bFrom, bTo } = others[at] as Hunk;
      const isWord = bFrom < bTo && !hasWholeLines(base, other, { parts: [{ aFrom, aTo, bFrom, bTo }] });
      if (isWord) return wordsOf(base, text, change, budget);
    }
    return [change];
  });
}

/** Maximum number of differing words in a change that is split into words. */
const maxWords = 200;

function wordsOf(base: string, text: string, change: Hunk, budget: Budget): Hunk[] {
  if (budget.work <= 0) return [change];
  const { hunks, rest } = compareTokens(base, text, change, words, maxWords, budget);
  if (rest !== null) return [change];
  const isTorn = (inBase: number, inText: number) => isInsideWord(base, inBase) || isInsideWord(text, inText);
  const joined: Hunk[] = [];
  for (const hunk of hunks) {
    const last = joined.at(-1);
    // Blanks and signs alone are no reason to cut a sentence, and the end of a word is none either.
    const isCut =
      last !== undefined &&
      hasWord(base, { from: last.aTo, to: hunk.aFrom }) &&
      !isTorn(last.aTo, last.bTo) &&
      !isTorn(hunk.aFrom, hunk.bFrom);
    if (last === undefined || isCut) joined.push(hunk);
    else joined[joined.length - 1] = { ...hunk, aFrom: last.aFrom, bFrom: last.bFrom };
  }
  // Only whole lines have words of the base around their one change.
  return joined.length === 1 && !hasWholeLines(base, text, { parts: [change] }) ? [change] : joined;
}

/** Pairs the phrases in which both sides changed a word, each in its own way. */
export function phraseConflicts(
  texts: Sides,
  client: readonly Phrase[],
  stored: readonly Phrase[],
): Conflict<Phrase>[] {
  return pairs(client, stored, (own, other) => wordConflicts(texts, own.words, other.words).length > 0);
}

/** Pairs the words that both sides changed, each in its own way. Both lists are sorted and disjoint. */
export function wordConflicts(texts: Sides, client: readonly WordChange[], stored: readonly WordChange[]): Conflict[] {
  return pairs(client, stored, (own, other) => isConflict(texts, own, other));
}

function pairs<Change extends WordChange>(
  client: readonly Change[],
  stored: readonly Change[],
  isPair: (own: Change, other: Change) => boolean,
): Conflict<Change>[] {
  const found: Conflict<Change>[] = [];
  let first = 0;
  for (const own of client) {
    while (first < stored.length && (stored[first] as Change).whole.aTo < own.whole.aFrom) first++;
    for (let at = first; at < stored.length; at++) {
      const other = stored[at] as Change;
      if (other.whole.aFrom > own.whole.aTo) break;
      if (!isPair(own, other)) continue;
      const last = found.at(-1);
      if (last?.client.at(-1)?.own === own) {
        last.client[last.client.length - 1] = { own, met: other };
        last.stored.push(other);
      } else if (last?.stored.at(-1) === other) last.client.push({ own, met: other });
      else found.push({ client: [{ own, met: other }], stored: [other] });
    }
  }
  return found;
}

function isConflict(texts: Sides, own: WordChange, other: WordChange): boolean {
  if (own.mark !== null && own.mark.from === other.mark?.from) return true;
  const [c, s] = [own.whole, other.whole];
  if (c.bFrom === c.bTo && s.bFrom === s.bTo) return false;
  // Whole lines are kept one below the other.
  if (hasWholeLines(texts.base, texts.client, own) && hasWholeLines(texts.base, texts.stored, other)) return false;
  const [from, to] = [Math.max(c.aFrom, s.aFrom), Math.min(c.aTo, s.aTo)];
  if (from < to) return hasWord(texts.base, { from, to }) && (doPartsMeet(own, other) || areOne(texts, own, other));
  const around = isInside(from, c) ? c : isInside(from, s) ? s : null;
  if (around !== null) return hasWord(texts.base, { from: around.aFrom, to: around.aTo });
  if (c.aFrom < c.aTo || s.aFrom < s.aTo) return false;
  return joinsWords(texts.client.charCodeAt(c.bTo - 1)) && joinsWords(texts.stored.charCodeAt(s.bFrom));
}

function isInside(at: number, { aFrom, aTo }: Hunk): boolean {
  return aFrom < at && at < aTo;
}

function hasWholeLines(base: string, text: string, { parts }: Pick<WordChange, 'parts'>): boolean {
  const [first, last] = [parts[0] as Hunk, parts.at(-1) as Hunk];
  const isEnd = (of: string, at: number) => at === of.length || startsLine(of, at);
  return (
    startsLine(base, first.aFrom) && startsLine(text, first.bFrom) && isEnd(base, last.aTo) && isEnd(text, last.bTo)
  );
}

function hasWord(text: string, { from, to }: Region): boolean {
  for (let at = from; at < to; at++) if (joinsWords(text.charCodeAt(at))) return true;
  return false;
}

/** Returns whether a letter-by-letter change of one side touches one of the other side. */
function doPartsMeet(own: WordChange, other: WordChange): boolean {
  let first = 0;
  for (const { aFrom, aTo } of own.parts) {
    while (first < other.parts.length && (other.parts[first] as Hunk).aTo < aFrom) first++;
    if ((other.parts[first]?.aFrom ?? Number.POSITIVE_INFINITY) <= aTo) return true;
  }
  return false;
}

/**
 * Returns whether changes apart are nevertheless changes of one thing: of a number, or of a word that one side
 * replaced.
 */
function areOne({ base, stored, client }: Sides, own: WordChange, other: WordChange): boolean {
  const [c, s] = [own.whole, other.whole];
  if (hasOneWord(base, Math.max(c.aFrom, s.aFrom), Math.min(c.aTo, s.aTo))) return true;
  if (hasOneWord(client, c.bFrom, c.bTo) || hasOneWord(stored, s.bFrom, s.bTo)) return true;
  return isReplaced(own) || isReplaced(other);
}

function isReplaced({ whole, parts }: WordChange): boolean {
  const [before, after] = [whole.aTo - whole.aFrom, whole.bTo - whole.bFrom];
  const removed = parts.reduce((sum, { aFrom, aTo }) => sum + aTo - aFrom, 0);
  return before < minTyped || (before - removed) * 3 < Math.max(before, after) * 2;
}

/** A shorter word is changed as a whole. */
const minTyped = 5;

/** Maps regions of a base text to a changed version of it. */
export class ChangeMap {
  readonly #changes: readonly Hunk[];

  constructor(changes: readonly Hunk[]) {
    this.#changes = changes;
  }

  /** Returns the region of the text for a region of the base, without what was inserted at its ends. */
  region({ from, to }: Region): Region {
    return { from: this.#from(from), to: this.#to(to) };
  }

  /** Returns the end of what replaced the stretch of the base that ends at an offset; null when none was replaced. */
  endOfReplaced(at: number): number | null {
    const change = this.#changes[this.#count(({ aTo }) => aTo < at)];
    return change !== undefined && change.aFrom < at && change.aTo === at ? change.bTo : null;
  }

  #from(at: number): number {
    const count = this.#count(({ aTo }) => aTo <= at);
    const [before, next] = [this.#changes[count - 1], this.#changes[count]];
    if (next !== undefined && next.aFrom < at) return next.bFrom;
    return before === undefined ? at : before.bTo + at - before.aTo;
  }

  #to(at: number): number {
    const before = this.#changes[this.#count(({ aFrom }) => aFrom < at) - 1];
    if (before === undefined) return at;
    return before.aTo > at ? before.bTo : before.bTo + at - before.aTo;
  }

  /** Returns the number of changes before the first one that is not on this side of a point (binary search). */
  #count(isBefore: (change: Hunk) => boolean): number {
    let [low, high] = [0, this.#changes.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isBefore(this.#changes[middle] as Hunk)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
