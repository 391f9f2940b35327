/** Most links taken from one note: derived data is bounded, the note itself never is. */
export const maxLinks = 20_000;

/** A target text longer than this can name no path (paths end at 4,096 bytes) and is no link. */
export const maxTargetLength = 4_096;

/** An alias is display text; a nest of image labels would otherwise repeat itself into gigabytes. */
const maxAliasLength = 1_000;

export type LinkForm = 'wikilink' | 'markdown' | 'reference' | 'property';

/**
 * A link as written, not yet resolved. Every position is a UTF-16 offset into the whole content.
 *
 * `content.slice(targetStart, targetEnd)` is the raw target with its anchor: without alias, title, brackets, and with
 * escapes and percent signs as written. It lies inside `start..end`, except for the form `reference`, where `start..end`
 * is the use (`[label][ref]`) and the target stands in the definition (`[ref]: target`), which several uses may share.
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

/** The alias as kept: trimmed, bounded without cutting a surrogate pair; null when nothing is left. */
export function toAlias(text: string): string | null {
  const trimmed = text.trim();
  if (trimmed.length <= maxAliasLength) return trimmed === '' ? null : trimmed;
  const last = trimmed.charCodeAt(maxAliasLength - 1);
  return trimmed.slice(0, last >= 0xd800 && last <= 0xdbff ? maxAliasLength - 1 : maxAliasLength);
}
