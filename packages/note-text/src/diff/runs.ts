/** Where the text of an older version is now. All offsets count UTF-16 units. */
import type { Edit } from '../diff.ts';
import type { Hunk } from '../myers.ts';

/** A stretch of the base: where it stood there, and where it stands now (or stood, when deleted since). Runs lie side by side. */
export interface Run {
  readonly baseStart: number;
  readonly length: number;
  readonly nowStart: number;
  readonly alive: boolean;
}

/** Three texts that came of one another, and what became of the base in the stored one: all of it, in its order. */
export interface Texts {
  readonly base: string;
  readonly stored: string;
  readonly client: string;
  readonly runs: readonly Run[];
}

/** A stretch of a text. */
export interface Region {
  readonly from: number;
  readonly to: number;
}

/** What is left of a stretch of the base, to be removed. */
export function removalsIn(runs: readonly Run[], { from, to }: Region): Edit[] {
  const edits: Edit[] = [];
  for (let index = firstEndingAfter(runs, from); index < runs.length; index++) {
    const run = runs[index];
    if (run === undefined || run.baseStart >= to) break;
    const start = Math.max(from, run.baseStart);
    const end = Math.min(to, run.baseStart + run.length);
    if (run.alive) edits.push({ at: run.nowStart + start - run.baseStart, remove: end - start, insert: '' });
  }
  return edits;
}

/** Where the gap before the base offset is now: right behind the character that preceded it. */
export function positionOf(baseAt: number, runs: readonly Run[]): number {
  if (baseAt === 0) return 0;
  const run = runs[firstEndingAfter(runs, baseAt - 1)];
  if (run === undefined) return 0;
  return run.alive ? run.nowStart + baseAt - run.baseStart : run.nowStart;
}

/** Index of the run that holds the base offset. */
function firstEndingAfter(runs: readonly Run[], baseAt: number): number {
  return firstWhere(runs, (run) => run.baseStart + run.length > baseAt);
}

/** Index of the first of some sorted items that is past a point (binary search). */
function firstWhere<Item>(items: readonly Item[], isPast: (item: Item) => boolean): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isPast(items[middle] as Item)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** A part of the base and what the stored text has in its place. */
export interface Part {
  readonly ofBase: Region;
  readonly ofStored: Region;
}

/**
 * The parts of base and stored text around changes of the stored text: each reaches, to either side, to the next letter
 * of the base that is still there. Sorted and apart.
 */
export function differingParts(
  hunks: readonly Hunk[],
  runs: readonly Run[],
  baseLength: number,
  length: number,
): Part[] {
  const alive = runs.filter((run) => run.alive);
  const parts: Part[] = [];
  for (const { aFrom, aTo } of hunks) {
    const before = alive[firstWhere(alive, (run) => run.nowStart >= aFrom) - 1];
    const behind = alive[firstWhere(alive, (run) => run.nowStart + run.length > aTo)];
    const ahead = before === undefined ? 0 : Math.min(before.length, aFrom - before.nowStart);
    const back = behind === undefined ? 0 : Math.max(0, aTo - behind.nowStart);
    const part = {
      ofBase: {
        from: before === undefined ? 0 : before.baseStart + ahead,
        to: behind === undefined ? baseLength : behind.baseStart + back,
      },
      ofStored: {
        from: before === undefined ? 0 : before.nowStart + ahead,
        to: behind === undefined ? length : behind.nowStart + back,
      },
    };
    const last = parts.at(-1);
    if (last === undefined || part.ofStored.from > last.ofStored.to || part.ofBase.from > last.ofBase.to)
      parts.push(part);
    else {
      parts[parts.length - 1] = {
        ofBase: { from: last.ofBase.from, to: part.ofBase.to },
        ofStored: { from: last.ofStored.from, to: part.ofStored.to },
      };
    }
  }
  return parts;
}

/** The runs of a part, in its own offsets. */
export function runsWithin(runs: readonly Run[], ofBase: Region, ofStored: Region): Run[] {
  const within: Run[] = [];
  for (let index = firstEndingAfter(runs, ofBase.from); index < runs.length; index++) {
    const run = runs[index];
    if (run === undefined || run.baseStart >= ofBase.to) break;
    const from = Math.max(run.baseStart, ofBase.from);
    const to = Math.min(run.baseStart + run.length, ofBase.to);
    const nowStart = run.nowStart + (run.alive ? from - run.baseStart : 0) - ofStored.from;
    within.push({
      baseStart: from - ofBase.from,
      length: to - from,
      nowStart: Math.max(0, nowStart),
      alive: run.alive,
    });
  }
  return within;
}

/** An edit, or a stretch that stays whatever other edits remove. */
export interface Step extends Edit {
  readonly keep?: number;
}

/** Edits of one text sorted and apart: what several remove is removed once, and no insertion stands inside a removal. */
export function apart(steps: readonly Step[]): Edit[] {
  const insertions = steps.filter(({ insert }) => insert !== '').map(({ at, insert }) => ({ at, remove: 0, insert }));
  const kept = joined(steps.map(({ at, keep = 0 }) => ({ from: at, to: at + keep })));
  const removed = joined(steps.map(({ at, remove }) => ({ from: at, to: at + remove })));
  const places = insertions.map(({ at }) => ({ from: at, to: at })).sort((a, b) => a.from - b.from);
  const cut = without(without(removed, kept), places);
  return [...insertions, ...cut.map(({ from, to }) => ({ at: from, remove: to - from, insert: '' }))].sort(inTextOrder);
}

/** Stretches in order, those that overlap or touch as one; empty ones are left out. */
function joined(stretches: readonly Region[]): Region[] {
  const result: Region[] = [];
  for (const stretch of stretches.filter(({ from, to }) => from < to).sort((a, b) => a.from - b.from)) {
    const last = result.at(-1);
    if (last === undefined || stretch.from > last.to) result.push(stretch);
    else result[result.length - 1] = { from: last.from, to: Math.max(last.to, stretch.to) };
  }
  return result;
}

/** What is left of stretches without others, or cut at them where those are empty; both sorted, and the first ones apart. */
function without(stretches: readonly Region[], others: readonly Region[]): Region[] {
  const left: Region[] = [];
  let next = 0;
  for (const { from, to } of stretches) {
    let start = from;
    while (next < others.length && (others[next]?.to ?? to) <= start) next++;
    for (let at = next; at < others.length; at++) {
      const other = others[at];
      if (other === undefined || other.from >= to) break;
      if (other.from > start) left.push({ from: start, to: other.from });
      start = Math.max(start, other.to);
    }
    if (start < to) left.push({ from: start, to });
  }
  return left;
}

/** By position; at one position insertions come first, so that applying from the end deletes before it inserts. */
function inTextOrder(a: Edit, b: Edit): number {
  return a.at - b.at || a.remove - b.remove;
}
