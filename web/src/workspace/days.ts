import { within } from '../data/tree/moves.ts';
import type { TreeIndex } from '../data/tree/tree-index.ts';

const DAY = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/;

/** The path of the daily note of a day. */
export function dailyPath(folder: string, day: string): string {
  return within(folder, `${day}.md`);
}

/** The daily notes of a vault: day to id, the days in order. */
export function daysIn(index: Pick<TreeIndex, 'childrenOf'>, folder: string): ReadonlyMap<string, string> {
  const found = index
    .childrenOf(folder)
    .flatMap((entry) => (entry.kind === 'note' && DAY.test(entry.name) ? [[entry.name, entry.id] as const] : []));
  return new Map(found.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The day of a note; null if it is no daily note. */
export function dayOfNote(days: ReadonlyMap<string, string>, noteId: string | null): string | null {
  for (const [day, id] of days) if (id === noteId) return day;
  return null;
}

/** The next day before or after one that has a note; undefined for none. */
export function dayBeside(days: ReadonlyMap<string, string>, from: string, step: -1 | 1): string | undefined {
  const all = [...days.keys()];
  return step < 0 ? all.findLast((day) => day < from) : all.find((day) => day > from);
}
