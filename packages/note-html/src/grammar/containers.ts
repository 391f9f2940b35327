import type { BlockContext, Line } from '@lezer/markdown';

/**
 * Returns whether a line is still inside the quotes and list items around the block that is being parsed. The library's
 * own block parsers ask the same; its types leave the field out.
 */
export function isInside(cx: BlockContext, line: Line): boolean {
  return (line as unknown as { readonly depth: number }).depth >= cx.depth;
}
