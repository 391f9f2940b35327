/**
 * What a client changed of a text that was changed elsewhere meanwhile, without what both changed alike. What became of the
 * base in the stored text is known letter by letter; what the client changed is the difference between the base and its
 * text. All offsets count UTF-16 units.
 */

import { commonStretches, type Place, type Stretch } from './common.ts';
import { type Edit, minimalDiff } from './diff.ts';
import type { Hunk } from './myers.ts';
import { apart, positionOf, type Region, RunIndex, removalsIn, type Step, type Texts } from './runs.ts';
import type { Budget } from './tokens.ts';

/** Steps that all places of a merge share, of some ten nanoseconds each; past them, what may be alike counts as two changes. */
const mergeWork = 1_500_000;

/**
 * The edits that bring a client's changes of the base into the stored text, sorted and apart. What the stored side inserted
 * stays, what the client inserted comes in, what either removed is gone, and nothing is to do where the stored text has a
 * change of the client already, at the same place of the base. Never throws.
 */
export function clientEdits(texts: Texts): Edit[] {
  const { base, stored, client, runs } = texts;
  if (client === stored || client === base) return [];
  if (stored === base) return minimalDiff(base, client);
  const index = new RunIndex(runs, base.length, stored.length);
  const changes = besideStoredChanges(base, client, hunksOf(minimalDiff(base, client)), index);
  const budget = { work: mergeWork };
  return apart(placesOf(changes, index).flatMap((place) => stepsAt(texts, place, budget)));
}

function hunksOf(edits: readonly Edit[]): Hunk[] {
  let shift = 0;
  return edits.map(({ at, remove, insert }) => {
    const hunk = { aFrom: at, aTo: at + remove, bFrom: at + shift, bTo: at + shift + insert.length };
    shift += insert.length - remove;
    return hunk;
  });
}

/**
 * The changes, each slid to where the stored side changed the base too, if it means the same there: of two equal lines it
 * cannot be told which one was added or removed, and two who did it alike may be read as having done it at two places.
 */
function besideStoredChanges(base: string, client: string, changes: readonly Hunk[], index: RunIndex): Hunk[] {
  const slid: Hunk[] = [];
  for (const [at, change] of changes.entries()) {
    const { from, to } = reachOf(base, client, change, slid.at(-1)?.aTo ?? 0, changes[at + 1]?.aFrom ?? base.length);
    const length = change.aTo - change.aFrom;
    const start = from === to - length ? change.aFrom : index.changedNear(change.aFrom, { from, to: to - length });
    const shift = start - change.aFrom;
    const { aFrom, aTo, bFrom, bTo } = change;
    slid.push({ aFrom: aFrom + shift, aTo: aTo + shift, bFrom: bFrom + shift, bTo: bTo + shift });
  }
  return slid;
}

/** The part of the base over which a pure insertion or removal slides, between the changes before and behind it. */
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

/** The places of changes, each widened to the next letters of the base that both sides left; sorted and apart. */
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

/** What is to do at one place: nothing for the stretches that both sides have alike, all else as if nobody had changed it. */
function stepsAt(texts: Texts, place: Place, budget: Budget): Step[] {
  const { client, runs } = texts;
  const alike = commonStretches(texts, place, budget);
  const steps: Step[] = alike.map(({ inStored, length }) => ({ at: inStored, remove: 0, insert: '', keep: length }));
  for (const change of place.changes) {
    steps.push(...removalsIn(runs, { from: change.aFrom, to: change.aTo }));
    // Behind what it removes, as it is when Yjs applies an edit to a text nobody else changed: letters that somebody typed
    // into a removed line then stand before the line in its stead, not at the head of the next.
    const usual = positionOf(change.aTo, runs);
    let from = change.bFrom;
    let earliest = 0;
    for (const { inStored, inClient, length } of [...alike, END]) {
      const to = Math.min(change.bTo, inClient);
      const at = Math.min(Math.max(usual, earliest), inStored);
      if (to > from) steps.push({ at, remove: 0, insert: client.slice(from, to) });
      from = Math.max(from, inClient + length);
      earliest = inStored + length;
    }
  }
  return steps;
}

const END: Stretch = { inStored: Number.POSITIVE_INFINITY, inClient: Number.POSITIVE_INFINITY, length: 0 };
