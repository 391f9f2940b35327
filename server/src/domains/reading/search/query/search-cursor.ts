import { timingSafeEqual } from 'node:crypto';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import { SEARCH_RESULTS_MAX } from '@notevault/protocol/search.ts';
import { MARK_LENGTH } from '@notevault/search-index/ranking/hybrid.ts';
import { latestPlausible } from '../../../../ports/clock/clock.ts';
import type { OpenVault } from '../../../content/vaults/vaults.ts';
import type { Principal } from '../../../foundation/access/access.ts';
import type { CheckedRequest } from './search-request.ts';

const LIFETIME_MS = 10 * 60_000;
/** Length of the expiry time, which begins a cursor; the marks of the returned notes and the MAC follow. */
const TIME_BYTES = 8;
const MARK_BYTES = MARK_LENGTH / 2;
const MAC_BYTES = 12;
const MAX_LENGTH = ((TIME_BYTES + SEARCH_RESULTS_MAX * MARK_BYTES + MAC_BYTES) * 4) / 3 + 4;

export interface CursorScope {
  readonly principal: Principal;
  readonly vault: OpenVault;
  readonly request: Omit<CheckedRequest, 'limit' | 'returned'>;
}

/**
 * Returns an opaque cursor of the notes that were returned so far. Naming the notes instead of a number keeps later pages
 * free of repetitions when notes are written meanwhile.
 */
export function searchCursorOf(scope: CursorScope, returned: Iterable<string>, now: number): string {
  const time = Buffer.alloc(TIME_BYTES);
  time.writeBigUInt64BE(BigInt(now + LIFETIME_MS));
  const body = Buffer.concat([time, Buffer.from([...returned].join(''), 'hex')]);
  return Buffer.concat([body, macOf(scope, body)]).toString('base64url');
}

/**
 * Returns the marks of the notes that were returned before a cursor. Throws `invalid_cursor` for one that was issued for
 * another query, vault or account, or more than ten minutes ago.
 */
export function returnedBefore(scope: CursorScope, cursor: string | null, now: number): ReadonlySet<string> {
  const marks = new Set<string>();
  if (cursor === null) return marks;
  const bytes = Buffer.from(cursor.slice(0, MAX_LENGTH), 'base64url');
  const bodyLength = bytes.length - MAC_BYTES;
  // Decoding ignores invalid base64 characters: only the exact text that was issued is accepted.
  if (bodyLength < TIME_BYTES || bytes.toString('base64url') !== cursor) throw new NotevaultError('invalid_cursor');
  const body = bytes.subarray(0, bodyLength);
  const isIssued = timingSafeEqual(bytes.subarray(bodyLength), macOf(scope, body));
  const until = isIssued ? Number(body.readBigUInt64BE(0)) : 0;
  if (until < now || until > latestPlausible(now, LIFETIME_MS)) throw new NotevaultError('invalid_cursor');
  for (let at = TIME_BYTES; at < bodyLength; at += MARK_BYTES) marks.add(body.toString('hex', at, at + MARK_BYTES));
  return marks;
}

function macOf({ principal, vault, request }: CursorScope, body: Buffer): Buffer {
  const { query, mode, diversity, filter, crossVault } = request;
  const asked = JSON.stringify([principal.userId, query, mode, diversity, filter, crossVault]);
  return vault.key.mac('search cursor', `${body.toString('latin1')}\0${asked}`).subarray(0, MAC_BYTES);
}
