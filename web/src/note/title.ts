import { findFrontmatter } from '@notevault/note-text/frontmatter/fence.ts';
import { isSameName } from '@notevault/note-text/names/match.ts';

const HEADING = /^\s*#[ \t]+(.{1,300}?)(?:[ \t]+#+)?[ \t]*(?:\r?\n|$)/;

/** Whether a text begins with its title as a heading, so that the title need not stand above it once more. */
export function beginsWithTitle(text: string, title: string): boolean {
  const { bodyStart } = findFrontmatter(text);
  const [, heading] = HEADING.exec(text.slice(bodyStart, bodyStart + 1_000)) ?? [];
  return heading !== undefined && isSameName(heading, title);
}
