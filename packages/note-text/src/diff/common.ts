/** Finds the stretches that both sides of a merge changed alike. All offsets count UTF-16 units. */
import { compareTokens, type Hunk } from './myers.ts';
import type { Region, Texts } from './runs.ts';
import { type Budget, joinsWords, words } from './tokens.ts';

/** Past this many differing words, two texts count as having nothing in common. */
const changedWords = 300;
/** The same change with edits of others inside has at most this many gaps; texts that merely share words have more. */
const maxPlaces = 3;

/** A stretch that the stored text and the client's text have in common. */
export interface Stretch {
  readonly inStored: number;
  readonly inClient: number;
  readonly length: number;
}

/** A region of the base that the client changed, and what the stored text and the client have there instead. */
export interface Place {
  readonly ofBase: Region;
  readonly ofStored: Region;
  readonly ofClient: Region;
  /** The client's changes; `a` is the base, `b` the client's text. */
  readonly changes: readonly Hunk[];
}

/**
 * Returns, in order, the stretches of one place that both sides changed alike. Both made the same change when their
 * texts are equal, or when one contains all of the other, cut only between words: then somebody went on writing around
 * or inside it. Anything else counts as two changes: two people who wrote ` (1)` and ` (2)` wrote two things, although
 * these share letters.
 */
export function commonStretches({ stored, client }: Texts, place: Place, budget: Budget): Stretch[] {
  const { ofBase, ofStored, ofClient, changes } = place;
  const whole = alikeIn(stored, ofStored, client, ofClient, true, budget);
  if (whole.length > 0) return besideChanges(client, whole, place);
  // The client's insertion can equal the stored one even where the client kept text beside it that the stored side
  // removed.
  const found: Stretch[] = [];
  let rest = ofStored;
  for (const { aFrom, bFrom, bTo } of changes) {
    const beginsAlike = aFrom === ofBase.from && rest === ofStored;
    const stretches = alikeIn(stored, rest, client, { from: bFrom, to: bTo }, beginsAlike, budget);
    const last = stretches.at(-1);
    if (last === undefined) continue;
    found.push(...stretches);
    rest = { from: last.inStored + last.length, to: rest.to };
  }
  return found;
}

/**
 * Slides the stretches so that what lies between two of them is a change of the client, where a comparison could have
 * chosen either position: in `<42>` and a line break before `<2>`, the inserted text may also be read as beginning after
 * the `<`. The first letter of the inserted text would then count as common, and the one after it as removed.
 */
function besideChanges(client: string, stretches: readonly Stretch[], { changes, ofClient }: Place): Stretch[] {
  const slid = stretches.map((stretch) => ({ ...stretch }));
  for (const [at, next] of slid.entries()) {
    const before = slid[at - 1];
    const from = before === undefined ? ofClient.from : before.inClient + before.length;
    const change = changes.find(
      ({ bFrom, bTo }) => bTo - bFrom === next.inClient - from && bFrom < from && bTo >= from,
    );
    if (before === undefined || change === undefined) continue;
    const shift = from - change.bFrom;
    if (shift > before.length) continue;
    if (client.slice(change.bFrom, from) !== client.slice(change.bTo, next.inClient)) continue;
    slid[at - 1] = { ...before, length: before.length - shift };
    const { inStored, inClient, length } = next;
    slid[at] = { inStored: inStored - shift, inClient: inClient - shift, length: length + shift };
  }
  return slid.filter(({ length }) => length > 0);
}

function alikeIn(
  stored: string,
  ofStored: Region,
  client: string,
  ofClient: Region,
  beginsAlike: boolean,
  budget: Budget,
): Stretch[] {
  const [theirs, ours] = [stored.slice(ofStored.from, ofStored.to), client.slice(ofClient.from, ofClient.to)];
  if (theirs === '' || ours === '') return [];
  if (theirs === ours) return [{ inStored: ofStored.from, inClient: ofClient.from, length: ours.length }];
  const isInTheirs = theirs.length >= ours.length;
  const found = isInTheirs
    ? stretchesIn(ours, theirs, beginsAlike, budget)
    : stretchesIn(theirs, ours, beginsAlike, budget);
  return found.map(({ inLess, inMore, length }) => ({
    inStored: ofStored.from + (isInTheirs ? inMore : inLess),
    inClient: ofClient.from + (isInTheirs ? inLess : inMore),
    length,
  }));
}

/**
 * Finds all of the shorter text as stretches of the longer one, none of which cuts a word. Returns an empty list when
 * it is not contained, or only in more pieces than one edited change would have.
 *
 * @param beginsAlike whether both begin at the same base offset. Then the last word of the shorter text may be
 * continued in the longer one, as happens while somebody types.
 */
function stretchesIn(
  less: string,
  more: string,
  beginsAlike: boolean,
  budget: Budget,
): { inLess: number; inMore: number; length: number }[] {
  if (!hasLetter(less)) return [];
  if (beginsAlike && more.startsWith(less)) return [{ inLess: 0, inMore: 0, length: less.length }];
  const whole = { aFrom: 0, aTo: less.length, bFrom: 0, bTo: more.length };
  const { hunks, rest } = compareTokens(less, more, whole, words, changedWords, budget);
  if (rest !== null || hunks.some(({ aFrom, aTo }) => aFrom < aTo)) return [];
  const insertions = joined(less, more, hunks);
  if (insertions.length > maxPlaces) return [];
  const stretches: { inLess: number; inMore: number; length: number }[] = [];
  let [inLess, inMore] = [0, 0];
  for (const { aFrom, aTo, bTo } of [...insertions, { aFrom: less.length, aTo: less.length, bTo: more.length }]) {
    if (aFrom > inLess) stretches.push({ inLess, inMore, length: aFrom - inLess });
    [inLess, inMore] = [aTo, bTo];
  }
  return stretches;
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

/** Whether a text has a letter or digit, not only white space and punctuation. */
function hasLetter(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (joinsWords(unit) || unit > 0x2e7f) return true;
  }
  return false;
}
