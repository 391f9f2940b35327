import { minimalDiff } from '@notevault/note-text/diff/diff.ts';
import { tokensOf } from './tokens.ts';

/** Unchanged lines shown around a change. */
const CONTEXT = 2;
const LINES_MAX = 60;
const LINE_LENGTH_MAX = 240;
const TOKENS_MAX = 4_000;

/** A run of changed lines: the lines `from..to` of the text before, and those that replace them. */
interface Hunk {
  readonly aFrom: number;
  aTo: number;
  readonly bFrom: number;
  bTo: number;
}

/** Returns a short unified diff; empty for equal texts. Long lines and long diffs are cut, and say so. */
export function unifiedDiff(before: string, after: string): string {
  const hunks = lineHunks(before, after);
  if (hunks.length === 0) return '';
  const [a, b] = [linesOf(before), linesOf(after)];
  const lines: string[] = [];
  let [left, tokens] = [0, 0];
  for (const group of grouped(hunks)) {
    for (const line of shown(group, a, b)) {
      // Once a line was left out, so are all that follow.
      if (left === 0 && lines.length < LINES_MAX) tokens += tokensOf(line);
      if (left > 0 || lines.length >= LINES_MAX || tokens > TOKENS_MAX) left += 1;
      else lines.push(line);
    }
  }
  return [...lines, ...(left === 0 ? [] : [`… ${left} more lines of diff`])].join('\n');
}

/** Returns the changed lines, from the edits between the texts. */
function lineHunks(before: string, after: string): Hunk[] {
  const [inBefore, inAfter] = [new LineNumbers(before), new LineNumbers(after)];
  const hunks: Hunk[] = [];
  let shift = 0;
  for (const { at, remove, insert } of minimalDiff(before, after)) {
    const to = at + shift;
    const wholeLines = isLineStart(before, at) && endsLine(before, at, remove) && endsLine(after, to, insert.length);
    const hunk = {
      aFrom: inBefore.at(at),
      aTo: inBefore.at(at + remove) + (wholeLines ? 0 : 1),
      bFrom: inAfter.at(to),
      bTo: inAfter.at(to + insert.length) + (wholeLines ? 0 : 1),
    };
    const last = hunks.at(-1);
    if (last !== undefined && hunk.aFrom < last.aTo) [last.aTo, last.bTo] = [hunk.aTo, hunk.bTo];
    else hunks.push(hunk);
    shift += insert.length - remove;
  }
  return hunks;
}

function linesOf(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

function isLineStart(text: string, at: number): boolean {
  return at === 0 || text.charAt(at - 1) === '\n';
}

/** Returns whether a stretch is empty or ends with a line end. */
function endsLine(text: string, at: number, length: number): boolean {
  return length === 0 || text.charAt(at + length - 1) === '\n';
}

/** Line numbers of growing offsets. */
class LineNumbers {
  readonly #text: string;
  #at = 0;
  #line = 0;

  constructor(text: string) {
    this.#text = text;
  }

  at(offset: number): number {
    for (;;) {
      const next = this.#text.indexOf('\n', this.#at);
      if (next < 0 || next >= offset) return this.#line;
      this.#at = next + 1;
      this.#line++;
    }
  }
}

/** Joins hunks whose context would overlap. */
function grouped(hunks: readonly Hunk[]): Hunk[][] {
  const groups: Hunk[][] = [];
  for (const hunk of hunks) {
    const last = groups.at(-1)?.at(-1);
    if (last !== undefined && hunk.aFrom - last.aTo <= 2 * CONTEXT) groups.at(-1)?.push(hunk);
    else groups.push([hunk]);
  }
  return groups;
}

/** Returns the lines of a group, one by one: a group may have more than a call has arguments. */
function* shown(group: readonly Hunk[], a: readonly string[], b: readonly string[]): Generator<string> {
  const [first, last] = [group[0], group.at(-1)];
  if (first === undefined || last === undefined) return;
  const start = Math.max(0, first.aFrom - CONTEXT);
  const end = Math.min(a.length, last.aTo + CONTEXT);
  const bStart = first.bFrom - (first.aFrom - start);
  const bEnd = last.bTo + (end - last.aTo);
  yield `@@ -${range(start, end)} +${range(bStart, bEnd)} @@`;
  let at = start;
  for (const { aFrom, aTo, bFrom, bTo } of group) {
    yield* prefixed(' ', a, at, aFrom);
    yield* prefixed('-', a, aFrom, aTo);
    yield* prefixed('+', b, bFrom, bTo);
    at = aTo;
  }
  yield* prefixed(' ', a, at, end);
}

function range(from: number, to: number): string {
  return `${from === to ? from : from + 1},${to - from}`;
}

function* prefixed(sign: string, lines: readonly string[], from: number, to: number): Generator<string> {
  for (const line of lines.slice(from, to)) {
    const text = line.endsWith('\r') ? line.slice(0, -1) : line;
    yield sign + (text.length > LINE_LENGTH_MAX ? `${text.slice(0, LINE_LENGTH_MAX).toWellFormed()}…` : text);
  }
}
