/** Which stretches at one place of a merge both sides have alike. All offsets count UTF-16 units. */
import { compareTokens, type Hunk } from './myers.ts';
import type { Region, Texts } from './runs.ts';
import { type Budget, joinsWords, words } from './tokens.ts';

/** Words that two texts may differ in before they count as unlike. */
const changedWords = 300;
/** One change with the edits of others in it; texts that only have words in common have them at more places. */
const maxPlaces = 3;

/** A stretch that stored text and client's text have in common. */
export interface Stretch {
  readonly inStored: number;
  readonly inClient: number;
  readonly length: number;
}

/** A stretch of the base that the client changed, with what the stored text and the client have in its place. */
export interface Place {
  readonly ofBase: Region;
  readonly ofStored: Region;
  readonly ofClient: Region;
  /** The client's changes, in the offsets of base and client. */
  readonly changes: readonly Hunk[];
}

/**
 * The stretches of one place that both sides have alike, in order. Two texts are one change when they are equal, or all of
 * the one is in the other, parted at words: then somebody wrote on around it, or in it. Anything else is two changes: two
 * people who each wrote ` (1)` and ` (2)` have written two things, however many letters these share.
 */
export function commonStretches({ stored, client }: Texts, place: Place, budget: Budget): Stretch[] {
  const { ofBase, ofStored, ofClient, changes } = place;
  const whole = alikeIn(stored, ofStored, client, ofClient, true, budget);
  if (whole.length > 0) return whole;
  // What the client inserted may be alike even where it kept beside it what the stored side removed.
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
 * All of a text as stretches of a longer one, none of which cuts a word. Empty when it is not in there, or in more pieces
 * than one change with the edits of others in it would be.
 *
 * @param beginsAlike both begin at one place of the base: then the longer one may go on in the shorter one's last word, as
 *   the text of somebody does who wrote on, seen before and after.
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

/** Insertions that become one when the later one slides back over what is between them: a comparison may cut them anyhow. */
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

/** Whether a text says something: letters or digits, not only white space and punctuation. */
function hasLetter(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (joinsWords(unit) || unit > 0x2e7f) return true;
  }
  return false;
}
