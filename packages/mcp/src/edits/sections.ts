import { findFrontmatter } from '@notevault/note-text/frontmatter/fence.ts';
import { scan } from '@notevault/note-text/scan.ts';

/** The stretch of a note under one heading, with its subsections. Offsets are UTF-16. */
export interface Section {
  readonly level: number;
  readonly heading: string;
  /** The headings above it and its own, joined by ` > `; where several have the same, ` [1]` and so on follow. */
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
const NUMBER = / \[\d+\]$/;

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
      ...{ level, heading, path: `${plain} [${times}]`, line, start },
      ...{ bodyStart: newline < 0 ? content.length : newline + 1, end: content.length },
    };
    sections.push(section);
    open.push(section);
  }
  return sections.map((section) => {
    const plain = section.path.replace(NUMBER, '');
    return seen.get(plain) === 1 ? { ...section, path: plain } : section;
  });
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
    const plain = ({ path }: Section) => fold(path).replace(NUMBER, '');
    const steps: ((section: Section) => boolean)[] = [
      (section) => fold(section.path) === folded,
      (section) => plain(section) === folded,
      (section) => plain(section).endsWith(SEPARATOR + folded),
      (section) => fold(section.path).endsWith(SEPARATOR + folded),
    ];
    for (const step of steps) {
      const found = sections.filter(step);
      if (found.length > 0) return found;
    }
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
