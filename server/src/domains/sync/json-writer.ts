import { createYield } from '../../concurrency/yield.ts';

/** Entries written between two yields to the event loop. */
const SLICE = 200;

/**
 * Returns the buffers of `"name":[…]` in UTF-8, written in slices because a vault may have a hundred thousand rows.
 * `entryOf` returns an entry as JSON.
 */
export async function writeJsonList<Row>(
  name: string,
  rows: readonly Row[],
  entryOf: (row: Row) => string,
): Promise<Buffer[]> {
  const pieces = [Buffer.from(`${JSON.stringify(name)}:[`)];
  const yieldIfDue = createYield();
  for (let from = 0; from < rows.length; from += SLICE) {
    await yieldIfDue();
    const until = Math.min(from + SLICE, rows.length);
    let text = '';
    for (let at = from; at < until; at++) {
      const row = rows[at];
      if (row !== undefined) text += at > 0 ? `,${entryOf(row)}` : entryOf(row);
    }
    pieces.push(Buffer.from(text));
  }
  return [...pieces, Buffer.from(']')];
}

/** Returns a JSON object of some fields and of lists from writeJsonList. */
export function writeJsonObject(fields: object, lists: readonly (readonly Buffer[])[]): Buffer[] {
  const head = JSON.stringify(fields).slice(0, -1);
  return [Buffer.from(head), ...lists.flatMap((list) => [Buffer.from(','), ...list]), Buffer.from('}')];
}
