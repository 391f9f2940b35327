import type { Scalar } from 'yaml';
import { type ParsedLink, toAlias } from '../links/parsed-link.ts';
import { skipSpaces } from '../scan/destination.ts';
import { readWikilink, type Wikilink } from '../scan/wikilink.ts';

/**
 * Returns the links of a property whose whole value is one wikilink, or a block scalar of nothing but wikilinks; else
 * none. Positions refer to the text as written, where a quoted value may contain escapes; target, anchor and alias come
 * from the decoded value.
 */
export function readPropertyLinks(content: string, yamlStart: number, scalar: Scalar.Parsed): ParsedLink[] {
  const value = String(scalar.value).toWellFormed();
  const isBlock = scalar.type === 'BLOCK_LITERAL' || scalar.type === 'BLOCK_FOLDED';
  const limit = yamlStart + scalar.range[1];
  const links: ParsedLink[] = [];
  for (let at = skipSpaces(value, 0); at < value.length; ) {
    const meant = value.startsWith('[[', at) ? readWikilink(value, at).link : null;
    const link = meant && toPropertyLink(content, links.at(-1)?.end ?? yamlStart + scalar.range[0], limit, meant);
    if (!link || (links.length > 0 && !isBlock)) return [];
    links.push(link);
    at = skipSpaces(value, meant.end);
  }
  return links;
}

/** @param from the offset in the content at or after which the link is written. */
function toPropertyLink(content: string, from: number, limit: number, meant: Wikilink): ParsedLink | null {
  const start = content.indexOf('[[', from);
  const written = start < 0 || start >= limit ? null : readWikilink(content, start).link;
  if (!written || written.end > limit) return null;
  const raw = content.slice(written.targetStart, written.targetEnd);
  return {
    target: meant.target,
    anchor: meant.anchor,
    alias: toAlias(meant.alias),
    embed: false,
    form: 'property',
    start,
    end: written.end,
    targetStart: written.targetStart,
    // In double quotes the backslash of an escaped pipe is itself escaped.
    targetEnd: written.targetEnd - (raw.length - raw.replace(/\\+$/, '').length),
  };
}
