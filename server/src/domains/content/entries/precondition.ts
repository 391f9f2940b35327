import { NotevaultError } from '@notevault/protocol/errors.ts';

interface ConditionalRequest {
  header(name: string): string | null;
}

/** `*`, or the content hashes of an `If-Match` or `If-None-Match` header. */
type Tags = '*' | readonly string[];

/**
 * The precondition of a write (RFC 9110, section 13.1): `If-Match` names the content hash that the entry must have,
 * `If-None-Match: *` requires that no entry exists. A write whose precondition fails has no effect.
 */
export interface Precondition {
  readonly match: Tags | null;
  readonly noneMatch: Tags | null;
}

export const UNCONDITIONAL: Precondition = { match: null, noneMatch: null };

export function isConditional({ match, noneMatch }: Precondition): boolean {
  return match !== null || noneMatch !== null;
}

export function preconditionOf(request: ConditionalRequest): Precondition {
  return { match: tagsOf(request.header('if-match')), noneMatch: tagsOf(request.header('if-none-match')) };
}

export function mustHave(hash: string): Precondition {
  return { match: [hash], noneMatch: null };
}

/**
 * The content hashes of tags. The tag of a note also says with which links it was read, after a dot. Tags are compared
 * strongly: a weak or malformed one never matches.
 */
function tagsOf(header: string | null): Tags | null {
  if (header === null) return null;
  if (header.trim() === '*') return '*';
  return header.split(',').flatMap((tag) => /^\s*"([^".]*)(?:\.[^"]*)?"\s*$/.exec(tag)?.[1] ?? []);
}

/** Throws `version_conflict` when an entry does not meet the precondition. @param hash null when there is no entry. */
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
