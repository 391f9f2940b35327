/**
 * Parses cells copied from a spreadsheet: one line per row, tabs between cells, and quotes around cells that contain
 * line breaks or tabs.
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
    // The final line end starts no further row.
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
