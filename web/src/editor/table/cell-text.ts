import { splitRow } from '@notevault/note-text/scan/table.ts';

/** Line break within a cell, whose source must stay on one line. */
export const CELL_BREAK = '<br>';

/**
 * Converts a text for a cell: pipes are escaped, and line ends become `<br>`.
 *
 * @param before the text before it in the cell, whose last backslash may already escape a pipe.
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

/** Returns whether a backslash at the end of a text escapes the next character. */
export function endsEscaping(text: string): boolean {
  return (/\\*$/.exec(text)?.[0].length ?? 0) % 2 === 1;
}

/**
 * Returns the source of a cell with the fewest changes that make it a single cell.
 *
 * @param before and after the text around it in its line.
 */
export function asOneCell(source: string, before: string, after: string): string {
  const isOne = (text: string) => {
    const line = `${before}${text}${after}`;
    return splitRow(line, { start: 0, end: line.length }).some(
      ({ start, end }) => start === before.length && end === before.length + text.length,
    );
  };
  // A trailing backslash must not end up before the pipe when somebody else deletes the text after it.
  let text = /\\/.test(source) && !/[ \t]$/.test(source) ? `${source} ` : source;
  // Nor may a link end here that begins in another cell, now or after somebody else's edit.
  text = text.replace(/(?<!\[\[(?:(?!\]\]).)*)\](?=\])/g, ']\\');
  if (source.trim() === '' || isOne(text)) return text;
  for (let at = 0; at < text.length; at++) {
    if (text.charAt(at) === '\\') at++;
    else if (text.charAt(at) === '|') text = `${text.slice(0, at)}\\${text.slice(at++)}`;
  }
  // Nor may a link begin here that ends in another cell.
  return isOne(text) ? text : text.replace(/\[\[(?![^[]*\]\])/g, '\\[[');
}
