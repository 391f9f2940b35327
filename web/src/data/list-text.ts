/** Rows that are written as one piece: some milliseconds' work. */
const ROWS = 5_000;

/**
 * Returns a list as JSON in pieces, and lets `pause` do other work between them: a browser that stores the objects of a
 * hundred thousand rows copies them in one go, for which everything on the page waits.
 */
export async function listText(list: unknown, pause: () => Promise<void>): Promise<string[]> {
  if (typeof list !== 'object' || list === null || Array.isArray(list)) return [JSON.stringify(list)];
  const pieces: string[] = [];
  for (const [name, value] of Object.entries(list)) {
    if (value === undefined) continue;
    pieces.push(`${pieces.length === 0 ? '{' : ','}${JSON.stringify(name)}:`);
    if (!Array.isArray(value) || value.length <= ROWS) {
      pieces.push(JSON.stringify(value));
      continue;
    }
    for (let from = 0; from < value.length; from += ROWS) {
      await pause();
      pieces.push(from === 0 ? '[' : ',', JSON.stringify(value.slice(from, from + ROWS)).slice(1, -1));
    }
    pieces.push(']');
  }
  return pieces.length === 0 ? ['{}'] : [...pieces, '}'];
}
