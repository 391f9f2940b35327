import { createHash } from 'node:crypto';
import type { OpenVault } from '../vaults/vaults.ts';

/*
 * By which a write that named a version is known again: a client whose answer was lost sends it a second time, perhaps days
 * later and without an idempotency key, and what it brought may have been edited or deleted since.
 */

/** So few bytes of a keyed hash: a note has a few thousand of them, and two alike are as likely as a fault of the disk. */
const FINGERPRINT_BYTES = 8;

/** Fingerprints that a note keeps, the newest: 32 KB. */
export const FINGERPRINTS_MAX = 4096;

/** A write that names the version it was edited from. */
export interface VersionedWrite {
  /** The version named. */
  readonly base: number;
  readonly text: string;
}

/**
 * The fingerprint of a write, in the list of a note: a blind value, so that a stolen list tells no guess at a text.
 *
 * @param next the version that the write makes, or that the next one would. A base that is not below it was never issued by
 * the note, and once it is, a write that names it is another one.
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

/** Whether a list has a fingerprint. */
export function hasFingerprint(list: Buffer | null, fingerprint: Buffer): boolean {
  if (list === null) return false;
  for (let at = list.indexOf(fingerprint); at !== -1; at = list.indexOf(fingerprint, at + 1)) {
    if (at % FINGERPRINT_BYTES === 0) return true;
  }
  return false;
}

/** The list with one more fingerprint, without the oldest where that would be too many. */
export function addFingerprint(list: Buffer | null, fingerprint: Buffer): Buffer {
  return Buffer.concat([list ?? Buffer.alloc(0), fingerprint]).subarray(-FINGERPRINTS_MAX * FINGERPRINT_BYTES);
}
