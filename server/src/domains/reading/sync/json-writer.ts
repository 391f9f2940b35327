import { createYield } from '../../../concurrency/yield.ts';

/** About this many characters are written between two yields to the event loop. */
const SLICE_CHARS = 48 * 1024;

/** An entry of a list: its JSON, or, if that is long, its pieces in UTF-8. */
export type JsonEntry = string | Promise<readonly Buffer[]>;

/** Returns `"name":[…]` in UTF-8, written in slices because a vault may have a hundred thousand rows. */
export async function writeJsonList<Row>(name: string, rows: readonly Row[], entryOf: (row: Row) => JsonEntry) {
  const pieces: Buffer[] = [];
  const yieldIfDue = createYield();
  let text = `${JSON.stringify(name)}:[`;
  const cut = () => {
    pieces.push(Buffer.from(text));
    text = '';
    return yieldIfDue();
  };
  let isFirst = true;
  for (const row of rows) {
    if (!isFirst) text += ',';
    isFirst = false;
    const entry = entryOf(row);
    if (typeof entry === 'string') text += entry;
    else {
      await cut();
      pieces.push(...(await entry));
    }
    if (text.length >= SLICE_CHARS) await cut();
  }
  return [...pieces, Buffer.from(`${text}]`)];
}

export function writeJsonObject(fields: object, lists: readonly (readonly Buffer[])[]): Buffer[] {
  const head = JSON.stringify(fields).slice(0, -1);
  return [Buffer.from(head), ...lists.flatMap((list) => [Buffer.from(','), ...list]), Buffer.from('}')];
}
