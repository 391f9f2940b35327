import { blockIdOf, foldHeading } from '@notevault/note-text/links/anchors.ts';
import type { LinkTarget } from '../links/destination.ts';
import type { PageLinks } from './resolver.ts';

/** Returns the id of a heading, which links to it find by its name. */
export function headingId(name: string): string {
  return `h-${foldHeading(name).slice(0, 200).replace(/\s+/g, '-')}`;
}

/** Returns the id of a block that links can name. */
export function blockAnchorId(id: string): string {
  return `b-${id.toLowerCase()}`;
}

/** Returns the address of a note with its anchor; null where the page may not lead to it. */
export function noteHref(link: LinkTarget, links: PageLinks): string | null {
  const href = links.note(link);
  return href === null ? null : `${href}${fragmentOf(link.anchor)}` || '#';
}

function fragmentOf(anchor: string | null): string {
  if (anchor === null) return '';
  const block = blockIdOf(anchor);
  const id = block === null ? headingId(anchor.slice(anchor.lastIndexOf('#') + 1)) : blockAnchorId(block);
  return `#${encodeURIComponent(id)}`;
}
