import { ToolFailure } from './text/answer.ts';
import { tokensOf } from './text/tokens.ts';

/** Maximum tokens of a list; the rest of an answer is for the words around it and a cursor that holds a long path. */
const LIST_TOKENS = 5_000;

/** A page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** The items as an answer shows them. */
  readonly lines: readonly string[];
  /** Pass it as `cursor` for the next page; null on the last one. */
  readonly next: string | null;
  /** Number of items that follow. */
  readonly left: number;
}

interface Shown<Item> {
  readonly keyOf: (item: Item, index: number) => string;
  readonly lineOf: (item: Item) => string;
  /** Maximum number of items. */
  readonly limit: number;
}

/**
 * Returns a page of a list that is ordered by its keys, with as many items as fit into an answer. The cursor holds the
 * last key, so items that are added or removed meanwhile neither repeat nor skip others.
 */
export function pageOf<Item>(
  all: readonly Item[],
  cursor: string | undefined,
  { keyOf, lineOf, limit }: Shown<Item>,
): Page<Item> {
  const after = cursor === undefined ? null : readCursor(cursor);
  const keyed = all.map((item, index) => ({ item, key: keyOf(item, index) }));
  const rest = after === null ? keyed : keyed.filter(({ key }) => key > after);
  const lines = rest.slice(0, limit).map(({ item }) => lineOf(item));
  const shown = rest.slice(0, fitting(lines));
  const left = rest.length - shown.length;
  return {
    ...{ items: shown.map(({ item }) => item), lines: lines.slice(0, shown.length), left },
    next: left === 0 ? null : writeCursor(shown.at(-1)?.key ?? ''),
  };
}

/** Returns a key by which a list keeps its order. */
export function inOrder(_item: unknown, index: number): string {
  return String(index).padStart(8, '0');
}

/**
 * Reads a page of a list whose cursors the server makes. If it does not fit into an answer, a page of as many items as
 * do is read, so that its cursor is exact.
 */
export async function fittingPage<Answer>(
  limit: number,
  read: (limit: number) => Promise<Answer>,
  linesOf: (answer: Answer) => readonly string[],
): Promise<Answer & { readonly lines: readonly string[] }> {
  for (let most = limit; ; ) {
    const answer = await read(most);
    const lines = linesOf(answer);
    const fits = fitting(lines);
    if (fits === lines.length) return { ...answer, lines };
    most = fits;
  }
}

/** Returns how many lines fit into an answer; one, if it is the only one, in any case. */
export function fitting(lines: readonly string[], tokens = LIST_TOKENS): number {
  let left = tokens;
  const over = lines.findIndex((line) => {
    left -= tokensOf(line) + 1;
    return left < 0;
  });
  return over < 0 ? lines.length : Math.max(1, over);
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
export function moreLine(next: string | null, left?: number): string[] {
  if (next === null) return [];
  return [`${left === undefined ? 'There are' : left} more: send the same arguments with cursor "${next}".`];
}
