/**
 * Version of the link parser. Raise it when links are read differently: servers then read stored notes and canvases
 * again.
 */
export const LINKS_VERSION = 1;

/** Maximum number of links read from a note. Derived data is bounded, the note itself is not. */
export const maxLinks = 20_000;

/** A longer target can name no path (a path has at most 4,096 bytes) and is not read as a link. */
export const maxTargetLength = 4_096;

/** An alias is display text; nested image labels would otherwise repeat each other into gigabytes. */
const maxAliasLength = 1_000;

/** `html` is the `src` of an `<img>`. */
export type LinkForm = 'wikilink' | 'markdown' | 'reference' | 'property' | 'html';

/** Returns whether a link of this form is a URL, which other programs follow from the folder of its note. */
export function isUrlForm(form: LinkForm): boolean {
  return form === 'markdown' || form === 'reference' || form === 'html';
}

/**
 * A link as written, not yet resolved. Every position is a UTF-16 offset into the whole content.
 *
 * `content.slice(targetStart, targetEnd)` is the raw target with its anchor: without alias, title, brackets and quotes,
 * with escapes and percent signs as written. It is inside `start..end`, except for the form `reference`: there `start..end`
 * is the use (`[label][ref]`), and the target is in the definition (`[ref]: target`), which several uses may share.
 */
export interface ParsedLink {
  /** Decoded, NFC, without anchor; empty for a link into the note itself. */
  readonly target: string;
  /** Heading or `^block` after the first `#`, decoded; null without one. */
  readonly anchor: string | null;
  /** Text shown in place of the target; null without one. */
  readonly alias: string | null;
  readonly embed: boolean;
  readonly form: LinkForm;
  readonly start: number;
  readonly end: number;
  readonly targetStart: number;
  readonly targetEnd: number;
}

/** Half-open range of UTF-16 offsets. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * Returns the alias as stored: trimmed, and shortened without splitting a surrogate pair; null when nothing is left.
 */
export function toAlias(text: string): string | null {
  const trimmed = text.trim();
  if (trimmed.length <= maxAliasLength) return trimmed === '' ? null : trimmed;
  const last = trimmed.charCodeAt(maxAliasLength - 1);
  return trimmed.slice(0, last >= 0xd800 && last <= 0xdbff ? maxAliasLength - 1 : maxAliasLength);
}
