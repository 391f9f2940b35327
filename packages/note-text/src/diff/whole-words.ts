/**
 * Widens the changes of one side of a merge to whole words, so that both sides' words can be compared. A number, date,
 * time or address is one word, whatever it contains. All offsets count UTF-16 units.
 */

import type { Hunk } from './myers.ts';
import { hasDelimiter, type Mark, markAround, readsAsMark } from './places.ts';
import { joinsWords } from './tokens.ts';

/** Maximum length of a word; a longer one is cut, so that encoded data costs no more than prose. */
const maxWord = 256;

/** A change of the base; `a` is the base, `b` the text of one side. */
export interface WordChange {
  /** The change, widened to whole words or to the whole value of a mark. */
  readonly whole: Hunk;
  /** The changes in it, letter by letter, in order. */
  readonly parts: readonly Hunk[];
  /** The link target or box of a task in which all of it is. */
  readonly mark: Mark | null;
}

/**
 * @param hunks the changes of the base, sorted and disjoint.
 * @param isMerged whether words may have been put beside changed ones by earlier merges; they are part of the change.
 */
export function wordChanges(base: string, text: string, hunks: readonly Hunk[], isMerged = false): WordChange[] {
  const changes: WordChange[] = [];
  let isOpen = false;
  for (const [index, hunk] of hunks.entries()) {
    const before = hunk.aFrom - (hunks[index - 1]?.aTo ?? 0);
    const behind = (hunks[index + 1]?.aFrom ?? base.length) - hunk.aTo;
    const { back, ahead, mark } = reachOf(base, text, hunk);
    const { aFrom, aTo, bFrom, bTo } = hunk;
    // A word that reaches into another change is one with it.
    const [lead, rest] = [Math.min(back, before), Math.min(ahead, behind)];
    const whole = { aFrom: aFrom - lead, aTo: aTo + rest, bFrom: bFrom - lead, bTo: bTo + rest };
    const last = changes.at(-1);
    const isOne = isOpen || back > before || (isMerged && last !== undefined && isBeside(text, last.whole, whole));
    if (isOne && last !== undefined) changes[changes.length - 1] = joined(last, { whole, parts: [hunk], mark });
    else changes.push({ whole, parts: [hunk], mark });
    isOpen = ahead > behind;
  }
  return changes.map((change) => (readsAsMark(text, change) ? change : { ...change, mark: null }));
}

/** Returns how far the word or mark around a change extends on both sides. */
function reachOf(base: string, text: string, hunk: Hunk): { back: number; ahead: number; mark: Mark | null } {
  const { aFrom, aTo, bFrom, bTo } = hunk;
  const mark = hasDelimiter(text, { from: bFrom, to: bTo }) ? null : markAround(base, { from: aFrom, to: aTo });
  if (isUnspaced(base, text, hunk)) return { back: 0, ahead: 0, mark: null };
  if (mark !== null) return { back: aFrom - mark.from, ahead: mark.to - aTo, mark };
  const back = Math.max(reachBack(base, aFrom), reachBack(text, bFrom));
  return { back, ahead: Math.max(reachAhead(base, aTo), reachAhead(text, bTo)), mark };
}

/** Changes between which one side kept only blanks: what was written there may be read in more than one way. */
export interface Phrase extends WordChange {
  readonly words: readonly WordChange[];
}

export function phrasesOf(base: string, changes: readonly WordChange[]): Phrase[] {
  const phrases: Phrase[] = [];
  for (const change of changes) {
    const last = phrases.at(-1);
    const gap =
      last === undefined ? null : base.slice(last.whole.aTo, Math.min(change.whole.aFrom, last.whole.aTo + 8));
    if (last === undefined || gap === null || !/^[ \t]{0,7}$/.test(gap)) phrases.push({ ...change, words: [change] });
    else phrases[phrases.length - 1] = { ...joined(last, change), mark: null, words: [...last.words, change] };
  }
  return phrases;
}

/** Returns whether words were inserted behind a changed word, on its line. */
function isBeside(text: string, last: Hunk, { aFrom, aTo, bFrom, bTo }: Hunk): boolean {
  if (last.aFrom === last.aTo || last.aTo !== aFrom || aFrom < aTo) return false;
  return !text.slice(bFrom, bTo).includes('\n');
}

function joined(earlier: WordChange, later: WordChange): WordChange {
  const [{ whole: one }, { whole: other }] = [earlier, later];
  return {
    whole: { aFrom: one.aFrom, aTo: other.aTo, bFrom: one.bFrom, bTo: other.bTo },
    parts: [...earlier.parts, ...later.parts],
    mark: earlier.mark?.from === later.mark?.from ? later.mark : null,
  };
}

/** Returns whether a change has only letters of scripts without spaces: these have no words to keep whole. */
function isUnspaced(base: string, text: string, { aFrom, aTo, bFrom, bTo }: Hunk): boolean {
  let found = false;
  for (const changed of [base.slice(aFrom, aTo), text.slice(bFrom, bTo)]) {
    for (let at = 0; at < changed.length; at++) {
      const unit = changed.charCodeAt(at);
      if (joinsWords(unit)) return false;
      found ||= unit > 0x2e7f || (unit >= 0x0e00 && unit < 0x2000);
    }
  }
  return found;
}

function isDigit(unit: number): boolean {
  return unit >= 48 && unit <= 57;
}

const inNumbers = new Set([...'-./:,'].map((sign) => sign.charCodeAt(0)));

/** Returns whether an offset is between two units of one word or number. */
export function isInsideWord(text: string, at: number): boolean {
  const [before, after] = [text.charCodeAt(at - 1), text.charCodeAt(at)];
  if (joinsWords(before) && joinsWords(after)) return true;
  if (inNumbers.has(after)) return isDigit(before) && isDigit(text.charCodeAt(at + 1));
  return inNumbers.has(before) && isDigit(after) && isDigit(text.charCodeAt(at - 2));
}

function reachBack(text: string, at: number): number {
  const address = addressAround(text, at);
  if (address !== null) return at - address.from;
  let from = at;
  while (from > 0 && at - from < maxWord && isInsideWord(text, from)) from--;
  return at - from;
}

function reachAhead(text: string, at: number): number {
  const address = addressAround(text, at);
  if (address !== null) return address.to - at;
  let to = at;
  while (to < text.length && to - at < maxWord && isInsideWord(text, to)) to++;
  return to - at;
}

const endsAddress = /[\s()[\]<>"'|`]/;
const isAddress = /^(?:[a-z][a-z0-9+.-]*:\/\/|www\.|[^@]+@[^@]*\.)/i;
const afterAddress = /[.,:;!?*_]+$/;

/** Returns the web or mail address around an offset. */
function addressAround(text: string, at: number): { readonly from: number; readonly to: number } | null {
  let [from, to] = [at, at];
  while (at - from < maxWord && from > 0 && !endsAddress.test(text.charAt(from - 1))) from--;
  if (from === at) return null;
  while (to - at < maxWord && to < text.length && !endsAddress.test(text.charAt(to))) to++;
  const run = text.slice(from, to);
  if (!isAddress.test(run)) return null;
  const end = from + run.replace(afterAddress, '').length;
  return end > at ? { from, to: end } : null;
}

/** Returns whether a word of a stretch is changed as a whole: a number, a date, a time or an address. */
export function hasOneWord(text: string, from: number, to: number): boolean {
  const stretch = text.slice(from, Math.min(to, from + maxWord));
  return /\d/.test(stretch) || isAddress.test(stretch);
}
