import { timingSafeEqual } from 'node:crypto';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { Seq } from '@notevault/protocol/values/ids.ts';
import type { FeedState, OpenVault } from '../vaults/vaults.ts';

/** A position in a vault's change feed. */
export interface Position {
  /** The seq of the last row read; 0 before the first. */
  readonly seq: Seq;
  /**
   * The vault's floor when the reader started from the beginning, else 0. Tombstones up to it were already dropped, and
   * the reader cannot have their rows.
   */
  readonly base: Seq;
}

/**
 * Returns the seq up to which tombstones may be dropped for a reader at a position: it has applied them or never had
 * their rows.
 */
export function appliedBy({ seq, base }: Position): Seq {
  return seq > base ? seq : base;
}

const FORMAT = 1;
/** Format (1 byte), feed epoch (4), seq (8), base (8); then the MAC. */
const BODY_BYTES = 21;
const MAC_BYTES = 12;
const TEXT_LENGTH = ((BODY_BYTES + MAC_BYTES) * 4) / 3;

/** Returns the position as an opaque cursor, valid only for this vault. */
export function cursorOf(vault: OpenVault, { seq, base }: Position): string {
  const body = Buffer.alloc(BODY_BYTES);
  body.writeUInt8(FORMAT, 0);
  body.writeUInt32BE(vault.feedEpoch, 1);
  body.writeBigUInt64BE(BigInt(seq), 5);
  body.writeBigUInt64BE(BigInt(base), 13);
  return Buffer.concat([body, macOf(vault, body)]).toString('base64url');
}

/**
 * Returns the position of a client's cursor. Throws `invalid_cursor` for a cursor that this vault did not issue, and
 * `history_expired` for a position after which changes may be missing.
 */
export function positionOf(vault: OpenVault, cursor: string, { changeSeq, floorSeq }: FeedState): Position {
  const bytes = Buffer.from(cursor, 'base64url');
  // Decoding ignores invalid base64 characters: only the exact text that was issued is accepted.
  if (cursor.length !== TEXT_LENGTH || bytes.toString('base64url') !== cursor)
    throw new NotevaultError('invalid_cursor');
  const body = bytes.subarray(0, BODY_BYTES);
  if (!timingSafeEqual(bytes.subarray(BODY_BYTES), macOf(vault, body))) throw new NotevaultError('invalid_cursor');
  const [seq, base] = [Number(body.readBigUInt64BE(5)) as Seq, Number(body.readBigUInt64BE(13)) as Seq];
  const position = { seq, base };
  const expired = body.readUInt32BE(1) !== vault.feedEpoch || seq > changeSeq || appliedBy(position) < floorSeq;
  if (expired) throw new NotevaultError('history_expired');
  return position;
}

function macOf(vault: OpenVault, body: Buffer): Buffer {
  return vault.key.mac('feed cursor', body.toString('latin1')).subarray(0, MAC_BYTES);
}
