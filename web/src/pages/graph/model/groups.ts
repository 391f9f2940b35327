import { compareCodePoints } from '@notevault/note-text/names/order.ts';
import type { GraphNote } from './graph-index.ts';

export const GROUPINGS = ['folder', 'tag', 'none'] as const;
/** Property that the notes of one colour share. */
export type Grouping = (typeof GROUPINGS)[number];

/** Notes of one colour. */
export interface NoteGroup {
  /** A folder of the root, or the first part of a tag; empty for notes in the root itself. */
  readonly name: string;
  readonly count: number;
}

/**
 * The largest groups of notes, as many as there are colours, in the order of their sizes.
 *
 * @param most how many.
 */
export function groupsOf(notes: readonly GraphNote[], by: Grouping, most: number): NoteGroup[] {
  const counts = new Map<string, number>();
  for (const note of notes) for (const name of namesOf(note, by)) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts]
    .map(([name, count]) => ({ name, count }))
    .sort((a, b) => b.count - a.count || compareCodePoints(a.name, b.name))
    .slice(0, most);
}

/** The place of the group of each note; -1 for those in none. A note in several has the colour of the largest. */
export function groupPlaces(notes: readonly GraphNote[], by: Grouping, groups: readonly NoteGroup[]): number[] {
  const places = new Map(groups.map(({ name }, place) => [name, place]));
  return notes.map((note) => {
    const found = namesOf(note, by).flatMap((name) => places.get(name) ?? []);
    return found.length === 0 ? -1 : Math.min(...found);
  });
}

/** Whether a note is in a group. */
export function isInGroup(note: GraphNote, by: Grouping, name: string): boolean {
  return namesOf(note, by).includes(name);
}

function namesOf({ path, tags }: GraphNote, by: Grouping): readonly string[] {
  if (by === 'folder') return [path.includes('/') ? path.slice(0, path.indexOf('/')) : ''];
  if (by === 'none') return [];
  return [...new Set(tags.map((tag) => (tag.split('/')[0] ?? '').toLowerCase()))];
}
