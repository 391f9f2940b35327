import { findFrontmatter } from '@notevault/note-text/frontmatter/fence.ts';
import { scan } from '@notevault/note-text/scan.ts';

/** The stretch of a note under one heading, with its subsections. Offsets are UTF-16. */
export interface Section {
  readonly level: number;
  readonly heading: string;
  /** The headings above it and its own, joined by ` > `; ` [2]` follows for the second one with the same path. */
  readonly path: string;
  /** Line number of the heading, from 1. */
  readonly line: number;
  /** Start of the heading's line. */
  readonly start: number;
  /** Start of the first line below the heading. */
  readonly bodyStart: number;
  /** Start of the next heading of the same or a higher level, or the end of the note. */
  readonly end: number;
}

const SEPARATOR = ' > ';

/** Returns the sections of a note, in its order. */
export function sectionsOf(content: string): Section[] {
  const floor = findFrontmatter(content).bodyStart;
  const sections: (Omit<Section, 'end'> & { end: number })[] = [];
  const open: (typeof sections)[number][] = [];
  const seen = new Map<string, number>();
  let [line, counted] = [1, 0];
  for (const { level, text, start: from, end } of scan(content).headings) {
    const start = Math.max(floor, content.lastIndexOf('\n', from - 1) + 1);
    line += newlinesIn(content, counted, start);
    counted = start;
    for (let last = open.at(-1); last !== undefined && last.level >= level; last = open.at(-1)) {
      last.end = start;
      open.pop();
    }
    const heading = oneLine(text);
    const plain = [...open.map((above) => above.heading), heading].join(SEPARATOR);
    const times = (seen.get(plain) ?? 0) + 1;
    seen.set(plain, times);
    const newline = content.indexOf('\n', end);
    const section = {
      ...{ level, heading, path: times === 1 ? plain : `${plain} [${times}]`, line, start },
      ...{ bodyStart: newline < 0 ? content.length : newline + 1, end: content.length },
    };
    sections.push(section);
    open.push(section);
  }
  return sections;
}

/**
 * Finds sections by heading path: `Plan > Week 1`, or its last headings alone, with or without `#` marks. One whole
 * path goes before ends of longer ones, and equal letters before equal letters of another case. Several results mean
 * that the path is ambiguous.
 */
export function findSections(sections: readonly Section[], wanted: string): Section[] {
  const name = wanted
    .split(SEPARATOR)
    .map((part) => oneLine(part.replace(/^\s*#{1,6}\s+/, '').replace(/\s+#+\s*$/, '')))
    .join(SEPARATOR);
  for (const fold of [(text: string) => text, (text: string) => text.toLowerCase()]) {
    const folded = fold(name);
    const whole = sections.filter(({ path }) => fold(path) === folded);
    // The first of several sections with one path carries no number, and yet is not the only one that is meant.
    const repeated = sections.filter(({ path }) => fold(path).replace(/ \[\d+\]$/, '') === folded);
    if (whole.length === 1 && repeated.length <= 1) return whole;
    if (repeated.length > 1 && !/ \[\d+\]$/.test(folded)) return repeated;
    if (whole.length > 0) return whole;
    const ends = sections.filter(({ path }) =>
      fold(path)
        .replace(/ \[\d+\]$/, '')
        .endsWith(SEPARATOR + folded),
    );
    if (ends.length > 0) return ends;
    const numbered = sections.filter(({ path }) => fold(path).endsWith(SEPARATOR + folded));
    if (numbered.length > 0) return numbered;
  }
  return [];
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim().normalize('NFC');
}

function newlinesIn(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf('\n', from); at >= 0 && at < to; at = text.indexOf('\n', at + 1)) count++;
  return count;
}
