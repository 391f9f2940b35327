import { findFrontmatter } from '../frontmatter/fence.ts';
import { isSameName } from './match.ts';

const HEADING = /^(\s*)(#[ \t]+(.{1,300}?)(?:[ \t]+#+)?[ \t]*)(?:\r?\n|$)/;

/** Returns whether a text begins with its title as a heading, so that the title need not stand above it once more. */
export function beginsWithTitle(text: string, title: string): boolean {
  const { bodyStart } = findFrontmatter(text);
  return titleHeading(text.slice(bodyStart, bodyStart + 1_000), title) !== null;
}

/** Returns the position of the body's first heading if it repeats the title; null otherwise. */
export function titleHeading(body: string, title: string): { readonly from: number; readonly to: number } | null {
  const [, space = '', line = '', heading] = HEADING.exec(body) ?? [];
  if (heading === undefined || !isSameName(heading, title)) return null;
  return { from: space.length, to: space.length + line.length };
}
