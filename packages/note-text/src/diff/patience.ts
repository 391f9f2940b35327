/**
 * Divides two texts at lines that occur exactly once in both and in the same order, where too much changed for a
 * search. Bram Cohen's patience diff uses the same idea.
 */

import type { Budget } from './budget.ts';
import type { Hunk } from './myers.ts';

/** Shorter lines are too common to identify a position. */
const minLine = 8;
/**
 * Text length in UTF-16 units above which only a sample of the lines is read. The sample is chosen by line length, so
 * that both texts sample the same lines.
 */
const sampleAbove = 1_000_000;
const repeated = -1;
/** The cost of reading a line, in steps of the budget. */
const lineCost = 2;

/** Maps each sampled line (without its newline) to its start, or to `repeated`. Stops when the budget is spent. */
function sampledLines(text: string, from: number, to: number, stride: number, budget: Budget): Map<string, number> {
  const starts = new Map<string, number>();
  let start = from;
  while (start < to && budget.work > 0) {
    budget.work -= lineCost;
    const newline = text.indexOf('\n', start);
    const end = newline === -1 || newline >= to ? to : newline;
    const length = end - start;
    if (length >= minLine && length % stride === 0) {
      const line = text.slice(start, end);
      starts.set(line, starts.has(line) ? repeated : start);
    }
    start = end + 1;
  }
  return starts;
}

interface SharedLine {
  readonly a: number;
  readonly b: number;
}

/**
 * Returns the longest run of shared lines (given in order of `a`) that is also in order in `b`: patience sorting with
 * back links.
 */
function longestRising(sharedLines: readonly SharedLine[]): SharedLine[] {
  const patienceStacks: number[] = []; // index of the shared line on top of each pile
  const below = new Int32Array(sharedLines.length);
  sharedLines.forEach((sharedLine, index) => {
    let low = 0;
    let high = patienceStacks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const top = sharedLines[patienceStacks[middle] ?? 0];
      if (top !== undefined && top.b < sharedLine.b) low = middle + 1;
      else high = middle;
    }
    below[index] = patienceStacks[low - 1] ?? -1;
    patienceStacks[low] = index;
  });
  const rising: SharedLine[] = [];
  for (let index = patienceStacks.at(-1) ?? -1; index !== -1; index = below[index] ?? -1) {
    const sharedLine = sharedLines[index];
    if (sharedLine !== undefined) rising.push(sharedLine);
  }
  return rising.reverse();
}

/**
 * Returns the stretches between shared lines, in order. Each but the first begins with a shared line. One stretch if
 * there are none.
 */
export function gapsBetweenSharedLines(a: string, b: string, within: Hunk, budget: Budget): Hunk[] {
  const { aFrom, aTo, bFrom, bTo } = within;
  const stride = Math.ceil((aTo - aFrom + bTo - bFrom) / sampleAbove);
  const inB = sampledLines(b, bFrom, bTo, stride, budget);
  const shared: SharedLine[] = [];
  for (const [line, start] of sampledLines(a, aFrom, aTo, stride, budget)) {
    const other = inB.get(line);
    if (start !== repeated && other !== undefined && other !== repeated) shared.push({ a: start, b: other });
  }
  shared.sort((one, other) => one.a - other.a);
  const gaps: Hunk[] = [];
  let last: SharedLine = { a: aFrom, b: bFrom };
  for (const sharedLine of longestRising(shared)) {
    gaps.push({ aFrom: last.a, aTo: sharedLine.a, bFrom: last.b, bTo: sharedLine.b });
    last = sharedLine;
  }
  gaps.push({ aFrom: last.a, aTo, bFrom: last.b, bTo });
  return gaps;
}
