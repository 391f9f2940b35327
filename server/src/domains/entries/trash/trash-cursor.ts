import { timingSafeEqual } from 'node:crypto';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import type { TrashPosition } from './trash.store.ts';

/** Time (8 bytes), id (16); then the MAC. */
const BODY_BYTES = 24;
const MAC_BYTES = 12;

/** Returns the position as an opaque cursor, valid only for this vault. */
export function trashCursorOf(vault: OpenVault, { deletedAt, id }: TrashPosition): string {
  const body = Buffer.alloc(BODY_BYTES);
  body.writeBigUInt64BE(BigInt(deletedAt), 0);
  body.write(id.replaceAll('-', ''), 8, 'hex');
  return Buffer.concat([body, macOf(vault, body)]).toString('base64url');
}

/** Returns the position of a client's cursor. Throws `invalid_cursor` for one that this vault did not issue. */
export function trashPositionOf(vault: OpenVault, cursor: string): TrashPosition {
  const bytes = Buffer.from(cursor, 'base64url');
  // Decoding ignores invalid base64 characters: only the exact text that was issued is accepted.
  if (bytes.length !== BODY_BYTES + MAC_BYTES || bytes.toString('base64url') !== cursor) {
    throw new NotevaultError('invalid_cursor');
  }
  const body = bytes.subarray(0, BODY_BYTES);
  if (!timingSafeEqual(bytes.subarray(BODY_BYTES), macOf(vault, body))) throw new NotevaultError('invalid_cursor');
  const hex = body.toString('hex', 8);
  const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return { deletedAt: Number(body.readBigUInt64BE(0)), id };
}

function macOf(vault: OpenVault, body: Buffer): Buffer {
  return vault.key.mac('trash cursor', body.toString('latin1')).subarray(0, MAC_BYTES);
}
