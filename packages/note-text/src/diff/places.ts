/** Finds the parts of a line that hold one value each: the targets of links and the boxes of tasks. */

import { minimalDiff } from './diff.ts';
import { linesOf } from './lines.ts';
import type { Hunk } from './myers.ts';
import type { Region } from './runs.ts';

/** A part of the base that holds a single value: where both sides change it, one value is kept. */
export interface Mark extends Region {
  readonly kind: 'target' | 'box';
}

/** Maximum length of a link target, in UTF-16 units. */
const maxTarget = 1024;
/** Maximum indentation of a task's box. */
const maxIndent = 128;

const beforeBox = /^[\t >]*(?:[-*+]|\d{1,9}[.)])[\t ]+\[$/;

/** Returns the mark that contains a whole region; null if there is none. */
export function markAround(text: string, region: Region): Mark | null {
  return boxAround(text, region) ?? targetAround(text, region);
}

function boxAround(text: string, { from, to }: Region): Mark | null {
  // The region is the sign, or the gap before or after it.
  const sign = text.charAt(from - 1) === '[' ? from : from - 1;
  if (to > sign + 1 || text.charAt(sign - 1) !== '[' || text.charAt(sign + 1) !== ']') return null;
  const before = text.slice(Math.max(0, sign - maxIndent), sign);
  if (!beforeBox.test(before.slice(before.lastIndexOf('\n') + 1))) return null;
  return { from: sign, to: sign + 1, kind: 'box' };
}

/**
 * Returns the link target around a region. A wikilink's target ends at its anchor or alias, a markdown link's at its
 * anchor.
 */
function targetAround(text: string, { from, to }: Region): Mark | null {
  if (to - from > maxTarget) return null;
  const before = text.slice(Math.max(0, from - maxTarget), from);
  const opening = Math.max(before.lastIndexOf('[['), before.lastIndexOf(']('));
  if (opening === -1 || /[\n|#)]|\]\]/.test(before.slice(opening + 2))) return null;
  const start = from - before.length + opening + 2;
  const isWiki = before.charAt(opening) === '[';
  const rest = text.slice(start, start + maxTarget);
  const length = rest.search(isWiki ? /[\n|#]|\]\]/ : /[\n)#]/);
  if (length < to - start || rest.charAt(length) === '\n') return null;
  return { from: start, to: start + length, kind: 'target' };
}

/** Returns whether one side's change of a mark leaves one value in it. */
export function readsAsMark(
  text: string,
  { whole, mark }: { readonly whole: Hunk; readonly mark: Mark | null },
): boolean {
  if (mark === null || whole.aFrom !== mark.from || whole.aTo !== mark.to) return false;
  return mark.kind === 'target'
    ? !hasDelimiter(text, { from: whole.bFrom, to: whole.bTo })
    : whole.bTo === whole.bFrom + 1;
}

/** Returns whether a stretch ends a link's target. */
export function hasDelimiter(text: string, { from, to }: Region): boolean {
  return to > from && /[\n|#()]|\[\[|\]\]/.test(text.slice(from, to));
}

const delimiters = /\[\[|\]\]|\]\(|[|[\]#]/g;
/** Maximum length of a change that is split, in UTF-16 units; a longer one counts as new text. */
const maxChange = 8192;

/**
 * Splits changes at the lines that changed a little among others that were replaced, and at the delimiters of links and
 * table cells that both texts have alike, so that each place is changed by itself.
 */
export function byPlaces(base: string, text: string, hunks: readonly Hunk[]): Hunk[] {
  return hunks.flatMap((hunk) => {
    const [before, after] = [base.slice(hunk.aFrom, hunk.aTo), text.slice(hunk.bFrom, hunk.bTo)];
    if (before.length + after.length > maxChange || before === '' || after === '') return [hunk];
    return byLines(before, after).flatMap(({ aFrom, aTo, bFrom, bTo }) => {
      const part = {
        aFrom: hunk.aFrom + aFrom,
        aTo: hunk.aFrom + aTo,
        bFrom: hunk.bFrom + bFrom,
        bTo: hunk.bFrom + bTo,
      };
      return byDelimiters(base, text, part);
    });
  });
}

/** Splits a change of several lines at each line that has something in common with the one in its place. */
function byLines(before: string, after: string): Hunk[] {
  const whole = { aFrom: 0, aTo: before.length, bFrom: 0, bTo: after.length };
  const [was, is] = [linesOf(before), linesOf(after)];
  if (was.length === 1 || was.length !== is.length) return [whole];
  const hunks: Hunk[] = [];
  let [aFrom, bFrom, isOpen] = [0, 0, false];
  for (const [index, line] of was.entries()) {
    const other = is[index] ?? '';
    const found = minimalDiff(line, other);
    const isUnlike = found.length === 1 && found[0]?.remove === line.length;
    const last = hunks.at(-1);
    let shift = 0;
    for (const { at, remove, insert } of found) {
      const part = { aFrom: aFrom + at, aTo: aFrom + at + remove, bFrom: bFrom + at + shift, bTo: 0 };
      part.bTo = part.bFrom + insert.length;
      shift += insert.length - remove;
      if (isUnlike && isOpen && last !== undefined) hunks[hunks.length - 1] = { ...last, aTo: part.aTo, bTo: part.bTo };
      else hunks.push(part);
    }
    isOpen = isUnlike;
    [aFrom, bFrom] = [aFrom + line.length, bFrom + other.length];
  }
  return hunks;
}

function byDelimiters(base: string, text: string, hunk: Hunk): Hunk[] {
  const [before, after] = [base.slice(hunk.aFrom, hunk.aTo), text.slice(hunk.bFrom, hunk.bTo)];
  const [inBefore, inAfter] = [[...before.matchAll(delimiters)], [...after.matchAll(delimiters)]];
  const isAlike = inBefore.length === inAfter.length && inBefore.every(([sign], at) => sign === inAfter[at]?.[0]);
  if (inBefore.length === 0 || !isAlike || before.includes('\n') || after.includes('\n')) return [hunk];
  const ends = [...inBefore.map(({ index, 0: sign }) => [index, sign.length]), [before.length, 0]];
  let [aFrom, bFrom] = [hunk.aFrom, hunk.bFrom];
  return ends.flatMap(([index = 0, length = 0], at) => {
    const [aTo, bTo] = [hunk.aFrom + index, hunk.bFrom + (inAfter[at]?.index ?? after.length)];
    const part = { aFrom, aTo, bFrom, bTo };
    [aFrom, bFrom] = [aTo + length, bTo + length];
    return base.slice(part.aFrom, aTo) === text.slice(part.bFrom, bTo) ? [] : [part];
  });
}
