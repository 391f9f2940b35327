/** A change of a document; offsets are UTF-16. */
export interface SourceChange {
  readonly from: number;
  readonly to?: number;
  readonly insert?: string;
}

/**
 * Returns the change from one text to another, without their common start and end. Replacing equal text by itself would
 * delete letters that somebody else types into it.
 */
export function minimalChange(from: number, before: string, after: string): SourceChange {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before.charAt(start) === after.charAt(start)) start++;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  return { from: from + start, to: from + before.length - end, insert: after.slice(start, after.length - end) };
}
