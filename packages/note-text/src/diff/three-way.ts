/**
 * Three-way merge: the client's changes to a text that was changed on the server meanwhile, without the changes that
 * both made alike. What became of the base in the stored text is known letter by letter; the client's changes are the
 * difference between the base and its text. All offsets count UTF-16 units.
 */

import { bothPhrases, type Replacement } from './both-words.ts';
import { type Budget, withBudget } from './budget.ts';
import { commonStretches, type Place } from './common.ts';
import { ChangeMap, cutIntoWords, phraseConflicts, storedChanges } from './conflicts.ts';
import { type DiffLimits, type Edit, minimalDiff } from './diff.ts';
import { type Hunk, hunksOf } from './myers.ts';
import { byPlaces } from './places.ts';
import {
  apart,
  baseOffsetOf,
  changesAt,
  insertionsIn,
  positionOf,
  type Region,
  RunIndex,
  removalsIn,
  type Step,
  type Stretch,
  type Texts,
} from './runs.ts';
import { endsLine, joinsWords, startsLine } from './tokens.ts';
import { isInsideWord, phrasesOf, wordChanges } from './whole-words.ts';

/**
 * Steps (about ten nanoseconds each) shared by all places of a merge. Past them, changes count as different without
 * comparing them.
 */
const mergeWork = 1_500_000;

/**
 * Returns the edits that bring a client's changes of the base into the stored text, sorted and disjoint. Text inserted
 * by either side is kept, text removed by either side is removed, and a change that the stored text already has at the
 * same place of the base is not made again. Throws only TooManySteps.
 *
 * @param changes of a revert: the edits that lead from the base to the client's text, as the document knows them. By
 *   default `minimalDiff` finds them.
 */
export function clientEdits(
  sent: Texts,
  limits: Partial<Pick<DiffLimits, 'allowed'>> = {},
  changes?: readonly Edit[],
): Merge {
  const { base, stored, client } = sent;
  if (client === stored || client === base) return { edits: [], replaced: [] };
  if (stored === base) return { edits: [...(changes ?? minimalDiff(base, client, limits))], replaced: [] };
  const hunks = hunksOf(changes ?? minimalDiff(base, client, limits));
  return withBudget(mergeWork, limits.allowed ?? mergeWork, (budget) => {
    const known = storedChanges(sent.runs, base.length, stored.length);
    const placed = byPlaces(base, stored, known);
    const lines = byPlaces(base, client, besideStoredChanges(sent, hunks, indexOf(sent), budget));
    const others = cutIntoWords(base, [stored, placed], [client, lines], budget);
    const moved = cutIntoWords(base, [client, lines], [stored, placed], budget);
    const texts = others.length === known.length ? sent : { ...sent, ...changesAt(sent, others) };
    const index = indexOf(texts);
    const both = { client: new ChangeMap(moved), stored: new ChangeMap(others) };
    const [own, other] = [wordChanges(base, client, moved), wordChanges(base, stored, others, true)];
    const conflicts = phraseConflicts(texts, phrasesOf(base, own), phrasesOf(base, other));
    const resolved = conflicts.flatMap((conflict) => bothPhrases(texts, conflict, both, budget));
    const made = new Set(resolved.flatMap((each) => each.made));
    const rest = moved.filter((hunk) => !made.has(hunk));
    const steps = placesOf(rest, index).flatMap((place) => stepsAt(texts, place, both.stored, budget));
    const found = apart([...steps, ...resolved.flatMap((each) => each.edits)]);
    const edits = changes === undefined ? found : withWordsApart(sent, changes, found);
    return { edits, replaced: resolved.flatMap((each) => each.replaced) };
  });
}

function indexOf({ base, stored, runs }: Texts): RunIndex {
  return new RunIndex(runs, base.length, stored.length);
}

/** The edits that bring a client's changes into the stored text, and the stored values that these replace. */
export interface Merge {
  readonly edits: Edit[];
  readonly replaced: Replacement[];
}

/**
 * Slides each change to a place where the stored side made the same change, if it means the same there. Of two equal
 * lines, a diff cannot tell which one was added or removed, so two people who made the same change may be read as
 * having made it at two places. Beside a different change of the stored side it would only be torn: a line inserted
 * after `<1>` slides before the `>`, where somebody replaced the digit.
 */
function besideStoredChanges(texts: Texts, changes: readonly Hunk[], index: RunIndex, budget: Budget): Hunk[] {
  const { base, client } = texts;
  const slid: Hunk[] = [];
  for (const [at, change] of changes.entries()) {
    const { from, to } = reachOf(base, client, change, slid.at(-1)?.aTo ?? 0, changes[at + 1]?.aFrom ?? base.length);
    const length = change.aTo - change.aFrom;
    const gaps = from === to - length ? [] : index.changedNear(change.aFrom, { from, to: to - length });
    const alike = gaps
      .map((gap) => movedBy(change, gap - change.aFrom))
      .find((moved) => isMadeByBoth(texts, moved, index, budget));
    slid.push(alike ?? change);
  }
  return slid;
}

function movedBy({ aFrom, aTo, bFrom, bTo }: Hunk, shift: number): Hunk {
  return { aFrom: aFrom + shift, aTo: aTo + shift, bFrom: bFrom + shift, bTo: bTo + shift };
}

/** Returns whether the stored side removed all that a change of the client removes, or inserted all that it inserts. */
function isMadeByBoth(texts: Texts, change: Hunk, index: RunIndex, budget: Budget): boolean {
  const { aFrom, aTo, bFrom, bTo } = change;
  if (aFrom < aTo) return removalsIn(texts.runs, { from: aFrom, to: aTo }).length === 0;
  const alike = placesOf([change], index).flatMap((place) => commonStretches(texts, place, budget).alike);
  const lengths = alike.map(({ inClient, length }) => Math.min(bTo, inClient + length) - Math.max(bFrom, inClient));
  return lengths.reduce((sum, length) => sum + Math.max(0, length), 0) === bTo - bFrom;
}

/**
 * Returns the region of the base over which a pure insertion or removal can slide, between the changes before and after
 * it.
 */
function reachOf(base: string, client: string, change: Hunk, floor: number, ceiling: number): Region {
  const { aFrom, aTo, bFrom, bTo } = change;
  if (aFrom !== aTo && bFrom !== bTo) return { from: aFrom, to: aTo };
  const [text, from, to] = aFrom === aTo ? [client, bFrom, bTo] : [base, aFrom, aTo];
  let back = 0;
  while (aFrom - back > floor && base.charCodeAt(aFrom - 1 - back) === text.charCodeAt(to - 1 - back)) back++;
  let ahead = 0;
  while (aTo + ahead < ceiling && base.charCodeAt(aTo + ahead) === text.charCodeAt(from + ahead)) ahead++;
  return { from: aFrom - back, to: aTo + ahead };
}

/** Widens each change to the nearest letters of the base that both sides kept; returns sorted, disjoint places. */
function placesOf(changes: readonly Hunk[], index: RunIndex): Place[] {
  const found: { ofBase: Region; changes: Hunk[] }[] = [];
  for (const change of changes) {
    const region = index.widened({ from: change.aFrom, to: change.aTo });
    const last = found.at(-1);
    if (last === undefined || region.from > last.ofBase.to) found.push({ ofBase: region, changes: [change] });
    else {
      last.ofBase = { from: last.ofBase.from, to: Math.max(last.ofBase.to, region.to) };
      last.changes.push(change);
    }
  }
  return found.map(({ ofBase, changes: own }) => {
    const [first, last] = [own[0] as Hunk, own.at(-1) as Hunk];
    const ofClient = { from: first.bFrom - (first.aFrom - ofBase.from), to: last.bTo + (ofBase.to - last.aTo) };
    return { ofBase, ofStored: index.storedRegion(ofBase), ofClient, changes: own };
  });
}

/**
 * Returns the edit steps at one place: stretches that both sides changed alike are kept, all other changes are applied.
 */
function stepsAt(texts: Texts, place: Place, stored: ChangeMap, budget: Budget): Step[] {
  const { runs } = texts;
  const { alike, gone } = commonStretches(texts, place, budget);
  const steps: Step[] = alike.map(({ inStored, length }) => ({ at: inStored, remove: 0, insert: '', keep: length }));
  steps.push(...gone.map(({ from, to }) => ({ at: from, remove: to - from, insert: '' })));
  for (const change of place.changes) {
    steps.push(...removalsIn(runs, { from: change.aFrom, to: change.aTo }));
    // The insertion goes behind the text it removes, as when Yjs applies an edit. Letters that somebody typed into a
    // removed line then come before the new line, not at the start of the line after it.
    const isInsertion = change.aFrom === change.aTo;
    const usual = (isInsertion ? stored.endOfReplaced(change.aTo) : null) ?? positionOf(change.aTo, runs);
    let from = change.bFrom;
    let earliest = 0;
    for (const { inStored, inClient, length } of [...alike, END]) {
      const to = Math.min(change.bTo, inClient);
      const first = Math.min(Math.max(usual, earliest), inStored);
      const last = change === place.changes.at(-1) ? Math.min(place.ofStored.to, inStored) : first;
      if (to > from) steps.push(insertionBetweenLines(texts, { from, to }, first, last));
      from = Math.max(from, inClient + length);
      earliest = inStored + length;
    }
  }
  return steps;
}

/**
 * Inserts a stretch of the client's text at the first possible offset, unless its last line would become one with a line
 * of the stored text. A stretch that begins with a newline then goes to the last offset; to another one, which follows
 * a line and is the end of the client's text, a newline is added.
 */
function insertionBetweenLines(texts: Texts, { from, to }: Region, first: number, last: number): Step {
  const { stored, client } = texts;
  const insert = client.slice(from, to);
  const joins = endsLine(client, to) && !insert.endsWith('\n') && !endsLine(stored, first);
  if (joins && insert.startsWith('\n')) return { at: last, remove: 0, insert };
  const followsLine = joins && startsLine(client, from) && startsLine(stored, first);
  return { at: first, remove: 0, insert: followsLine ? `${insert}\n` : betweenWords(texts, { from, to }, first) };
}

/**
 * Returns a stretch of the client's text, with spaces where a word of it would become one with a word that a stored
 * write inserted.
 */
function betweenWords({ stored, client, insertions }: Texts, { from, to }: Region, at: number): string {
  const isInserted = (unit: number) => insertionsIn(insertions, { from: unit, to: unit + 1 }).length > 0;
  const isGlued = (before: string, after: string) =>
    joinsWords(before.charCodeAt(0)) && joinsWords(after.charCodeAt(0));
  const before =
    isGlued(stored.charAt(at - 1), client.charAt(from)) && !isInsideWord(client, from) && isInserted(at - 1);
  const behind = isGlued(client.charAt(to - 1), stored.charAt(at)) && !isInsideWord(client, to) && isInserted(at);
  return `${before ? ' ' : ''}${client.slice(from, to)}${behind ? ' ' : ''}`;
}

/**
 * Keeps one blank of each removal that would otherwise join two words, unless the changes join the same two. The blank
 * may come from the reverted write although somebody else has written a word beside it.
 */
function withWordsApart({ stored, runs }: Texts, changes: readonly Edit[], edits: readonly Edit[]): Edit[] {
  const removals = new Map(changes.filter(({ insert }) => insert === '').map(({ at, remove }) => [at, at + remove]));
  return edits.flatMap((edit) => {
    const { at, remove } = edit;
    const end = at + remove;
    const blank = stored.slice(at, end).search(/\s/);
    if (blank < 0 || !joinsWords(stored.charCodeAt(at - 1)) || !joinsWords(stored.charCodeAt(end))) return [edit];
    const before = baseOffsetOf(at - 1, runs);
    if (before !== null && removals.get(before + 1) === baseOffsetOf(end, runs)) return [edit];
    const around = [
      { at, remove: blank, insert: '' },
      { at: at + blank + 1, remove: remove - blank - 1, insert: '' },
    ];
    return around.filter((each) => each.remove > 0);
  });
}

const END: Stretch = { inStored: Number.POSITIVE_INFINITY, inClient: Number.POSITIVE_INFINITY, length: 0 };
