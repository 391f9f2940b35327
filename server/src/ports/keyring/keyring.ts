import type { KeyObject } from 'node:crypto';
import type { ByteRange } from '../blobs/blobs.ts';

/**
 * Holds the master key and opens the keys it wraps. No code outside this folder sees key bytes.
 *
 * Each owner (a vault, a user, the server itself) has one random data key, wrapped by the master key and stored by the
 * caller. Subkeys are derived from it by HKDF-SHA-256 (RFC 5869): one per generation for sealing, one per purpose for
 * blinding.
 */
export interface Keyring {
  /** Identifies the master key without revealing it; a wrapped key names the master key that opens it. */
  readonly masterKeyId: string;
  /** Creates a data key for an owner, wrapped: AES-256-GCM under the master key, bound to the owner. */
  createDataKey(owner: KeyOwner): WrappedKey;
  /** New values are sealed with `generation`. Throws KeyringError `wrong_master_key` or `damaged_key`. */
  openDataKey(owner: KeyOwner, wrapped: WrappedKey, generation: number): SealingKey;
  /** Wraps the same data key by the master key of `to`. Throws like openDataKey. */
  rewrap(owner: KeyOwner, wrapped: WrappedKey, to: Keyring): WrappedKey;
  /** Returns a 32-byte HMAC-SHA-256 under a subkey of the master key, which proves that its writer had that key. */
  mac(purpose: string, text: string): Buffer;
}

export interface KeyOwner {
  readonly kind: 'server' | 'user' | 'vault';
  readonly id: string;
}

export interface WrappedKey {
  readonly masterKeyId: string;
  readonly bytes: Buffer;
}

/** The context that a sealed value is bound to; it opens in no other. None of the texts may contain NUL. */
export interface SealContext {
  /** The kind of value, usually `table.column`. */
  readonly kind: string;
  readonly row: string;
  /** Increases with each write of the row if an older value must not pass for a newer one; else 0. */
  readonly version: number;
}

export interface SealingKey {
  /**
   * Seals with AES-256-GCM (NIST SP 800-38D), bound to the owner and `context`; compresses first if that saves bytes.
   */
  seal(context: SealContext, plain: Uint8Array): Buffer;
  /** Throws KeyringError `damaged_value` for changed bytes, another context or another owner. */
  open(context: SealContext, sealed: Uint8Array): Buffer;
  /**
   * Seals a value of any size as a stream of `sealedSize` bytes, bound to the owner and `context`. The stream cannot be
   * truncated, reordered or mixed with another, and any part of it can be opened alone. Not compressed. Yields some
   * chunks at a time, in a buffer that the next ones overwrite; errors of `plain` are passed through.
   */
  sealStream(context: SealContext, plain: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
  /**
   * Opens a part of a sealed stream of `size` plain bytes, reading only the chunks that contain the part. Resolves when
   * the first chunk is open, so that damage there is detected before anything is passed on. Rejects, or throws during
   * iteration, KeyringError `damaged_value` for missing or changed bytes, another context, owner or size. A caller that
   * does not iterate it must call `return`.
   */
  openStream(
    context: SealContext,
    size: number,
    range: ByteRange,
    read: SealedReader,
  ): Promise<AsyncIterableIterator<Uint8Array>>;
  /** A blind index, 16 bytes: HMAC-SHA-256 under the purpose's subkey, truncated. Equal values have equal indexes. */
  blind(purpose: string, value: string): Buffer;
  /** A full 32-byte HMAC-SHA-256 under the purpose's subkey. */
  mac(purpose: string, value: string): Buffer;
  /** Returns a key for another thread, which may seal at most `seals` values; its bytes stay hidden. */
  share(seals: number): SharedKey;
}

/** A data key on its way to another thread. It can be posted, but neither printed nor written to JSON. */
export interface SharedKey {
  readonly owner: KeyOwner;
  readonly generation: number;
  readonly dataKey: KeyObject;
}

/** Returns the sealed bytes of a range, or null when there is no such value. */
export type SealedReader = (range: ByteRange) => Promise<AsyncIterable<Uint8Array> | null>;

/** Plain bytes of one chunk of a sealed stream; the last chunk has fewer, and is the only one of an empty value. */
export const STREAM_CHUNK_BYTES = 64 * 1024;
/** Bytes of the header: format (1), key generation (4), salt (32). */
export const STREAM_HEADER_BYTES = 37;
/** Bytes of the authentication tag that ends each chunk. */
export const STREAM_TAG_BYTES = 16;

/** The size of the stream that `sealStream` makes of `plainSize` bytes. */
export function sealedSize(plainSize: number): number {
  const chunks = Math.max(1, Math.ceil(plainSize / STREAM_CHUNK_BYTES));
  return STREAM_HEADER_BYTES + plainSize + chunks * STREAM_TAG_BYTES;
}

export type KeyringErrorCode =
  | 'wrong_master_key'
  | 'damaged_key'
  | 'damaged_value'
  | 'unknown_format'
  | 'unusable_master_key';

export class KeyringError extends Error {
  override readonly name = 'KeyringError';
  readonly code: KeyringErrorCode;
  constructor(code: KeyringErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}
