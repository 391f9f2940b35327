import { findFrontmatter } from '@notevault/note-text/frontmatter/fence.ts';

export interface TemplateValues {
  /** The title of the note that gets the text. */
  readonly title: string;
  readonly now: Date;
  /** BCP 47, for the names of months and days. */
  readonly language: string;
}

const DATE = 'YYYY-MM-DD';
const TIME = 'HH:mm';
const FIELD = /\{\{\s*(title|date|time)\s*(?::([^{}\n]{1,100}))?\}\}/gi;
const TOKEN = /\[([^\]]*)\]|YYYY|YY|MMMM|MMM|MM|M|DD|D|dddd|ddd|HH|H|mm|ss/g;

/**
 * Fills a template: `{{title}}`, `{{date}}` and `{{time}}`, the last two also in a form of their own such as
 * `{{date:dddd, D MMMM YYYY}}`, where text in brackets stays as it is. Whatever else stands in braces stays, also `{{cursor}}`.
 */
export function fillTemplate(template: string, { title, now, language }: TemplateValues): string {
  return template.replace(FIELD, (_, name: string, form?: string) => {
    const kind = name.toLowerCase();
    if (kind === 'title') return title;
    return formatDate(now, form?.trim() || (kind === 'date' ? DATE : TIME), language);
  });
}

/** Writes a point in time where the browser is. */
export function formatDate(date: Date, form: string, language: string): string {
  const two = (part: number) => String(part).padStart(2, '0');
  const named = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(language, options).format(date);
  const tokens: Readonly<Record<string, () => string>> = {
    YYYY: () => String(date.getFullYear()),
    YY: () => two(date.getFullYear() % 100),
    MMMM: () => named({ month: 'long' }),
    MMM: () => named({ month: 'short' }),
    MM: () => two(date.getMonth() + 1),
    M: () => String(date.getMonth() + 1),
    DD: () => two(date.getDate()),
    D: () => String(date.getDate()),
    dddd: () => named({ weekday: 'long' }),
    ddd: () => named({ weekday: 'short' }),
    HH: () => two(date.getHours()),
    H: () => String(date.getHours()),
    mm: () => two(date.getMinutes()),
    ss: () => two(date.getSeconds()),
  };
  return form.replace(TOKEN, (token, kept?: string) => kept ?? tokens[token]?.() ?? token);
}

/** Returns the part of a template to insert into a note: properties go only into an empty note. */
export function insertedPart(template: string, isNoteEmpty: boolean): string {
  return isNoteEmpty ? template : template.slice(findFrontmatter(template).bodyStart);
}

const CURSOR = /\{\{\s*cursor\s*\}\}/gi;

/** Takes the marks `{{cursor}}` out of a text; the cursor comes to the first one, or to the end. */
export function splitCursor(filled: string): { readonly text: string; readonly cursor: number } {
  const text = filled.replace(CURSOR, '');
  const at = filled.search(CURSOR);
  return { text, cursor: at < 0 ? text.length : at };
}
