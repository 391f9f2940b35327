import { NotevaultError } from '@notevault/protocol/errors.ts';

/** The headers of a request that may make its write conditional. */
interface ConditionalRequest {
  header(name: string): string | null;
}

/** `*`, or the content hashes of an `If-Match` or `If-None-Match` header. */
type Tags = '*' | readonly string[];

/**
 * What a write expects of the entry that it changes (RFC 9110, section 13.1): `If-Match` names the content hash that the
 * entry must have, `If-None-Match: *` says that there must be none. A write whose expectation fails has no effect.
 */
export interface Precondition {
  readonly match: Tags | null;
  readonly noneMatch: Tags | null;
}

/** Nothing is expected. */
export const UNCONDITIONAL: Precondition = { match: null, noneMatch: null };

/** Whether anything is expected. */
export function isConditional({ match, noneMatch }: Precondition): boolean {
  return match !== null || noneMatch !== null;
}

/** The precondition of a request, as its headers say. */
export function preconditionOf(request: ConditionalRequest): Precondition {
  return { match: tagsOf(request.header('if-match')), noneMatch: tagsOf(request.header('if-none-match')) };
}

/** The precondition that an entry has a content hash. */
export function mustHave(hash: string): Precondition {
  return { match: [hash], noneMatch: null };
}

/** Tags are compared strongly: one that is weak, or no tag, matches nothing. */
function tagsOf(header: string | null): Tags | null {
  if (header === null) return null;
  if (header.trim() === '*') return '*';
  return header.split(',').flatMap((tag) => /^\s*"([^"]*)"\s*$/.exec(tag)?.[1] ?? []);
}

/**
 * Throws `version_conflict` when an entry is not as a write expects it.
 *
 * @param hash the entry's content hash; null when there is no such entry.
 * @param details what the error says of the entry as it is.
 */
export function checkPrecondition(
  { match, noneMatch }: Precondition,
  hash: string | null,
  details: () => Record<string, unknown>,
): void {
  if ((match === null || isAmong(match, hash)) && (noneMatch === null || !isAmong(noneMatch, hash))) return;
  throw new NotevaultError('version_conflict', { conflict: true, ...details() });
}

function isAmong(tags: Tags, hash: string | null): boolean {
  return hash !== null && (tags === '*' || tags.includes(hash));
}
