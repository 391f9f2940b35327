import type { SearchResult } from '@notevault/protocol/search.ts';
import type { ExcerptPlace } from './excerpt-place.ts';

/** Highlights that are so near each other are one place. */
const NEAR = 60;

/** The highlight of a result that has the most others near it, where the note is opened; null without any. */
export function bestMark({ snippet, highlights }: Pick<SearchResult, 'snippet' | 'highlights'>): ExcerptPlace | null {
  const marks = highlights.flatMap(([start, end]) =>
    start === undefined || end === undefined ? [] : [{ start, end }],
  );
  const beside = ({ start }: { start: number }) =>
    marks.filter((other) => other.start >= start && other.start < start + NEAR).length;
  const [best] = marks.sort((a, b) => beside(b) - beside(a) || a.start - b.start);
  return best === undefined ? null : { excerpt: snippet, ...best };
}
