/**
 * Finds the lines that one stored write inserted among those that the client inserted. Lines are compared without their
 * newlines: which of two writes a newline between their lines belongs to depends on how each was compared.
 */

import type { Budget } from './budget.ts';
import { hasLetter } from './contained.ts';
import type { Region, Stretch } from './runs.ts';

/** A line that one write inserted; parts of it are apart where others inserted something inside the line. */
interface WrittenLine {
  readonly text: string;
  readonly parts: readonly Region[];
}

/** Cuts the parts of a write into lines that are not blank. */
export function linesOfParts(stored: string, parts: readonly Region[]): WrittenLine[] {
  const lines: WrittenLine[] = [];
  let line: Region[] = [];
  const flush = () => {
    const text = line.map(({ from, to }) => stored.slice(from, to)).join('');
    if (text.trim() !== '') lines.push({ text, parts: line });
    line = [];
  };
  let end = 0;
  for (const { from, to } of parts) {
    if (line.length > 0 && hasNewline(stored, end, from)) flush();
    for (let at = from; at < to; ) {
      const newline = stored.indexOf('\n', at);
      const stop = newline === -1 || newline >= to ? to : newline;
      if (stop > at) line.push({ from: at, to: stop });
      if (stop < to) flush();
      at = stop + 1;
    }
    end = to;
  }
  flush();
  return lines;
}

function hasNewline(text: string, from: number, to: number): boolean {
  const at = text.indexOf('\n', from);
  return at !== -1 && at < to;
}

/** The lines of a region of the client's text, by what they read. */
export class ClientLines {
  readonly #client: string;
  readonly #region: Region;
  readonly #starts = new Map<string, number[]>();

  constructor(client: string, region: Region, budget: Budget) {
    this.#client = client;
    this.#region = region;
    for (let at = region.from; at < region.to && budget.work > 0; budget.work -= lineCost) {
      const newline = client.indexOf('\n', at);
      const end = newline === -1 || newline >= region.to ? region.to : newline;
      const line = client.slice(at, end);
      const starts = this.#starts.get(line);
      if (starts === undefined) this.#starts.set(line, [at]);
      else starts.push(at);
      at = end + 1;
    }
  }

  /**
   * Finds all lines of a write in order, each between the stretches found before. Returns an empty list if one is
   * missing, or if none has a letter or digit.
   */
  find(lines: readonly WrittenLine[], found: readonly Stretch[]): Stretch[] {
    if (!lines.some(({ text }) => hasLetter(text))) return [];
    const stretches: Stretch[] = [];
    let done = this.#region.from;
    for (const { text, parts } of lines) {
      const [first, last] = [parts[0] as Region, parts.at(-1) as Region];
      const gap = stretchesBefore(found, first.from);
      if (gap !== stretchesBefore(found, last.from)) return [];
      const [before, after] = [found[gap - 1], found[gap]];
      const from = Math.max(done, before === undefined ? 0 : before.inClient + before.length);
      const starts = this.#starts.get(text) ?? [];
      const start = starts[firstAtLeast(starts, from)];
      if (start === undefined || start + text.length > (after?.inClient ?? this.#region.to)) return [];
      done = start;
      for (const part of parts) {
        const length = part.to - part.from;
        stretches.push({ inStored: part.from, inClient: done, length });
        done += length;
      }
    }
    return stretches;
  }

  /**
   * Adds the newlines and blank lines between found stretches that both texts have: lines that both wrote have the
   * newlines after them in common, or those before them where the client's text goes on from an unfinished line.
   */
  withNewlines(stored: string, ofStored: Region, found: readonly Stretch[]): Stretch[] {
    const isAhead =
      this.#client.charAt(this.#region.from) === '\n' && this.#client.charAt(this.#region.to - 1) !== '\n';
    const result: Stretch[] = [];
    let [storedAt, clientAt] = [ofStored.from, this.#region.from];
    for (const next of [...found, { inStored: ofStored.to, inClient: this.#region.to, length: 0 }]) {
      const between = this.#client.slice(clientAt, next.inClient);
      const others = stored.slice(storedAt, next.inStored);
      const blank = commonBlank(between, others, isAhead);
      if (blank.after > 0) result.push({ inStored: storedAt, inClient: clientAt, length: blank.after });
      if (blank.before > 0) {
        result.push({
          inStored: next.inStored - blank.before,
          inClient: next.inClient - blank.before,
          length: blank.before,
        });
      }
      result.push(next);
      [storedAt, clientAt] = [next.inStored + next.length, next.inClient + next.length];
    }
    return result.filter(({ length }) => length > 0);
  }
}

/** Returns the length of the common newlines at the start and end of two texts between lines that both sides wrote. */
function commonBlank(client: string, stored: string, isAhead: boolean): { after: number; before: number } {
  const [shorter, longer] = client.trim() === '' ? [client, stored] : [stored, client];
  if (shorter.trim() === '') {
    if (longer.startsWith(shorter)) return { after: shorter.length, before: 0 };
    if (longer.endsWith(shorter)) return { after: 0, before: shorter.length };
  }
  const both = (at: number) => client.at(at) === '\n' && stored.at(at) === '\n';
  if (isAhead) return { after: 0, before: both(-1) ? 1 : 0 };
  return { after: both(0) ? 1 : 0, before: 0 };
}

/** The cost of reading a line, in steps of the budget. */
const lineCost = 5;

/** Returns the number of stretches before an offset of the stored text. */
export function stretchesBefore(found: readonly Stretch[], inStored: number): number {
  let [low, high] = [0, found.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((found[middle] as Stretch).inStored < inStored) low = middle + 1;
    else high = middle;
  }
  return low;
}

function firstAtLeast(numbers: readonly number[], limit: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] ?? limit) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
