/**
 * What a client changed of a text that was changed elsewhere meanwhile, without what both changed alike. What became of the
 * base in the stored text is known letter by letter; the client's text is compared with the base for what it changed, and
 * with the stored text for what of that is there already. All offsets count UTF-16 units.
 */
import { type Edit, minimalDiff } from '../diff.ts';
import type { Hunk } from '../myers.ts';
import type { Budget } from '../spans.ts';
import { commonStretches } from './common.ts';
import {
  apart,
  differingParts,
  positionOf,
  type Region,
  removalsIn,
  runsWithin,
  type Step,
  type Texts,
} from './runs.ts';

/** Steps that all parts of a merge share, of some ten nanoseconds each; past them, what may be alike is taken for two changes. */
const mergeWork = 1_500_000;
/** A part may take as much, however small it is. */
const partWork = 2_000;

/**
 * The edits that bring a client's changes of the base into the stored text, sorted and apart. What the stored side inserted
 * stays, what the client inserted comes in, what either removed is gone, and nothing is to do where the stored text has a
 * change of the client already, at the same place of the base. Never throws.
 */
export function clientEdits({ base, stored, client, runs }: Texts): Edit[] {
  if (client === stored || client === base) return [];
  if (stored === base) return minimalDiff(base, client);
  const hunks = hunksOf(minimalDiff(stored, client));
  const budget = { work: mergeWork };
  const length = base.length + client.length;
  let next = 0;
  return differingParts(hunks, runs, base.length, stored.length).flatMap(({ ofBase, ofStored }) => {
    const first = next;
    while ((hunks[next]?.aTo ?? Number.POSITIVE_INFINITY) <= ofStored.to) next++;
    const inside = hunks.slice(first, next);
    const ofClient = clientRegion(inside, ofStored);
    const part = {
      base: base.slice(ofBase.from, ofBase.to),
      stored: stored.slice(ofStored.from, ofStored.to),
      client: client.slice(ofClient.from, ofClient.to),
      runs: runsWithin(runs, ofBase, ofStored),
    };
    const local = inside.map((hunk) => moved(hunk, -ofStored.from, -ofClient.from));
    const share = Math.max(partWork, (mergeWork * (part.base.length + part.client.length)) / length);
    const edits = partEdits(part, local, share, budget);
    return edits.map((edit) => ({ ...edit, at: edit.at + ofStored.from }));
  });
}

function hunksOf(edits: readonly Edit[]): Hunk[] {
  let shift = 0;
  return edits.map(({ at, remove, insert }) => {
    const hunk = { aFrom: at, aTo: at + remove, bFrom: at + shift, bTo: at + shift + insert.length };
    shift += insert.length - remove;
    return hunk;
  });
}

function moved({ aFrom, aTo, bFrom, bTo }: Hunk, a: number, b: number): Hunk {
  return { aFrom: aFrom + a, aTo: aTo + a, bFrom: bFrom + b, bTo: bTo + b };
}

/** Where a region of the stored text is in the client's; `hunks` are all that lie in it, and at least one. */
function clientRegion(hunks: readonly Hunk[], { from, to }: Region): Region {
  const [first, last] = [hunks[0], hunks.at(-1)];
  if (first === undefined || last === undefined) throw new RangeError('a part without a difference');
  return { from: first.bFrom - (first.aFrom - from), to: last.bTo + (to - last.aTo) };
}

/** As clientEdits, for a part in which the texts may differ everywhere; `hunks` lead from the stored text to the client's. */
function partEdits(part: Texts, hunks: readonly Hunk[], work: number, budget: Budget): Edit[] {
  const { base, stored, client, runs } = part;
  if (client === base) return [];
  const edits = minimalDiff(base, client, { work });
  // Removed and written anew, a text is the same text.
  if (stored === base) return edits;
  const changes = hunksOf(edits);
  const common = commonStretches(part, changes, hunks, budget);
  const steps: Step[] = common.map(({ inStored, length }) => ({ at: inStored, remove: 0, insert: '', keep: length }));
  const all = [...common, END];
  let next = 0;
  for (const change of changes) {
    steps.push(...removalsIn(runs, { from: change.aFrom, to: change.aTo }));
    // Behind what it removes, as it is when Yjs applies an edit to a text nobody else changed: letters that somebody typed
    // into a removed line then stand before the line in its stead, not at the head of the next.
    const usual = positionOf(change.aTo, runs);
    let from = change.bFrom;
    while ((all[next]?.inClient ?? 0) + (all[next]?.length ?? 0) <= from && all[next] !== END) next++;
    for (let index = next; from < change.bTo; index++) {
      const { inStored, inClient, length } = all[index] ?? END;
      const to = Math.max(from, Math.min(change.bTo, inClient));
      const before = all[index - 1];
      const earliest = before === undefined ? 0 : before.inStored + before.length;
      const at = Math.min(Math.max(usual, earliest), inStored);
      if (to > from) steps.push({ at, remove: 0, insert: client.slice(from, to) });
      from = Math.max(from, inClient + length);
    }
  }
  return apart(steps);
}

const END = { inStored: Number.POSITIVE_INFINITY, inClient: Number.POSITIVE_INFINITY, length: 0 };
