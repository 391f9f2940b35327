/** A slash command being typed. */
export interface OpenSlash {
  readonly query: string;
  /** Offset of the slash in the line. */
  readonly from: number;
  readonly place: SlashPlace;
}

/** Position of a slash in its line: at the start, only behind list and quote marks, or in text. */
export type SlashPlace = 'start' | 'marks' | 'text';

const MARKS = /^[ \t]*(?:>[ \t]?)*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?$/;

/**
 * Reads the open slash command at the end of a line's text; null if there is none. A slash within a word opens nothing.
 */
export function readOpenSlash(before: string): OpenSlash | null {
  const match = /(?:^|[\s\u3000])([/／])([\p{L}\p{N}-]{0,30})$/u.exec(before);
  if (match === null) return null;
  const [, slash = '', query = ''] = match;
  const from = before.length - query.length - slash.length;
  const lead = before.slice(0, from);
  return { query, from, place: lead.trim() === '' ? 'start' : MARKS.test(lead) ? 'marks' : 'text' };
}
