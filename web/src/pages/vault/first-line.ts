import { findFrontmatter } from '@notevault/note-text/frontmatter/fence.ts';

/** More than fits into a row. */
const LENGTH = 200;

/** The first line of a note that says more than its title, without marks of markdown. */
export function firstLine(text: string, title: string): string {
  const { bodyStart } = findFrontmatter(text);
  for (const line of text.slice(bodyStart, bodyStart + 4_000).split('\n')) {
    const plain = line
      .slice(0, 2 * LENGTH)
      .replace(/^\s*(?:#{1,6}\s|>\s?(?:\[![^\]]*\][+-]?)?|[-*+]\s(?:\[.\]\s)?|\d+[.)]\s)+/, '')
      .replace(/!?\[\[(?:[^\]|]*\|)?([^\]]*)\]\]/g, '$1')
      .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
      // Underscores within a word are letters of a name.
      .replace(/\*\*|==|~~|`|\*|(?<![\p{L}\p{N}])_{1,2}|_{1,2}(?![\p{L}\p{N}])/gu, '')
      .trim();
    const saysMore = /[\p{L}\p{N}]/u.test(plain) && plain !== title && !/^(?:#[\p{L}\p{N}_/-]+\s*)+$/u.test(plain);
    if (saysMore) return plain.slice(0, LENGTH);
  }
  return '';
}
