import type { Tree } from '@lezer/common';
import { normalizeLabel } from '@notevault/note-text/scan/definitions.ts';

export interface Definitions {
  /** The destinations of reference links by label; the first of a label counts. */
  readonly destinations: ReadonlyMap<string, string>;
  /**
   * Offset of heading levels. The page has one heading of the first level, its title: if the text has others, its
   * headings move one level down.
   */
  readonly levelShift: 0 | 1;
}

/** Reads what a page needs to know of a whole note before its first line. */
export function readDefinitions(tree: Tree, source: string, titleAt: number): Definitions {
  const destinations = new Map<string, string>();
  let levelShift: 0 | 1 = 0;
  for (let node = tree.topNode.firstChild; node !== null; node = node.nextSibling) {
    if (/Heading1$/.test(node.name) && node.from !== titleAt) levelShift = 1;
    if (node.name !== 'LinkReference') continue;
    const name = node.getChild('LinkLabel');
    const url = node.getChild('URL');
    if (name === null || url === null) continue;
    const label = normalizeLabel(source.slice(name.from + 1, name.to - 1));
    if (!destinations.has(label)) destinations.set(label, source.slice(url.from, url.to));
  }
  return { destinations, levelShift };
}
