import { Readable } from 'node:stream';
import { type BlobId, type EpochMs, parseUuid, type VaultId } from '@notevault/protocol/ids.ts';
import type { Clock } from '../clock/clock.ts';

/** Where a blob is kept: its vault's, under an id made for it alone. Both are UUIDs in lower case. */
export interface BlobKey {
  readonly vaultId: VaultId;
  readonly blobId: BlobId;
}

/** Bytes from `start` up to, not including, `end`. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Large values that the database would carry badly: written once as a stream, never changed. What comes in is sealed
 * already (`SealingKey.sealStream`); nothing here can read it.
 *
 * Whatever fails rejects with a BlobError, but for what a source throws: that goes through as it is. None of the members
 * ever holds a whole blob in memory.
 */
export interface Blobs extends AsyncDisposable {
  /**
   * Keeps all of `bytes` (each piece is done with when the next is asked for) under a key that no put was given before. When it resolves, they survive a power cut; until
   * then nobody can read or list them. When the source throws or storing fails, it rejects and nothing is kept. A process
   * killed meanwhile leaves what only takes room; the adapter finds and removes that itself, at the latest a day later.
   */
  put(key: BlobKey, bytes: AsyncIterable<Uint8Array>): Promise<void>;
  /**
   * The bytes of a range (all, by default; what is past the end is left out), or null when there is no such blob. Must be
   * iterated at once, to the end or until `return`, for it may hold a file open; the next piece may overwrite the one before. When the blob is deleted
   * meanwhile, iterating goes on to the true end or throws BlobError `gone`; it never ends early as if that were all.
   */
  read(key: BlobKey, range?: ByteRange): Promise<AsyncIterable<Uint8Array> | null>;
  /** Removes these blobs; those that are not there are left out. */
  delete(keys: readonly BlobKey[]): Promise<void>;
  /** Every blob, of one vault or of all, in pages of at most LIST_PAGE; those put or deleted meanwhile may be in it or not. */
  list(vaultId?: VaultId): AsyncIterable<readonly StoredBlob[]>;
  /** Removes a part of what a vault has here, at most some seconds of work; true when more is left. */
  deleteVault(vaultId: VaultId): Promise<boolean>;
}

export interface StoredBlob {
  readonly key: BlobKey;
  /** When its put was about to resolve. */
  readonly storedAt: EpochMs;
}

export const LIST_PAGE = 1000;

/** Keys become parts of file names and addresses: one that is not made of UUIDs is a bug, and never gets there. */
export function checkKey({ vaultId, blobId }: BlobKey): void {
  checkUuid(vaultId);
  checkUuid(blobId);
}

export function checkUuid(id: string): void {
  if (parseUuid(id) !== id) throw new TypeError('blobs are kept under UUIDs in lower case');
}

/** No vault has this id: what a probe left when it was killed is found by whoever looks for blobs without a vault. */
const PROBE_VAULT = '00000000-0000-0000-0000-000000000000' as VaultId;
const PROBE_BYTES = 1000;

/** Writes a small blob, reads it back, and deletes it. Rejects with a BlobError that says what does not work. */
export async function probeBlobs(blobs: Blobs, clock: Clock): Promise<void> {
  const key: BlobKey = { vaultId: PROBE_VAULT, blobId: clock.uuid() as BlobId };
  const written = clock.random(PROBE_BYTES);
  await blobs.put(key, Readable.from([written]));
  const found = await blobs.read(key);
  const bytes = found === null ? [] : await Array.fromAsync(found, (piece) => Buffer.from(piece));
  if (!Buffer.concat(bytes).equals(written)) {
    throw new BlobError('unavailable', 'A blob was written, but what is read back is not what was written.');
  }
  await blobs.delete([key]);
  if ((await blobs.read(key)) !== null) {
    throw new BlobError('unavailable', 'A blob was deleted, but is still there.');
  }
}

/**
 * Storage cannot do what was asked: not now (`unavailable`), not before room is made (`full`), or never, as the blob was
 * deleted while it was read (`gone`). The message is for operators.
 */
export class BlobError extends Error {
  override readonly name = 'BlobError';
  readonly code: 'unavailable' | 'full' | 'gone';
  constructor(code: 'unavailable' | 'full' | 'gone', message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}
