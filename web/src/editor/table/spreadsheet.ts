/**
 * Reads the cells of what a spreadsheet puts into the clipboard as text: a line a row, a tab between cells, and quotes
 * around a cell with lines or tabs of its own.
 */
export function readSpreadsheet(text: string): string[][] {
  const rows: string[][] = [[]];
  let at = 0;
  while (at <= text.length) {
    const { value, end } = readCell(text, at);
    rows.at(-1)?.push(value);
    if (end >= text.length) break;
    at = end + 1;
    if (text.charAt(end) === '\t') continue;
    // The last line end ends the last row.
    if (at === text.length) break;
    rows.push([]);
  }
  return rows;
}

function readCell(source: string, from: number): { readonly value: string; readonly end: number } {
  QUOTED.lastIndex = from;
  const quoted = QUOTED.exec(source)?.[1];
  if (quoted !== undefined) return { value: quoted.replaceAll('""', '"'), end: QUOTED.lastIndex };
  PLAIN.lastIndex = from;
  const value = PLAIN.exec(source)?.[0] ?? '';
  return { value, end: from + value.length };
}

const QUOTED = /"((?:[^"]|"")*)"(?=[\t\n]|$)/y;
const PLAIN = /[^\t\n]*/y;
