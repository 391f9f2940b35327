import { hash } from 'node:crypto';
import type { Reply } from '../route.ts';
import { type Coding, codedTags } from './compression.ts';

const TAG_BYTES = 16;

/**
 * The tag of an answer that depends only on a URL and the state of something, by one version of the server.
 * @param state see `Guard.stateOf`.
 */
export function stateTag(version: string, state: string, url: string): string {
  return shortHash(`${version}\n${state}\n${url}`);
}

export function shortHash(text: string): string {
  return hash('sha256', text, 'buffer').subarray(0, TAG_BYTES).toString('base64url');
}

/**
 * The answer to a read, or that the client has it already (RFC 9110, section 13.1.2). Caches may keep answers, but ask
 * each time, and never give one account's to another.
 *
 * @param coding the one in which the client would get the answer. It may have the answer in any.
 */
export function revalidated(answer: Reply, etag: string, ifNoneMatch: string | null, coding?: Coding): Reply {
  const headers = { ...answer.headers, 'cache-control': 'private, no-cache', vary: 'Authorization, X-Vault-ID' };
  const known = knownTag(ifNoneMatch, etag, coding);
  return known === undefined ? { ...answer, headers, etag } : { status: 304, headers, etag: known };
}

/** The tag of an answer, in one of its codings, that an `If-None-Match` header names. */
export function knownTag(ifNoneMatch: string | null, etag: string, coding?: Coding): string | undefined {
  if (ifNoneMatch === null) return undefined;
  return codedTags(etag, coding).find((tag) => namesTag(ifNoneMatch, `"${tag}"`));
}

/** Whether an `If-None-Match` header matches a tag, compared weakly (RFC 9110, section 13.1.2). */
export function namesTag(header: string | null, tag: string): boolean {
  const sent = header?.split(',') ?? [];
  return sent.some((one) => ['*', tag, `W/${tag}`].includes(one.trim()));
}
