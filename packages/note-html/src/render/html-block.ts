import { unescapeHtml } from '@notevault/note-text/scan/destination.ts';
import { readAttributes } from '@notevault/note-text/scan/html.ts';
import { readDestinationUrl } from '../links/destination.ts';
import { readImageTag } from '../links/embed-spec.ts';
import { isShownHtml, VOID_TAGS } from '../shown-html.ts';
import { embedHtml } from './embed.ts';
import { escapeHtml, openTag, webAttributes } from './html-text.ts';
import type { PageLinks } from './resolver.ts';

/** Attributes that are kept, with the values that they may have. */
const ATTRIBUTES: Readonly<Record<string, RegExp>> = {
  title: /^/,
  open: /^/,
  colspan: /^\d{1,3}$/,
  rowspan: /^\d{1,3}$/,
  scope: /^(?:col|row|colgroup|rowgroup)$/i,
  start: /^-?\d{1,9}$/,
  reversed: /^/,
  dir: /^(?:ltr|rtl|auto)$/i,
  lang: /^[a-z]{2,3}(?:-[a-z\d]{1,8})*$/i,
};

const PART = /<!--[\s\S]*?-->|<(\/?)([a-z][a-z0-9]*)(?:\s[^<>]*)?>|[^<]+|</gi;

/**
 * Renders a block of HTML: written anew from the tags, attributes and texts that it may have, so that nothing of the
 * source is output as it is. A block with any other tag is shown as its source.
 */
export function htmlBlockHtml(source: string, links: PageLinks): string {
  const written = source.replace(/<!--[\s\S]*?(?:-->|$)/g, '').trim();
  if (written === '') return '';
  if (!isShownHtml(written)) return `<pre class="source">${escapeHtml(written)}</pre>`;
  const html = written.replace(PART, (part, slash: string | undefined, name: string | undefined) =>
    name === undefined ? escapeHtml(unescapeHtml(part)) : tagHtml(part, slash === '/', name.toLowerCase(), links),
  );
  return `<div class="html" dir="auto">${html}</div>`;
}

function tagHtml(tag: string, isClosing: boolean, name: string, links: PageLinks): string {
  if (name === 'img') return embedHtml(readImageTag(tag) ?? { kind: 'none' }, '', links);
  if (isClosing) return VOID_TAGS.has(name) ? '' : `</${name}>`;
  const attributes: Record<string, string | true> = {};
  for (const [key, { start, end }] of readAttributes(tag, { start: 0, end: tag.length })) {
    const value = unescapeHtml(tag.slice(start, end));
    const address = key === 'href' && name === 'a' ? readDestinationUrl(value.trim(), (url) => url) : null;
    if (address?.kind === 'web') Object.assign(attributes, webAttributes(address.url));
    else if (Object.hasOwn(ATTRIBUTES, key) && ATTRIBUTES[key]?.test(value) === true)
      attributes[key] = value === '' ? true : value;
  }
  return openTag(name, attributes);
}
