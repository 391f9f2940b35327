import { findFrontmatter } from '../../src/frontmatter/fence.ts';
import { blockIdIn } from '../../src/links/anchors.ts';
import { scanBlocks } from '../../src/scan/blocks.ts';

/**
 * Returns the ids of a note's blocks by the rules of the scanner, without `^`, in its order; code and frontmatter have
 * none.
 */
export function blockIdsOf(content: string): string[] {
  const { bodyStart } = findFrontmatter(content);
  const { code } = scanBlocks(content, bodyStart);
  const ids: string[] = [];
  let next = 0;
  for (let start = bodyStart; start < content.length; ) {
    const newline = content.indexOf('\n', start);
    const end = newline < 0 ? content.length : newline;
    while ((code[next]?.end ?? Infinity) <= start) next++;
    const id = (code[next]?.start ?? Infinity) < end ? null : blockIdIn(content.slice(start, end));
    if (id !== null) ids.push(id);
    start = end + 1;
  }
  return ids;
}
