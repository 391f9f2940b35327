import { type Excerpt, excerptOf, placesOf, type TextChange } from '@notevault/note-text/text-change.ts';
import { utf8Length } from '@notevault/note-text/utf8.ts';

/** The places in a note that a change would replace. */
export interface FoundPlaces {
  readonly count: number;
  /** Around the first places. */
  readonly excerpts: readonly Excerpt[];
  /** UTF-8 bytes of the note after the change. */
  readonly bytesAfter: number;
  /** Start and end of each place. */
  readonly places: Uint32Array;
}

const EXCERPTS_MAX = 3;

export function findPlaces(content: string, change: TextChange): FoundPlaces | null {
  const spans = placesOf(content, change);
  if (spans.length === 0) return null;
  const removed = spans.reduce((sum, { start, end }) => sum + utf8Length(content.slice(start, end)), 0);
  return {
    count: spans.length,
    excerpts: spans.slice(0, EXCERPTS_MAX).map((span) => excerptOf(content, span)),
    bytesAfter: utf8Length(content) - removed + spans.length * utf8Length(change.replacement),
    places: Uint32Array.from(spans.flatMap(({ start, end }) => [start, end])),
  };
}
