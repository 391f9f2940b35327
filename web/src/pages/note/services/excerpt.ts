import { findFrontmatter } from '@notevault/note-text/frontmatter/fence.ts';
import { blockIdOf, findHeading, hasBlockId, withoutBlockId } from '@notevault/note-text/links/anchors.ts';
import { scan } from '@notevault/note-text/scan.ts';

/**
 * The part of a note that a link names: all of it without frontmatter, the section of a heading, or the block of an id.
 * Null when the note has no such part.
 */
export function excerptOf(content: string, anchor: string | null): string | null {
  const { bodyStart } = findFrontmatter(content);
  if (anchor === null) return content.slice(bodyStart);
  const block = blockIdOf(anchor);
  return block === null ? sectionOf(content, anchor) : blockOf(content, block);
}

function sectionOf(content: string, anchor: string): string | null {
  const { headings } = scan(content);
  const index = findHeading(headings, anchor);
  const heading = headings[index];
  if (heading === undefined) return null;
  const next = headings.slice(index + 1).find(({ level }) => level <= heading.level);
  return content.slice(heading.start, next?.start).trimEnd();
}

/** The lines around the id up to blank ones, without the id. */
function blockOf(content: string, id: string): string | null {
  const paragraphs = content.split(/\r?\n[ \t]*\r?\n/);
  const isNamed = (line: string) => hasBlockId(line, id);
  const index = paragraphs.findIndex((paragraph) => paragraph.split('\n').some(isNamed));
  const lines = paragraphs[index]?.split('\n') ?? [];
  const line = lines.find(isNamed);
  if (line === undefined) return null;
  // An item of a list stands for itself; a line with the id alone names what is before it.
  if (/^[ \t]*(?:[-*+]|\d+[.)])[ \t]/.test(line)) return withoutBlockId(line).trim();
  const text = lines
    .map((one) => (one === line ? withoutBlockId(one) : one))
    .join('\n')
    .trim();
  return text === '' ? (paragraphs[index - 1] ?? null) : text;
}
