import { findFrontmatter } from '@notevault/note-text/frontmatter/fence.ts';

/** A section shorter than this is extended by the text after it. */
const MIN_LENGTH = 600;

/** Returns the part of a note's text that a snippet is made of: a section, without the frontmatter. */
export function snippetSource(content: string, start: number, end: number): string {
  const from = Math.max(start, findFrontmatter(content).bodyStart);
  return content.slice(from, Math.max(end, from + MIN_LENGTH));
}
