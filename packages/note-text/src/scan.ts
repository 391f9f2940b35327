import { findFrontmatter } from './frontmatter/fence.ts';
import type { ParsedLink } from './links/parsed-link.ts';
import type { Heading } from './scan/block-output.ts';
import { scanBlocks } from './scan/blocks.ts';
import { scanInline } from './scan/inline.ts';
import { TagSet } from './tags.ts';

export type { ParsedLink } from './links/parsed-link.ts';
export type { Heading } from './scan/block-output.ts';

export interface Scan {
  /** Links in the order of the note, at most 20,000. */
  readonly links: ParsedLink[];
  /** Inline tags without `#`, first-seen casing, unique without regard to case, at most 1,000. */
  readonly tags: string[];
  readonly headings: Heading[];
}

/**
 * Reads links, inline tags and headings from a note's markdown, in time linear in its length for any input.
 *
 * `content` is the whole note. Reading begins at the UTF-16 offset `bodyStart`, after the frontmatter; all offsets in
 * the result refer to `content`. Blocks and inlines follow CommonMark 0.31.2 and the tables of GitHub Flavored
 * Markdown, extended by wikilinks, tags, `%%` comments, `$` mathematics and footnotes. Links and tags inside code,
 * comments, HTML tags, mathematics and URLs are ignored.
 */
export function scan(content: string, bodyStart = findFrontmatter(content).bodyStart): Scan {
  const blocks = scanBlocks(content, bodyStart);
  const sink = { links: [], tags: new TagSet(), code: null };
  for (const text of blocks.texts) scanInline(text, blocks.definitions, sink);
  return { links: sink.links, tags: sink.tags.tags, headings: blocks.headings };
}
