import { timingSafeEqual } from 'node:crypto';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { UserId } from '@notevault/protocol/values/ids.ts';
import type { OpenVault } from '../../../content/vaults/vaults.ts';

/** The query that a cursor is bound to; with any other query it is refused. */
export interface PageScope {
  readonly vault: OpenVault;
  readonly userId: UserId;
  /** The operation, and everything that was asked except the limit. */
  readonly asked: readonly [operation: string, ...rest: readonly unknown[]];
}

const MAC_BYTES = 16;
const LENGTH_MAX = 16 * 1024;

/** Returns an opaque cursor of a place in an order; the next page begins after it. */
export function pageCursorOf(scope: PageScope, position: unknown): string {
  const body = Buffer.from(JSON.stringify(position));
  return Buffer.concat([macOf(scope, body), body]).toString('base64url');
}

/** Returns the place; null without a cursor. Throws `invalid_cursor` for one that was issued for something else. */
export function pagePositionOf<Position>(scope: PageScope, cursor: string | null): Position | null {
  if (cursor === null) return null;
  const bytes = Buffer.from(cursor.slice(0, LENGTH_MAX), 'base64url');
  const body = bytes.subarray(MAC_BYTES);
  // Decoding ignores invalid base64 characters: only the exact text that was issued is accepted.
  const isExact = body.length > 0 && bytes.toString('base64url') === cursor;
  if (!isExact || !timingSafeEqual(bytes.subarray(0, MAC_BYTES), macOf(scope, body))) {
    throw new NotevaultError('invalid_cursor');
  }
  // Only issued cursors have this MAC.
  return JSON.parse(body.toString()) as Position;
}

function macOf({ vault, userId, asked }: PageScope, body: Buffer): Buffer {
  const text = JSON.stringify([userId, vault.id, asked, body.toString('latin1')]);
  return vault.key.mac('page cursor', text).subarray(0, MAC_BYTES);
}
