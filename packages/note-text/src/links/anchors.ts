/** Targets of link anchors: a heading `#Heading`, a heading `#Above#Heading` below another one, or a block `#^id`. */

/** A heading as a scanner gives it. */
export interface AnchorHeading {
  /** Heading level, from 1 to 6. */
  readonly level: number;
  readonly text: string;
}

/** Headings are compared without case, marks and the characters that a link cannot have. */
export function foldHeading(text: string): string {
  return text
    .normalize('NFC')
    .replace(/[#|^[\]\\*_`~=:]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase();
}

/** Returns the id of the block that an anchor names; null where it names a heading. */
export function blockIdOf(anchor: string): string | null {
  return anchor.startsWith('^') ? anchor.slice(1).trim() : null;
}

/** There are six levels of headings. */
const MAX_PARTS = 6;

/**
 * Returns which of the headings of a note an anchor names; -1 for none. Of several with one text it is the first that is
 * below the headings that the anchor names before it; where there is none such, the first.
 */
export function findHeading(headings: readonly AnchorHeading[], anchor: string): number {
  const parts = anchor.split('#').map(foldHeading).slice(-MAX_PARTS);
  // A heading may have a # of its own, so that its name may be any number of the last parts.
  const ways = parts.map((_, at) => ({
    above: parts.slice(0, at).filter(Boolean),
    name: parts.slice(at).filter(Boolean).join(' '),
  }));
  const above: string[] = [];
  let first = -1;
  for (const [at, { level, text }] of headings.entries()) {
    const name = foldHeading(text);
    above.length = Math.min(above.length, level - 1);
    if (ways.some((way) => way.name === name && areInOrder(way.above, above))) return at;
    if (first < 0 && name === parts.at(-1)) first = at;
    above[level - 1] = name;
  }
  return first;
}

/** Returns whether the names are among those of headings, in their order. */
function areInOrder(names: readonly string[], above: readonly (string | undefined)[]): boolean {
  let at = -1;
  for (const name of names) {
    at = above.indexOf(name, at + 1);
    if (at < 0) return false;
  }
  return true;
}

const BLOCK_ID = /(?:^|[ \t])\^([A-Za-z0-9-]{1,100})[ \t]*\r?$/;

/** Returns the id that ends a line of a note, without `^`; null for none. */
export function blockIdIn(line: string): string | null {
  return line.includes('^') ? (BLOCK_ID.exec(line)?.[1] ?? null) : null;
}

/** Returns whether a line ends with a block id. Ids are compared without case. */
export function hasBlockId(line: string, id: string): boolean {
  return blockIdIn(line)?.toLowerCase() === id.toLowerCase();
}

/** Returns a line without the block id at its end. */
export function withoutBlockId(line: string): string {
  return line.replace(BLOCK_ID, '');
}
