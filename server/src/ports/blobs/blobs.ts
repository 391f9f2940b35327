import { Readable } from 'node:stream';
import { type BlobId, type EpochMs, NIL_UUID, parseUuid, type VaultId } from '@notevault/protocol/values/ids.ts';
import type { Clock } from '../clock/clock.ts';

/** The key of a blob: its vault, and an id made for this blob only. Both are UUIDs in lower case. */
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
 * A store for large values, which the database would handle badly. A blob is written once as a stream and never
 * changed. Its bytes arrive sealed (`SealingKey.sealStream`), so the store cannot read them.
 *
 * Every failure rejects with a BlobError, except errors that a source throws: these are passed through. No member holds
 * a whole blob in memory.
 */
export interface Blobs extends AsyncDisposable {
  /**
   * Stores all of `bytes` under a new key; a piece is no longer used when the next one is requested. When it resolves,
   * the bytes survive a power cut; until then they can be neither read nor listed. When the source throws or storing
   * fails, it rejects and stores nothing. If the process is killed meanwhile, unreachable data may remain; the adapter
   * removes it by itself within a day.
   */
  put(key: BlobKey, bytes: AsyncIterable<Uint8Array>): Promise<void>;
  /**
   * Returns the bytes of a range (all by default; bytes past the end are left out), or null when there is no such blob.
   * Must be iterated at once, to the end or until `return`, because it may hold a file open; the next piece may
   * overwrite the previous one. When the blob is deleted meanwhile, the iteration either reaches the true end or throws
   * BlobError `gone`; it never ends early without an error.
   */
  read(key: BlobKey, range?: ByteRange): Promise<AsyncIterable<Uint8Array> | null>;
  /** Removes these blobs; missing ones are ignored. */
  delete(keys: readonly BlobKey[]): Promise<void>;
  /** Every blob, of one vault or of all, in pages of at most LIST_PAGE. Those put or deleted meanwhile may be missing. */
  list(vaultId?: VaultId): AsyncIterable<readonly StoredBlob[]>;
  /** Removes a part of a vault's blobs, at most some seconds of work; resolves to true when more are left. */
  deleteVault(vaultId: VaultId): Promise<boolean>;
}

export interface StoredBlob {
  readonly key: BlobKey;
  /** The time just before its put resolved. */
  readonly storedAt: EpochMs;
}

export const LIST_PAGE = 1000;

/** Throws unless the key consists of UUIDs: keys become parts of file names and URLs, so anything else is a bug. */
export function checkKey({ vaultId, blobId }: BlobKey): void {
  checkUuid(vaultId);
  checkUuid(blobId);
}

export function checkUuid(id: string): void {
  if (parseUuid(id) !== id) throw new TypeError('the key of a blob must consist of UUIDs in lower case');
}

/** Vault id of probe blobs, by which those of a killed process are found and removed. */
const PROBE_VAULT = NIL_UUID as VaultId;
const PROBE_BYTES = 1000;

/** Writes a small blob, reads it back and deletes it. Rejects with a BlobError that says which step failed. */
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
 * An error of the blob store: try again later (`unavailable`), when there is more space (`full`), or never, because the
 * blob was deleted while it was read (`gone`). The message is for operators.
 */
export class BlobError extends Error {
  override readonly name = 'BlobError';
  readonly code: 'unavailable' | 'full' | 'gone';
  constructor(code: 'unavailable' | 'full' | 'gone', message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}
