/** Where a client inserted what the stored text has already. All offsets count UTF-16 units. */
import { trimmed } from '../diff.ts';
import { compareSpans, type Hunk } from '../myers.ts';
import { type Budget, joinsWords, splitsPair, words } from '../spans.ts';
import { positionOf, type Region, type Run, removalsIn, type Texts } from './runs.ts';

/** Words that two insertions may differ in before they count as unlike. */
const changedWords = 300;
/** One change with the edits of others in it; texts that only have words in common have them at more places. */
const maxPlaces = 3;

/** A stretch that stored text and client's text have in common. */
export interface Common {
  readonly inStored: number;
  readonly inClient: number;
  readonly length: number;
}

/** What the stored side inserted at one place, and the base offset behind which that is. */
interface Insertion extends Region {
  readonly baseFrom: number;
}

/** A stretch of what the stored side inserted, found in what the client inserted. */
interface Piece extends Common {
  readonly insertion: Insertion;
  readonly change: Hunk;
}

/**
 * The stretches that both inserted alike, and those that are left of the base; in order.
 *
 * Two insertions at one place are one change when they are equal, or all of the one is in the other, parted at words: then
 * somebody wrote on around it, or in it. Of two that differ otherwise only stretches that end at white space count: two
 * people who each wrote ` (1)` and ` (2)` have written two things, however many letters these share.
 *
 * @param all changes from the base to the client's text.
 * @param hunks from the stored text to the client's.
 */
export function commonStretches(texts: Texts, all: readonly Hunk[], hunks: readonly Hunk[], budget: Budget): Common[] {
  const changes = joinedOverRemoved(all, texts.runs);
  const pieces: Piece[] = [];
  const ofBase: Common[] = [];
  const insertions = insertionsIn(texts);
  const commons = between(hunks, texts.stored.length);
  // So many differences in one part are no change that both made: two texts that have nothing to do with each other.
  const comparisons = commons.length * (commons.length + insertions.length * changes.length + texts.runs.length);
  if (comparisons > budget.work) return [];
  budget.work -= comparisons;
  for (const common of commons) {
    for (const insertion of insertions) {
      for (const change of changes) pieces.push(...pieceOf(common, insertion, change));
    }
    for (const { nowStart, length, alive } of texts.runs) {
      const kept = alive ? overlap(common, { from: nowStart, to: nowStart + length }) : null;
      if (kept !== null) ofBase.push(kept);
    }
  }
  const alike = pieces.flatMap((piece) => {
    const found = isAlike(texts, piece, pieces, ofBase) ? piece : shrunk(texts, piece);
    return found === null ? [] : [found];
  });
  for (const change of changes) {
    if (isCovered(change, [...ofBase, ...alike])) continue;
    const found = searched(texts, change, insertions, budget);
    if (found.length === 0) continue;
    for (let at = alike.length - 1; at >= 0; at--) if (alike[at]?.change === change) alike.splice(at, 1);
    if (!alike.some((each) => found.some((piece) => crosses(each, piece)))) alike.push(...found);
  }
  const left: Common[] = ofBase.filter((each) => !alike.some((other) => crosses(each, other)));
  return [...left, ...alike].sort((a, b) => a.inStored - b.inStored);
}

/** Whether two stretches overlap in one of the texts, or come in another order in the other. */
function crosses(a: Common, b: Common): boolean {
  if (a.inStored > b.inStored) return crosses(b, a);
  return a !== b && (a.inStored + a.length > b.inStored || a.inClient + a.length > b.inClient);
}

function isCovered(change: Hunk, commons: readonly Common[]): boolean {
  return lengthOf(commons.map((each) => withinClient(each, change))) === change.bTo - change.bFrom;
}

/** A change that is in an insertion at its place, or has it: the comparison of the whole texts may have read it otherwise. */
function searched(
  { base, stored, client, runs }: Texts,
  change: Hunk,
  insertions: readonly Insertion[],
  budget: Budget,
): Piece[] {
  for (const inner of [trimmed(base, client, change), change]) {
    const text = client.slice(inner.bFrom, inner.bTo);
    const [first, last] = [positionOf(inner.aFrom, runs), positionOf(inner.aTo, runs)];
    for (const insertion of insertions) {
      if (insertion.to < first || insertion.from > last) continue;
      const theirs = stored.slice(insertion.from, insertion.to);
      const isInTheirs = theirs.length >= text.length;
      const mayCut = insertion.baseFrom === inner.aFrom;
      const found = isInTheirs ? stretchesIn(text, theirs, mayCut, budget) : stretchesIn(theirs, text, mayCut, budget);
      if (found.length === 0) continue;
      return found.map(({ inLess, inMore, length }) => ({
        inStored: insertion.from + (isInTheirs ? inMore : inLess),
        inClient: inner.bFrom + (isInTheirs ? inLess : inMore),
        ...{ length, insertion, change },
      }));
    }
  }
  return [];
}

/**
 * All of a text as stretches of a longer one, none of which cuts a word. Empty when it is not in there, or in more pieces
 * than one change with the edits of others in it would be.
 *
 * @param mayCut the one may begin the other and end in a word of it: somebody wrote on, seen before and after.
 */
function stretchesIn(
  less: string,
  more: string,
  mayCut: boolean,
  budget: Budget,
): { inLess: number; inMore: number; length: number }[] {
  if (!hasLetter(less)) return [];
  if (mayCut && more.startsWith(less)) return [{ inLess: 0, inMore: 0, length: less.length }];
  const whole = { aFrom: 0, aTo: less.length, bFrom: 0, bTo: more.length };
  const { hunks, rest } = compareSpans(less, more, whole, words, changedWords, budget);
  if (rest !== null || hunks.length > maxPlaces || hunks.some(({ aFrom, aTo }) => aFrom < aTo)) return [];
  return between(hunks, less.length).map(({ inStored, inClient, length }) => ({
    inLess: inStored,
    inMore: inClient,
    length,
  }));
}

/** What the stored side inserted: all between what is left of the base. */
function insertionsIn({ stored, runs }: Texts): Insertion[] {
  const insertions: Insertion[] = [];
  let [from, baseFrom] = [0, 0];
  for (const { baseStart, nowStart, length, alive } of runs) {
    if (!alive) continue;
    if (nowStart > from) insertions.push({ from, to: nowStart, baseFrom });
    [from, baseFrom] = [nowStart + length, baseStart + length];
  }
  if (stored.length > from) insertions.push({ from, to: stored.length, baseFrom });
  return insertions;
}

/** Changes between which nothing of the base is left in the stored text, as one: the client may have kept what others removed. */
function joinedOverRemoved(changes: readonly Hunk[], runs: readonly Run[]): Hunk[] {
  const joined: Hunk[] = [];
  for (const change of changes) {
    const last = joined.at(-1);
    const isLeft = last === undefined || removalsIn(runs, { from: last.aTo, to: change.aFrom }).length > 0;
    if (isLeft) joined.push(change);
    else joined[joined.length - 1] = { ...change, aFrom: last.aFrom, bFrom: last.bFrom };
  }
  return joined;
}

/** What lies between hunks, the same in both texts. */
function between(hunks: readonly Hunk[], length: number): Common[] {
  const result: Common[] = [];
  let [inStored, inClient] = [0, 0];
  for (const { aFrom, aTo, bTo } of hunks) {
    if (aFrom > inStored) result.push({ inStored, inClient, length: aFrom - inStored });
    [inStored, inClient] = [aTo, bTo];
  }
  if (length > inStored) result.push({ inStored, inClient, length: length - inStored });
  return result;
}

function overlap({ inStored, inClient, length }: Common, { from, to }: Region): Common | null {
  const start = Math.max(inStored, from);
  const end = Math.min(inStored + length, to);
  return start < end ? { inStored: start, inClient: inClient + start - inStored, length: end - start } : null;
}

function pieceOf(common: Common, insertion: Insertion, change: Hunk): Piece[] {
  const found = overlap(common, insertion);
  if (found === null) return [];
  const shift = found.inStored - found.inClient;
  const piece = overlap(found, { from: change.bFrom + shift, to: change.bTo + shift });
  return piece === null ? [] : [{ ...piece, insertion, change }];
}

function isAlike(texts: Texts, piece: Piece, pieces: readonly Piece[], ofBase: readonly Common[]): boolean {
  const { insertion, change } = piece;
  const ofInsertion = pieces.filter((each) => each.insertion === insertion);
  const ofChange = pieces.filter((each) => each.change === change);
  const allOfStored = lengthOf(ofInsertion) === insertion.to - insertion.from;
  // A change of some words may hold letters of the base, which the stored text has too.
  const kept = ofBase.map((each) => withinClient(each, change));
  const allOfClient = lengthOf(ofChange) + lengthOf(kept) === change.bTo - change.bFrom;
  if (allOfStored && allOfClient) return true;
  const says = (each: Piece) => hasLetter(texts.stored.slice(each.inStored, each.inStored + each.length));
  if (allOfStored && ofInsertion.some(says)) return ofInsertion.every((each) => isParted(texts, each));
  if (allOfClient && ofChange.some(says)) return ofChange.every((each) => isParted(texts, each));
  return false;
}

/** What of a piece stands apart in both texts, with something to say; null: nothing. */
function shrunk({ stored, client }: Texts, piece: Piece): Piece | null {
  const { insertion, change } = piece;
  let { inStored, inClient } = piece;
  let end = inStored + piece.length;
  const shift = inClient - inStored;
  const isCut = (at: number) =>
    (at === insertion.from || at === insertion.to || standsApart(stored, at)) &&
    (at + shift === change.bFrom || at + shift === change.bTo || standsApart(client, at + shift));
  while (inStored < end && !isCut(inStored)) {
    inStored++;
    inClient++;
  }
  while (end > inStored && !isCut(end)) end--;
  return hasLetter(stored.slice(inStored, end))
    ? { inStored, inClient, length: end - inStored, insertion, change }
    : null;
}

/** Whether there is white space on one side of an offset, or no letter on either. */
function standsApart(text: string, at: number): boolean {
  const [before, behind] = [text.charCodeAt(at - 1), text.charCodeAt(at)];
  if (before <= 32 || behind <= 32) return true;
  return !joinsWords(before) && !joinsWords(behind) && !splitsPair(text, at);
}

function lengthOf(stretches: readonly { readonly length: number }[]): number {
  return stretches.reduce((sum, { length }) => sum + length, 0);
}

function withinClient({ inClient, length }: Common, { bFrom, bTo }: Hunk): { readonly length: number } {
  return { length: Math.max(0, Math.min(inClient + length, bTo) - Math.max(inClient, bFrom)) };
}

/** Whether a piece cuts no word of either text where it begins and ends within an insertion. */
function isParted({ stored, client }: Texts, { inStored, inClient, length, insertion, change }: Piece): boolean {
  // Someone who writes on in a word, seen before and after.
  const begins = inStored === insertion.from && inClient === change.bFrom;
  if (begins && insertion.baseFrom === change.aFrom) return true;
  const isCut = (at: number, inText: number) =>
    (at === insertion.from || at === insertion.to || !endsInside(stored, at)) &&
    (inText === change.bFrom || inText === change.bTo || !endsInside(client, inText));
  return isCut(inStored, inClient) && isCut(inStored + length, inClient + length);
}

/** Whether an offset parts a word, or a letter. */
function endsInside(text: string, at: number): boolean {
  return (joinsWords(text.charCodeAt(at - 1)) && joinsWords(text.charCodeAt(at))) || splitsPair(text, at);
}

/** Whether a text says something: letters or digits, not only white space and punctuation. */
function hasLetter(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (joinsWords(unit) || unit > 0x2e7f) return true;
  }
  return false;
}
