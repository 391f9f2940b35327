import type { LinkForm } from '@notevault/note-text/links/parsed-link.ts';
import { decodeTarget, unescapeMarkdown } from '@notevault/note-text/scan/destination.ts';

/** A link as the editor reads it from the text. */
export interface LinkTarget {
  /** The path or title as written, decoded; empty for a link into the note itself. */
  readonly target: string;
  /** Heading, or `^` and a block id; null without one. */
  readonly anchor: string | null;
  /** Syntax of the link; the same target text may mean different notes. */
  readonly form: LinkForm;
}

/** Destination of a link in a note. */
export type Destination =
  | { readonly kind: 'web'; readonly url: string }
  | { readonly kind: 'note'; readonly link: LinkTarget }
  /** Link that is not followed: a script, data, or another kind of address. */
  | { readonly kind: 'refused' };

const SCHEME = /^[a-z][a-z0-9+.-]*:/i;
const FOLLOWED = new Set(['http:', 'https:', 'mailto:']);

/**
 * Reads the destination of `[text](destination)` or `<destination>`. Only http, https, mailto and notes are followed.
 * What browsers skip inside a scheme (tabs, line ends, control characters) is no way around that.
 *
 * @param decode resolves the escapes of the language that the destination is written in.
 */
export function readDestinationUrl(written: string, decode = unescapeMarkdown): Destination {
  const bare = written.startsWith('<') && written.endsWith('>') ? written.slice(1, -1) : written;
  const clean = bare.replace(/[\u0000-\u0020\u007f\u00a0\u200b-\u200f\u2028\u2029\ufeff]/g, '');
  if (SCHEME.test(clean) || clean.startsWith('//')) return webDestination(bare.trim(), clean);
  const decoded = decodeTarget(bare.trim(), decode);
  if (decoded === null) return { kind: 'refused' };
  return { kind: 'note', link: { ...decoded, form: 'markdown' } };
}

function webDestination(written: string, clean: string): Destination {
  const url = parseUrl(clean.startsWith('//') ? `https:${clean}` : clean);
  if (url === null || !FOLLOWED.has(url.protocol)) return { kind: 'refused' };
  // An address with white space inside its scheme was written to be misread.
  return SCHEME.test(written) || clean.startsWith('//') ? { kind: 'web', url: url.href } : { kind: 'refused' };
}

function parseUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

/** Reads an address that stands in the text without marks: `https://…`, `www.…` or a mail address. */
export function readBareAddress(written: string): Destination {
  const url = /^[a-z]+:/i.test(written) ? written : written.includes('@') ? `mailto:${written}` : `https://${written}`;
  return { kind: 'web', url };
}
