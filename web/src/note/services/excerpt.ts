import { findFrontmatter } from '@notevault/note-text/frontmatter/fence.ts';
import { scan } from '@notevault/note-text/scan.ts';

/** The headings of a note, as links name them. */
export function headingsIn(content: string): string[] {
  return scan(content).headings.map(({ text }) => text);
}

/** The block ids of a note, without `^`. */
export function blocksIn(content: string): string[] {
  return [...content.matchAll(/(?:^|[ \t])\^([A-Za-z0-9-]{1,100})[ \t]*\r?$/gm)].map(([, id = '']) => id);
}

/**
 * The part of a note that a link names: all of it without frontmatter, the section of a heading, or the block of an id.
 * Null when the note has no such part.
 */
export function excerptOf(content: string, anchor: string | null): string | null {
  const { bodyStart } = findFrontmatter(content);
  if (anchor === null) return content.slice(bodyStart);
  return anchor.startsWith('^') ? blockOf(content, anchor.slice(1)) : sectionOf(content, anchor);
}

function sectionOf(content: string, anchor: string): string | null {
  const wanted = fold(anchor.split('#').at(-1) ?? '');
  const { headings } = scan(content);
  const index = headings.findIndex(({ text }) => fold(text) === wanted);
  const heading = headings[index];
  if (heading === undefined) return null;
  const next = headings.slice(index + 1).find(({ level }) => level <= heading.level);
  return content.slice(heading.start, next?.start).trimEnd();
}

/** The lines around the id up to blank ones, without the id. */
function blockOf(content: string, id: string): string | null {
  const paragraphs = content.split(/\r?\n[ \t]*\r?\n/);
  const end = new RegExp(`[ \\t]*\\^${id.replace(/[^A-Za-z0-9-]/g, '')}[ \\t]*\\r?$`, 'im');
  const index = paragraphs.findIndex((paragraph) => end.test(paragraph));
  const paragraph = paragraphs[index];
  if (paragraph === undefined) return null;
  const lines = paragraph.split('\n');
  const line = lines.find((one) => end.test(one)) ?? '';
  // An item of a list stands for itself; a line with the id alone names what is before it.
  if (/^[ \t]*(?:[-*+]|\d+[.)])[ \t]/.test(line)) return line.replace(end, '').trim();
  const text = paragraph.replace(end, '').trim();
  return text === '' ? (paragraphs[index - 1] ?? null) : text;
}

/** Headings are compared without case, marks and the characters that a link cannot have. */
function fold(text: string): string {
  return text
    .replace(/[#|^[\]\\*_`~=:]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase();
}
