import type { Scalar } from 'yaml';
import { type ParsedLink, toAlias } from '../links/parsed-link.ts';
import { readWikilink } from '../scan/wikilink.ts';

/**
 * Returns the link of a property whose whole value is one wikilink, else null. Positions refer to the text as written,
 * where a quoted value may contain escapes; target, anchor and alias come from the decoded value.
 */
export function readPropertyLink(content: string, yamlStart: number, scalar: Scalar.Parsed): ParsedLink | null {
  const value = String(scalar.value).trim().toWellFormed();
  if (!value.startsWith('[[') || !value.endsWith(']]')) return null;
  const meant = readWikilink(value, 0).link;
  if (meant?.end !== value.length) return null;
  const limit = yamlStart + scalar.range[1];
  const start = content.indexOf('[[', yamlStart + scalar.range[0]);
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
