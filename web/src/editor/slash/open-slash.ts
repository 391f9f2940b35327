/** A slash command being typed. */
export interface OpenSlash {
  readonly query: string;
  /** Where the slash is in the line. */
  readonly from: number;
  readonly place: SlashPlace;
}

/** Where in its line a slash is: at the start, behind nothing but the marks of lists and quotes, or in a text. */
export type SlashPlace = 'start' | 'marks' | 'text';

const MARKS = /^[ \t]*(?:>[ \t]?)*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?$/;

/** Reads the slash that is open at the end of a line's text; null when none is. A slash within a word is a slash. */
export function readOpenSlash(before: string): OpenSlash | null {
  const match = /(?:^|[\s\u3000])([/／])([\p{L}\p{N}-]{0,30})$/u.exec(before);
  if (match === null) return null;
  const [, slash = '', query = ''] = match;
  const from = before.length - query.length - slash.length;
  const lead = before.slice(0, from);
  return { query, from, place: lead.trim() === '' ? 'start' : MARKS.test(lead) ? 'marks' : 'text' };
}
