import type { Span } from './links/parsed-link.ts';
import { tagOccurrences } from './rename-tag.ts';
import { occurrencesOf, type TextSearch } from './replace-text.ts';

/** What changes in the notes of a vault: a tag with those nested in it, or a text. */
export type TextChange =
  | { readonly kind: 'tag'; readonly from: string; readonly replacement: string }
  | ({ readonly kind: 'text'; readonly replacement: string } & TextSearch);

/** The places that a change replaces, in order; those that already read so are left out. */
export function placesOf(content: string, change: TextChange): Span[] {
  const spans = change.kind === 'tag' ? tagOccurrences(content, change.from) : occurrencesOf(content, change);
  return spans.filter(({ start, end }) => content.slice(start, end) !== change.replacement);
}

/** A line around a place, and where in it the place is. */
export interface Excerpt {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const BESIDE = 60;
const PLACE_MAX = 80;

/** The text around a place on one line. */
export function excerptOf(content: string, { start, end }: Span): Excerpt {
  const onOneLine = (part: string) => part.replace(/\s+/g, ' ').toWellFormed().replaceAll('\ufffd', '');
  const before = onOneLine(content.slice(Math.max(0, start - BESIDE), start).replace(/^[\s\S]*[\r\n]/, ''));
  const place = onOneLine(content.slice(start, Math.min(end, start + PLACE_MAX)));
  const after = onOneLine(content.slice(end, end + BESIDE).replace(/[\r\n][\s\S]*$/, ''));
  return { text: before + place + after, start: before.length, end: before.length + place.length };
}
