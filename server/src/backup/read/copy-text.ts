/*
 * The text format of PostgreSQL's COPY: a row a line, columns separated by tabs, `\N` for null.
 */

const NEWLINE = 10;
const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

/** Reads rows; a value is its unescaped text, or null. */
export async function* readCopyRows(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<(string | null)[]> {
  let rest: Buffer[] = [];
  for await (const piece of bytes) {
    const chunk = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      rest.push(chunk.subarray(from, end));
      yield valuesOf(Buffer.concat(rest).toString());
      rest = [];
      from = end + 1;
    }
    if (from < chunk.length) rest.push(Buffer.from(chunk.subarray(from)));
  }
}

const SPECIAL: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

export function copyRow(values: readonly (string | null)[]): string {
  const texts = values.map((value) => value?.replace(/[\\\n\r\t]/g, (letter) => SPECIAL[letter] ?? letter) ?? '\\N');
  return `${texts.join('\t')}\n`;
}

function valuesOf(line: string): (string | null)[] {
  return line.split('\t').map((text) => (text === '\\N' ? null : unescaped(text)));
}

function unescaped(text: string): string {
  return text.includes('\\') ? text.replace(/\\(.)/gs, (_, letter: string) => ESCAPES[letter] ?? letter) : text;
}
