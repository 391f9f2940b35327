import { splitRow } from '@notevault/note-text/scan/table.ts';

/** Breaks a line within a cell, whose source cannot have one. */
export const CELL_BREAK = '<br>';

/**
 * A text as a cell can hold it: pipes are escaped, line ends become breaks.
 *
 * @param before the text of the cell before it, whose last backslash may already escape a pipe.
 */
export function toCellText(text: string, before = ''): string {
  const line = text.replace(/^\n+|\n+$/g, '').replace(/\r?\n/g, CELL_BREAK);
  let escaped = '';
  let isEscaped = endsEscaping(before);
  for (const char of line) {
    if (char === '|' && !isEscaped) escaped += '\\';
    escaped += char;
    isEscaped = char === '\\' && !isEscaped;
  }
  return escaped;
}

/** Whether a backslash at the end of a text escapes what comes next. */
export function endsEscaping(text: string): boolean {
  return (/\\*$/.exec(text)?.[0].length ?? 0) % 2 === 1;
}

/**
 * The source between the pipes of a cell, changed as little as possible so that it is one cell.
 *
 * @param before and after what its line has beside it.
 */
export function asOneCell(source: string, before: string, after: string): string {
  const isOne = (text: string) => {
    const line = `${before}${text}${after}`;
    return splitRow(line, { start: 0, end: line.length }).some(
      ({ start, end }) => start === before.length && end === before.length + text.length,
    );
  };
  // A backslash must not come to stand before the pipe, whatever somebody else deletes after it.
  let text = /\\/.test(source) && !/[ \t]$/.test(source) ? `${source} ` : source;
  // Nor must a link end that may begin in another cell, now or once somebody else has written there.
  text = text.replace(/(?<!\[\[(?:(?!\]\]).)*)\](?=\])/g, ']\\');
  if (source.trim() === '' || isOne(text)) return text;
  for (let at = 0; at < text.length; at++) {
    if (text.charAt(at) === '\\') at++;
    else if (text.charAt(at) === '|') text = `${text.slice(0, at)}\\${text.slice(at++)}`;
  }
  // Nor must a link begin that ends in another cell.
  return isOne(text) ? text : text.replace(/\[\[(?![^[]*\]\])/g, '\\[[');
}
