import { type ParseReason, readFrontmatter } from './frontmatter.ts';
import { maxLinks, type ParsedLink } from './links/parsed-link.ts';
import { fileStem, folderOf } from './paths.ts';
import { type Heading, scan } from './scan.ts';
import { TagSet } from './tags.ts';

/** All metadata of a note that follows from its path and text. */
export interface DerivedNote {
  readonly title: string;
  /** Path of the folder; empty for a note at the root. */
  readonly folder: string;
  /** Frontmatter tags, then inline ones: first-seen casing, unique without regard to case, at most 1,000. */
  readonly tags: readonly string[];
  readonly aliases: readonly string[];
  readonly description: string | null;
  /** Milliseconds since the Unix epoch. */
  readonly fmCreated: number | null;
  /** Milliseconds since the Unix epoch. */
  readonly fmTimestamp: number | null;
  readonly resource: string | null;
  readonly type: string | null;
  readonly parseStatus: 'ok' | 'degraded';
  readonly parseReason: ParseReason | null;
  /** Links in the order of the note, those in frontmatter first; at most 20,000. */
  readonly links: readonly ParsedLink[];
  readonly headings: readonly Heading[];
}

/** Derives a note's metadata from its normalised path and its content. Deterministic; never throws. */
export function deriveNote(path: string, content: string): DerivedNote {
  const frontmatter = readFrontmatter(content);
  const body = scan(content, frontmatter.bodyStart);
  const tags = new TagSet();
  for (const tag of frontmatter.tags) tags.add(tag);
  for (const tag of body.tags) tags.add(tag);
  return {
    title: frontmatter.title ?? firstTitle(body.headings) ?? fileStem(path),
    folder: folderOf(path),
    tags: tags.tags,
    aliases: frontmatter.aliases,
    description: frontmatter.description,
    fmCreated: frontmatter.created,
    fmTimestamp: frontmatter.timestamp,
    resource: frontmatter.resource,
    type: frontmatter.type,
    parseStatus: frontmatter.status,
    parseReason: frontmatter.reason,
    links: [...frontmatter.links, ...body.links].slice(0, maxLinks),
    headings: body.headings,
  };
}

function firstTitle(headings: readonly Heading[]): string | null {
  return headings.find((heading) => heading.level === 1 && heading.text !== '')?.text ?? null;
}
