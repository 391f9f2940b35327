import { createHash } from 'node:crypto';
import type { OpenVault } from '../../vaults/vaults.ts';

/**
 * Fingerprints recognize a repeated write that names a version: a client that lost the answer sends the write again,
 * perhaps days later and without an idempotency key, when its text may have been edited or deleted since.
 */

/**
 * Bytes of a keyed hash. Few suffice: a note has a few thousand fingerprints, and a collision is as likely as a disk
 * error.
 */
const FINGERPRINT_BYTES = 8;

/** Maximum number of fingerprints per note, the newest ones: 32 KB. */
export const FINGERPRINTS_MAX = 4096;

/** A write that names the version on which it is based. */
export interface VersionedWrite {
  /** The base version. */
  readonly base: number;
  readonly text: string;
}

/**
 * Returns the fingerprint of a write, for the list of a note. It is a blind value, so that a stolen list cannot confirm
 * a guessed text.
 *
 * @param next the version that the write makes, or that the next one would. A base that is not below it was never
 * issued by the note; once it is issued, a write that names it is a different one.
 */
export function fingerprintOf(
  { key }: Pick<OpenVault, 'key'>,
  id: string,
  { base, text }: VersionedWrite,
  next: number,
): Buffer {
  const hash = createHash('sha256').update(text, 'utf8').digest('hex');
  const value = `${id}:${base}:${base < next ? 'issued' : 'foreign'}:${hash}`;
  return key.blind('versioned write', value).subarray(0, FINGERPRINT_BYTES);
}

/** Whether a list contains a fingerprint. */
export function hasFingerprint(list: Buffer | null, fingerprint: Buffer): boolean {
  if (list === null) return false;
  for (let at = list.indexOf(fingerprint); at !== -1; at = list.indexOf(fingerprint, at + 1)) {
    if (at % FINGERPRINT_BYTES === 0) return true;
  }
  return false;
}

/** Returns the list with one more fingerprint, without the oldest if it would be too long. */
export function addFingerprint(list: Buffer | null, fingerprint: Buffer): Buffer {
  return Buffer.concat([list ?? Buffer.alloc(0), fingerprint]).subarray(-FINGERPRINTS_MAX * FINGERPRINT_BYTES);
}
