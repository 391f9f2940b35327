/**
 * Tidies the changes found inside a hunk of lines, so that a merge with another person's changes reads well. Hunks are
 * sorted and do not touch; offsets are UTF-16.
 */
import type { Hunk } from './myers.ts';
import { joinsWords, startsLine } from './tokens.ts';

/** Length above which a stretch's length replaces its number of letters, because counting would cost too much. */
const longStretch = 1000;

/** Number of letters in `text` between two offsets. */
function lettersBetween(text: string, from: number, to: number): number {
  if (to - from > longStretch) return to - from;
  let letters = 0;
  for (let at = from; at < to; at++) {
    const unit = text.charCodeAt(at);
    if (joinsWords(unit) || unit > 0x2e7f) letters++;
  }
  return letters;
}

/** Number of UTF-16 units in `text` between two offsets that are not white space. */
function nonSpaceBetween(text: string, from: number, to: number): number {
  if (to - from > longStretch) return to - from;
  let ink = 0;
  for (let at = from; at < to; at++) if (text.charCodeAt(at) > 32) ink++;
  return ink;
}

/** A line, a table cell, and a part of a link end here: what is in two of them is no one sentence. */
const endsPlace = /[\n|]|\[\[|\]\]|\]\(/;

/**
 * Joins neighbouring hunks where a sentence was rewritten. An old and a new sentence still share words like "of" and
 * "and". If these stayed in place, a merge would scatter another person's words between them.
 */
export function joinCloseHunks(a: string, hunks: readonly Hunk[]): Hunk[] {
  const joined: Hunk[] = [];
  let run: Hunk[] = [];
  let kept = 0;
  const flush = () => {
    const [first] = run;
    const last = run.at(-1);
    if (first === undefined || last === undefined) return;
    const removed = run.reduce((sum, hunk) => sum + hunk.aTo - hunk.aFrom, 0);
    const inserted = run.reduce((sum, hunk) => sum + hunk.bTo - hunk.bFrom, 0);
    // Joins only replacements: a pure insertion or removal does not make the rest of the sentence a rewrite.
    if (kept * 4 < Math.min(removed, inserted)) joined.push({ ...last, aFrom: first.aFrom, bFrom: first.bFrom });
    else for (const hunk of run) joined.push(hunk);
  };
  for (const hunk of hunks) {
    const before = run.at(-1);
    if (before !== undefined) {
      if (endsPlace.test(a.slice(before.aTo, hunk.aFrom))) {
        flush();
        run = [];
        kept = 0;
      } else {
        kept += lettersBetween(a, before.aTo, hunk.aFrom);
      }
    }
    run.push(hunk);
  }
  flush();
  return joined;
}

/** The changes between two offsets at which both texts start a line, and these offsets. */
interface ChangedLines {
  readonly hunks: Hunk[];
  readonly lines: Hunk;
}

/** Returns whether the hunk ends at the start of a line in both texts. */
function endsLines(a: string, b: string, hunk: Hunk): boolean {
  return startsLine(a, hunk.aTo) && startsLine(b, hunk.bTo);
}

/** Widens changes inside `within` to whole lines of both texts. */
function linesAround(a: string, b: string, within: Hunk, hunks: Hunk[]): ChangedLines {
  const first = hunks[0] ?? within;
  const last = hunks.at(-1) ?? within;
  const starts = startsLine(a, first.aFrom) && startsLine(b, first.bFrom);
  const ahead = starts ? 0 : first.aFrom - Math.max(a.lastIndexOf('\n', first.aFrom - 1) + 1, within.aFrom);
  const newline = a.indexOf('\n', last.aTo);
  const end = newline === -1 || newline >= within.aTo ? within.aTo : newline + 1;
  const behind = endsLines(a, b, last) ? 0 : end - last.aTo;
  return {
    hunks,
    lines: {
      aFrom: first.aFrom - ahead,
      bFrom: first.bFrom - ahead,
      aTo: last.aTo + behind,
      bTo: last.bTo + behind,
    },
  };
}

/** Groups changes by line: a group ends where both texts continue with the same line. */
function byLines(a: string, b: string, within: Hunk, hunks: readonly Hunk[]): ChangedLines[] {
  const groups: Hunk[][] = [];
  for (const hunk of hunks) {
    const group = groups.at(-1);
    const last = group?.at(-1);
    const parted = !last || endsLines(a, b, last) || a.slice(last.aTo, hunk.aFrom).includes('\n');
    if (group === undefined || parted) groups.push([hunk]);
    else group.push(hunk);
  }
  return groups.map((group) => linesAround(a, b, within, group));
}

/** Returns whether lines were replaced by lines that have little in common with them. */
function areUnlike(a: string, b: string, { hunks, lines }: ChangedLines): boolean {
  let kept = 0;
  let removed = 0;
  let inserted = 0;
  let at = lines.aFrom;
  for (const { aFrom, aTo, bFrom, bTo } of hunks) {
    kept += nonSpaceBetween(a, at, aFrom);
    removed += nonSpaceBetween(a, aFrom, aTo);
    inserted += nonSpaceBetween(b, bFrom, bTo);
    at = aTo;
  }
  kept += nonSpaceBetween(a, at, lines.aTo);
  return inserted > 0 && (kept === 0 || kept * 2 < Math.min(removed, inserted));
}

/**
 * Splits a change that edits the end of a line and also adds or removes lines after it; the newline between is kept.
 */
function partedAtLineEnd(a: string, b: string, hunk: Hunk, before: number): Hunk[] {
  const { aFrom, aTo, bFrom, bTo } = hunk;
  if (startsLine(a, aFrom) || aTo + 1 >= before || a.charAt(aTo) !== '\n') return [hunk];
  const inA = a.slice(aFrom, aTo).indexOf('\n');
  const inB = b.slice(bFrom, bTo).indexOf('\n');
  if (inA === -1 && inB === -1) return [hunk];
  if (inA !== -1 && inB !== -1) return [hunk];
  const aEnd = inA === -1 ? aTo : aFrom + inA;
  const bEnd = inB === -1 ? bTo : bFrom + inB;
  const inLine = { aFrom, aTo: aEnd, bFrom, bTo: bEnd };
  const after = { aFrom: aEnd + 1, aTo: aTo + 1, bFrom: bEnd + 1, bTo: bTo + 1 };
  return aEnd === aFrom && bEnd === bFrom ? [after] : [inLine, after];
}

/**
 * Widens changes to whole lines where old and new lines have little in common. If the newline of a replaced line
 * stayed, two people who replace the same line at once would end up with both texts on one line. `within` starts and
 * ends at line starts of both texts.
 */
export function alignToLines(a: string, b: string, within: Hunk, hunks: readonly Hunk[]): Hunk[] {
  const kept: Hunk[] = [];
  let whole: Hunk | null = null;
  for (const changed of byLines(a, b, within, hunks)) {
    const [first] = changed.hunks;
    // Touching changes become one edit. One that begins with a whole line must not end inside a line.
    const touches: boolean = whole !== null && whole.aTo === first?.aFrom;
    if (touches || areUnlike(a, b, changed)) {
      whole = changed.lines;
      kept.push(whole);
      continue;
    }
    whole = null;
    changed.hunks.forEach((hunk, index) => {
      const next = changed.hunks[index + 1]?.aFrom ?? Number.POSITIVE_INFINITY;
      kept.push(...partedAtLineEnd(a, b, hunk, next));
    });
  }
  return kept;
}
