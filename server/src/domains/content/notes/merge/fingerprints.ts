import { hash } from 'node:crypto';
import type { OpenVault } from '../../vaults/vaults.ts';

/**
 * The versioned writes of a note: their fingerprints, and the boundaries between their insertions in the document, so
 * that a merge can compare each write separately.
 *
 * Fingerprints detect repeats of versioned writes: a client that lost the answer sends the write again, perhaps days
 * later and without an idempotency key, when its text may have been edited or deleted since.
 */

/** Length of a truncated keyed hash: among a few thousand, a collision is as unlikely as a disk error. */
const FINGERPRINT_BYTES = 8;

/** Maximum number of fingerprints per note, the newest ones: 32 KB. */
export const FINGERPRINTS_MAX = 4096;

/**
 * Maximum number of boundaries per note, the newest ones: 16 KB. Everything inserted before them counts as one write.
 */
export const BOUNDARIES_MAX = 2048;

/** Each boundary is a clock, which grows with everything ever inserted. */
const BOUNDARY_BYTES = 8;

/**
 * The first byte, the client id of the writes, and the number of fingerprints. Before version 0.3 a list had no header
 * and no boundaries, and therefore a length that is a multiple of eight.
 */
const HEADER_BYTES = 9;
const FORMAT = 1;

/** The clocks of the server's client id that a write inserted into the document. */
export interface InsertedClocks {
  readonly client: number;
  readonly from: number;
  readonly to: number;
}

/** A write that names the version on which it is based. */
export interface VersionedWrite {
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
  const textHash = hash('sha256', text, 'hex');
  const value = `${id}:${base}:${base < next ? 'issued' : 'foreign'}:${textHash}`;
  return key.blind('versioned write', value).subarray(0, FINGERPRINT_BYTES);
}

interface WriteList {
  readonly client: number;
  readonly fingerprints: Buffer;
  readonly boundaries: Buffer;
}

function read(list: Buffer | null): WriteList {
  if (list === null || list.length % FINGERPRINT_BYTES === 0) {
    return { client: 0, fingerprints: list ?? Buffer.alloc(0), boundaries: Buffer.alloc(0) };
  }
  const end = HEADER_BYTES + list.readUInt32BE(5) * FINGERPRINT_BYTES;
  return {
    client: list.readUInt32BE(1),
    fingerprints: list.subarray(HEADER_BYTES, end),
    boundaries: list.subarray(end),
  };
}

export function hasFingerprint(list: Buffer | null, fingerprint: Buffer): boolean {
  const { fingerprints } = read(list);
  for (let at = fingerprints.indexOf(fingerprint); at !== -1; at = fingerprints.indexOf(fingerprint, at + 1)) {
    if (at % FINGERPRINT_BYTES === 0) return true;
  }
  return false;
}

/** Returns the clocks of a client id at which one write ended and another began, in order. */
export function boundariesOf(list: Buffer | null, client: number): number[] {
  const { client: known, boundaries } = read(list);
  if (known !== client) return [];
  const count = boundaries.length / BOUNDARY_BYTES;
  return Array.from({ length: count }, (_, index) => boundaries.readDoubleBE(index * BOUNDARY_BYTES));
}

/** Returns the list with one more write, without the oldest if it would be too long. */
export function addWrite(list: Buffer | null, fingerprint: Buffer, inserted: InsertedClocks | null): Buffer {
  const known = read(list);
  const fingerprints = Buffer.concat([known.fingerprints, fingerprint]).subarray(-FINGERPRINTS_MAX * FINGERPRINT_BYTES);
  const boundaries = inserted === null ? known.boundaries : withBoundaries(known, inserted);
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt8(FORMAT, 0);
  header.writeUInt32BE(inserted?.client ?? known.client, 1);
  header.writeUInt32BE(fingerprints.length / FINGERPRINT_BYTES, 5);
  return Buffer.concat([header, fingerprints, boundaries]);
}

/** Adds where a write began and ended. After a restore from a backup the server has another client id in documents. */
function withBoundaries({ client, boundaries }: WriteList, inserted: InsertedClocks): Buffer {
  const known = client === inserted.client ? boundaries : Buffer.alloc(0);
  const last = known.length === 0 ? -1 : known.readDoubleBE(known.length - BOUNDARY_BYTES);
  const added = [inserted.from, inserted.to].filter(
    (clock, index, all) => clock > Math.max(last, all[index - 1] ?? -1),
  );
  const bytes = Buffer.alloc(added.length * BOUNDARY_BYTES);
  for (const [index, clock] of added.entries()) bytes.writeDoubleBE(clock, index * BOUNDARY_BYTES);
  return Buffer.concat([known, bytes]).subarray(-BOUNDARIES_MAX * BOUNDARY_BYTES);
}
