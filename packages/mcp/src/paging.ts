import { ToolFailure } from './text/answer.ts';

/** A page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** Pass it as `cursor` for the next page; null on the last one. */
  readonly next: string | null;
  /** Number of items that follow. */
  readonly left: number;
}

/**
 * Returns a page of a list that is ordered by its keys. The cursor holds the last key, so items that are added or
 * removed meanwhile neither repeat nor skip others.
 */
export function pageOf<Item>(
  all: readonly Item[],
  keyOf: (item: Item) => string,
  cursor: string | undefined,
  limit: number,
): Page<Item> {
  const after = cursor === undefined ? null : readCursor(cursor);
  const rest = after === null ? all : all.filter((item) => keyOf(item) > after);
  const items = rest.slice(0, limit);
  const last = items.at(-1);
  const left = rest.length - items.length;
  return { items, left, next: left === 0 || last === undefined ? null : writeCursor(keyOf(last)) };
}

export function writeCursor(text: string): string {
  return new TextEncoder().encode(text).toBase64({ alphabet: 'base64url', omitPadding: true });
}

/** Throws ToolFailure for a cursor that no answer has given. */
export function readCursor(cursor: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.fromBase64(cursor, { alphabet: 'base64url' }));
  } catch {
    throw new ToolFailure('The cursor is not one that an answer gave. Call again without it.');
  }
}

/** Returns the sentence that says how to go on, for a list that is not complete. */
export function moreLine({ next, left }: Page<unknown>): string[] {
  return next === null ? [] : [`${left} more: call again with cursor "${next}".`];
}
