/** Maps the text of an older version to its offsets in the current text. All offsets count UTF-16 units. */
import type { Edit } from './diff.ts';
import type { Hunk } from './myers.ts';

/**
 * A stretch of the base: its offsets there, and its offset in the stored text, or, when it was deleted, where it was.
 * Runs cover the base without gaps.
 */
export interface Run {
  readonly baseStart: number;
  readonly length: number;
  readonly nowStart: number;
  readonly alive: boolean;
}

/** A stretch of the stored text that the base does not have. Stretches of one write have the same name of it. */
export interface Insertion extends Region {
  readonly write: string;
}

/**
 * Base, stored and client text of a three-way merge. The runs cover the whole base, and the insertions all else of the
 * stored text, both in order.
 */
export interface Texts {
  readonly base: string;
  readonly stored: string;
  readonly client: string;
  readonly runs: readonly Run[];
  readonly insertions: readonly Insertion[];
  /** Whether stored link targets are kept, because the server has rewritten links since the base. */
  readonly keepsTargets?: boolean;
}

/** A stretch of a text. */
export interface Region {
  readonly from: number;
  readonly to: number;
}

/** A stretch that the stored text and the client's text have in common. */
export interface Stretch {
  readonly inStored: number;
  readonly inClient: number;
  readonly length: number;
}

/** Runs and insertions of a text if only these changes lead to it: what they leave out was written as it had been. */
export function changesAt({ base, insertions }: Texts, changes: readonly Hunk[]): Pick<Texts, 'runs' | 'insertions'> {
  const runs: Run[] = [];
  const inserted: Insertion[] = [];
  let [baseStart, nowStart, next] = [0, 0, 0];
  const push = (length: number, alive: boolean) => {
    if (length > 0) runs.push({ baseStart, length, nowStart, alive });
    baseStart += length;
    if (alive) nowStart += length;
  };
  for (const { aFrom, aTo, bFrom, bTo } of changes) {
    push(aFrom - baseStart, true);
    push(aTo - aFrom, false);
    while (next < insertions.length && (insertions[next] as Insertion).to <= bFrom) next++;
    for (let at = next; (insertions[at]?.from ?? bTo) < bTo; at++) {
      const insertion = insertions[at] as Insertion;
      inserted.push({ ...insertion, from: Math.max(bFrom, insertion.from), to: Math.min(bTo, insertion.to) });
    }
    nowStart = bTo;
  }
  push(base.length - baseStart, true);
  return { runs, insertions: inserted };
}

/** Returns the insertions in a region of the stored text. */
export function insertionsIn(insertions: readonly Insertion[], { from, to }: Region): Insertion[] {
  const found: Insertion[] = [];
  for (let index = firstWhere(insertions, (insertion) => insertion.to > from); index < insertions.length; index++) {
    const insertion = insertions[index];
    if (insertion === undefined || insertion.from >= to) break;
    found.push(insertion);
  }
  return found;
}

/** Returns the edits that remove what is left of a region of the base. */
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

/** Offset in the stored text of the gap before a base offset: right after the character that preceded it. */
export function positionOf(baseAt: number, runs: readonly Run[]): number {
  if (baseAt === 0) return 0;
  const run = runs[firstEndingAfter(runs, baseAt - 1)];
  if (run === undefined) return 0;
  return run.alive ? run.nowStart + baseAt - run.baseStart : run.nowStart;
}

/** Offset in the base of a letter of the stored text; null if the base does not have it. */
export function baseOffsetOf(storedAt: number, runs: readonly Run[]): number | null {
  const run = runs[firstWhere(runs, ({ nowStart, length, alive }) => nowStart + (alive ? length : 0) > storedAt)];
  return run?.alive && run.nowStart <= storedAt ? run.baseStart + storedAt - run.nowStart : null;
}

/** Index of the run that contains the base offset. */
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

/** Joins neighbouring removed runs, so that a stretch removed letter by letter is visited once. */
function withRemovedJoined(runs: readonly Run[]): Run[] {
  const result: Run[] = [];
  for (const run of runs) {
    const last = result.at(-1);
    if (last === undefined || last.alive || run.alive) result.push(run);
    else result[result.length - 1] = { ...last, length: last.length + run.length };
  }
  return result;
}

/** Looks up what became of stretches of the base in the stored text. */
export class RunIndex {
  readonly #runs: readonly Run[];
  readonly #baseLength: number;
  readonly #storedLength: number;

  constructor(runs: readonly Run[], baseLength: number, storedLength: number) {
    this.#runs = withRemovedJoined(runs);
    this.#baseLength = baseLength;
    this.#storedLength = storedLength;
  }

  /** Widens a region of the base by the removed stretches that it touches. */
  widened({ from, to }: Region): Region {
    let [start, end] = [from, to];
    for (let index = firstEndingAfter(this.#runs, start - 1); start > 0; index--) {
      const run = this.#runs[index];
      if (run === undefined || run.alive) break;
      start = run.baseStart;
    }
    for (let index = firstEndingAfter(this.#runs, end); end < this.#baseLength; index++) {
      const run = this.#runs[index];
      if (run === undefined || run.alive) break;
      end = run.baseStart + run.length;
    }
    return { from: start, to: end };
  }

  /** Returns the gaps within the region at which the stored side changed something, the nearest to `gap` first. */
  changedNear(gap: number, { from, to }: Region): number[] {
    const found = new Set<number>();
    for (let index = firstEndingAfter(this.#runs, from - 1); index < this.#runs.length; index++) {
      const run = this.#runs[index];
      if (run === undefined || run.baseStart > to) break;
      for (const at of [run.baseStart, run.baseStart + run.length]) {
        if (at >= from && at <= to && this.#isChanged(at)) found.add(at);
      }
    }
    return [...found].sort((a, b) => Math.abs(a - gap) - Math.abs(b - gap));
  }

  /** Returns whether the stored side inserted text in a gap of the base, or removed text beside it. */
  #isChanged(gap: number): boolean {
    const { from, to } = this.widened({ from: gap, to: gap });
    if (from < to) return true;
    const inserted = this.storedRegion({ from, to });
    return inserted.from < inserted.to;
  }

  /** Returns the region of the stored text that takes the place of a widened region of the base. */
  storedRegion({ from, to }: Region): Region {
    return {
      from: from === 0 ? 0 : this.#now(from - 1) + 1,
      to: to === this.#baseLength ? this.#storedLength : this.#now(to),
    };
  }

  /** Current offset of a letter of the base that was not removed. */
  #now(at: number): number {
    const run = this.#runs[firstEndingAfter(this.#runs, at)];
    return run === undefined ? this.#storedLength : run.nowStart + at - run.baseStart;
  }
}

/** An edit, or a stretch to keep whatever other edits remove. */
export interface Step extends Edit {
  readonly keep?: number;
}

/**
 * Makes edits of one text sorted and disjoint: text that several edits remove is removed once, and no insertion is
 * inside a removal.
 */
export function apart(steps: readonly Step[]): Edit[] {
  const insertions = steps.filter(({ insert }) => insert !== '').map(({ at, insert }) => ({ at, remove: 0, insert }));
  const kept = joined(steps.map(({ at, keep = 0 }) => ({ from: at, to: at + keep })));
  const removed = joined(steps.map(({ at, remove }) => ({ from: at, to: at + remove })));
  const places = insertions.map(({ at }) => ({ from: at, to: at })).sort((a, b) => a.from - b.from);
  const cut = without(without(removed, kept), places);
  return [...insertions, ...cut.map(({ from, to }) => ({ at: from, remove: to - from, insert: '' }))].sort(inTextOrder);
}

/** Sorts stretches and joins those that overlap or touch; drops empty ones. */
export function joined(stretches: readonly Region[]): Region[] {
  const result: Region[] = [];
  for (const stretch of stretches.filter(({ from, to }) => from < to).sort((a, b) => a.from - b.from)) {
    const last = result.at(-1);
    if (last === undefined || stretch.from > last.to) result.push(stretch);
    else result[result.length - 1] = { from: last.from, to: Math.max(last.to, stretch.to) };
  }
  return result;
}

/**
 * Subtracts `others` from `stretches`, and splits stretches at empty others. Both are sorted, and `stretches` are
 * disjoint.
 */
export function without(stretches: readonly Region[], others: readonly Region[]): Region[] {
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

/**
 * Sorts by position. At one position insertions come first, so that edits applied from the end delete before they
 * insert.
 */
function inTextOrder(a: Edit, b: Edit): number {
  return a.at - b.at || a.remove - b.remove;
}
