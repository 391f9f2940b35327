import { findFrontmatter } from './frontmatter/fence.ts';
import type { ParsedLink } from './links/parsed-link.ts';
import type { Heading } from './scan/block-output.ts';
import { scanBlocks } from './scan/blocks.ts';
import { scanInline } from './scan/inline.ts';
import { TagSet } from './tags.ts';

export type { ParsedLink } from './links/parsed-link.ts';
export type { Heading } from './scan/block-output.ts';

export interface Scan {
  /** In the order of the note, at most 20,000. */
  readonly links: ParsedLink[];
  /** Inline tags without `#`, first-seen casing, unique without regard to case, at most 1,000. */
  readonly tags: string[];
  readonly headings: Heading[];
}

/**
 * Links, inline tags and headings of a note's markdown, in time linear in its length whatever it holds.
 *
 * `content` is the whole note; reading begins at the UTF-16 offset `bodyStart`, after the frontmatter, and every offset
 * in the result is one of `content`. Blocks and inlines follow CommonMark 0.31.2 and the tables of GitHub Flavored
 * Markdown; on top come wikilinks, tags, `%%` comments, `$` mathematics and footnotes. Code, comments, HTML tags,
 * mathematics and URLs hold neither links nor tags.
 */
export function scan(content: string, bodyStart = findFrontmatter(content).bodyStart): Scan {
  const blocks = scanBlocks(content, bodyStart);
  const sink = { links: [], tags: new TagSet(), code: null };
  for (const text of blocks.texts) scanInline(text, blocks.definitions, sink);
  return { links: sink.links, tags: sink.tags.tags, headings: blocks.headings };
}
