import { bestMatches, withWords } from '@notevault/note-text/names/match.ts';
import type { SearchResult } from '@notevault/protocol/search.ts';
import type { HeadingFact } from '../editor/index.ts';

/** A heading of another note. */
export interface HeadingElsewhere {
  /** Of the note. */
  readonly id: string;
  readonly name: string;
  /** The note and the headings above it. */
  readonly where: string;
}

/** The headings among those above what was found that have the words themselves, in other notes; of each the innermost. */
export function headingsElsewhere(
  hits: readonly SearchResult[],
  wanted: string,
  openNote: string | null,
): HeadingElsewhere[] {
  return hits.flatMap(({ id, title, heading_path }) => {
    const path = heading_path === '' || id === openNote ? [] : heading_path.split(' > ');
    const at = path.findLastIndex((name) => name !== title && withWords([{ name }], wanted).length > 0);
    const name = path[at];
    // The title of the note is often its first heading, too.
    const above = path.slice(0, Math.max(0, at)).filter((one) => one !== title);
    return name === undefined ? [] : [{ id, name, where: [title, ...above].join(' › ') }];
  });
}

/** The headings of the open note that fit, the best ones, in the order of the note; each with how deep it is in it. */
export function outlineOf(headings: readonly HeadingFact[], wanted: string, most: number) {
  const top = Math.min(...headings.map(({ level }) => level));
  const named = headings.map(({ text, from, level }) => ({ name: text, from, depth: level - top }));
  return bestMatches(named, wanted, most).sort((a, b) => a.from - b.from);
}
