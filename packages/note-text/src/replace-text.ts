import { findAll, foldCase, isWholeWords } from './find-text.ts';
import type { Span } from './links/parsed-link.ts';

export interface TextSearch {
  readonly text: string;
  readonly matchCase: boolean;
  readonly wholeWords: boolean;
}

/** Returns the spans of a text in a note, including frontmatter and code, in order and without overlaps. */
export function occurrencesOf(content: string, { text, matchCase, wholeWords }: TextSearch): Span[] {
  const starts = matchCase ? findAll(content, text) : findAll(foldCase(content), foldCase(text));
  const spans = starts.map((start) => ({ start, end: start + text.length }));
  return wholeWords ? spans.filter((span) => isWholeWords(content, span)) : spans;
}
