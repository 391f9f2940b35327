import type { Span } from './links/parsed-link.ts';
import { tagOccurrences } from './rename-tag.ts';
import { occurrencesOf, type TextSearch } from './replace-text.ts';

/** A replacement in a vault's notes: of a tag with its nested tags, or of a text. */
export type TextChange =
  | { readonly kind: 'tag'; readonly from: string; readonly replacement: string }
  | ({ readonly kind: 'text'; readonly replacement: string } & TextSearch);

/** Returns the places that a change replaces, in order; those that already read so are left out. */
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
/**
 * Matches the first word of a shortened line, which is dropped so that the excerpt starts between words; longer words
 * are cut.
 */
const FIRST_WORD = /^\S{0,20}\s+/;
const LAST_WORD = /\s+\S{0,20}$/;

/** Returns the text around a place on one line, with an ellipsis where the line or the place goes on. */
export function excerptOf(content: string, { start, end }: Span): Excerpt {
  const before = onOneLine(endOfLine(content.slice(Math.max(0, start - BESIDE - 1), start)));
  const shown = onOneLine(content.slice(start, Math.min(end, start + PLACE_MAX)));
  const place = end - start > PLACE_MAX ? `${shown}…` : shown;
  const after = onOneLine(beginningOfLine(content.slice(end, end + BESIDE + 1)));
  return { text: before + place + after, start: before.length, end: before.length + place.length };
}

/** Returns the last line of a text, which is cut between two words if it is too long. */
function endOfLine(text: string): string {
  const line = text.replace(/^[\s\S]*[\r\n]/, '');
  if (line.length <= BESIDE) return line;
  return `…${line.replace(FIRST_WORD, '').slice(-BESIDE)}`;
}

function beginningOfLine(text: string): string {
  const line = text.replace(/[\r\n][\s\S]*$/, '');
  if (line.length <= BESIDE) return line;
  return `${line.replace(LAST_WORD, '').slice(0, BESIDE)}…`;
}

function onOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').toWellFormed().replaceAll('\ufffd', '');
}
