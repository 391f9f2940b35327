import { bestMatches, withWords } from '@notevault/note-text/names/match.ts';
import type { SearchResult } from '@notevault/protocol/search.ts';
import type { HeadingFact } from '../../editor/index.ts';

/** A heading of another note. */
export interface HeadingElsewhere {
  /** Of the note. */
  readonly id: string;
  readonly name: string;
  /** The note and the headings above it. */
  readonly where: string;
}

/** Returns the headings of other notes above the results that contain the words themselves, best first. */
export function headingsElsewhere(
  hits: readonly SearchResult[],
  wanted: string,
  openNote: string | null,
  most: number,
): HeadingElsewhere[] {
  const found = hits.flatMap(({ id, title, heading_path }) => {
    // The title of the note is often its first heading, too.
    const path = id === openNote ? [] : heading_path.split(' > ').filter((name) => name !== title);
    return path.map((name, at) => ({ id, name, where: [title, ...path.slice(0, at)].join(' › ') }));
  });
  return bestMatches(withWords(found, wanted), wanted, most);
}

/** The headings of the open note that fit, the best ones, in the order of the note; each with how deep it is in it. */
export function outlineOf(headings: readonly HeadingFact[], wanted: string, most: number) {
  const top = Math.min(...headings.map(({ level }) => level));
  const named = headings.map(({ text, from, level }) => ({ name: text, from, depth: level - top }));
  return bestMatches(named, wanted, most).sort((a, b) => a.from - b.from);
}
