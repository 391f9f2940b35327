import type { KeyObject } from 'node:crypto';
import type { ByteRange } from '../blobs/blobs.ts';

/**
 * The master key and what it wraps. Nobody outside this folder sees key bytes.
 *
 * Each owner (a vault, a user, the server itself) has one random data key, wrapped by the master key and stored by the
 * caller. From it come subkeys by HKDF-SHA-256 (RFC 5869): one per generation for sealing, one per purpose for blinding.
 */
export interface Keyring {
  /** Names the master key without telling it, so that a wrapped key can say which one opens it. */
  readonly masterKeyId: string;
  /** A new data key for an owner, wrapped: AES-256-GCM under the master key, bound to the owner. */
  createDataKey(owner: KeyOwner): WrappedKey;
  /** The owner's keys; `generation` is the one new seals use. Throws KeyringError `wrong_master_key` or `damaged_key`. */
  openDataKey(owner: KeyOwner, wrapped: WrappedKey, generation: number): SealingKey;
  /** The same data key wrapped by `to`'s master key. Throws as openDataKey. */
  rewrap(owner: KeyOwner, wrapped: WrappedKey, to: Keyring): WrappedKey;
}

export interface KeyOwner {
  readonly kind: 'server' | 'user' | 'vault';
  readonly id: string;
}

export interface WrappedKey {
  readonly masterKeyId: string;
  readonly bytes: Buffer;
}

/** Where a sealed value stands; it opens nowhere else. None of its words holds a NUL. */
export interface SealContext {
  /** What kind of value it is, usually `table.column`. */
  readonly kind: string;
  /** The row's id. */
  readonly row: string;
  /** Grows with each writing of the row where an older value must not pass for a newer one; else 0. */
  readonly version: number;
}

export interface SealingKey {
  /** Seals `plain` (compressed first when that helps) with AES-256-GCM (NIST SP 800-38D), bound to the owner and `place`. */
  seal(context: SealContext, plain: Uint8Array): Buffer;
  /** What was sealed at `place`. Throws KeyringError `damaged_value` for changed bytes, another place or another owner. */
  open(context: SealContext, sealed: Uint8Array): Buffer;
  /**
   * Seals a value of any size as a stream of `sealedSize` bytes, bound to the owner and `place`: one that cannot be cut,
   * reordered or mixed with another, of which any part can be opened alone. Not compressed. Takes and gives a chunk at a
   * time, each in the same buffer as the one before; what `plain` throws goes through.
   */
  sealStream(context: SealContext, plain: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
  /**
   * A part of what was sealed as a stream of `size` plain bytes, of which only the chunks that hold the part are read.
   * Resolves once the first of them is open, so that damage there shows before anything is passed on. Rejects, or throws
   * while it is iterated, KeyringError `damaged_value` for missing or changed bytes, another place, owner or size.
   * Whoever does not iterate it must `return` it.
   */
  openStream(
    context: SealContext,
    size: number,
    range: ByteRange,
    read: SealedReader,
  ): Promise<AsyncIterableIterator<Uint8Array>>;
  /** A 16-byte blind index of `value`: HMAC-SHA-256 under the purpose's subkey, truncated. Equal values, equal bytes. */
  blind(purpose: string, value: string): Buffer;
  /** A full 32-byte HMAC-SHA-256 under the purpose's subkey. */
  mac(purpose: string, value: string): Buffer;
  /** What a thread of this process opens these keys with; it may seal so many values. The key bytes stay hidden. */
  share(seals: number): SharedKey;
}

/** A data key on its way to another thread. It can be posted, and neither printed nor written to JSON. */
export interface SharedKey {
  readonly owner: KeyOwner;
  readonly generation: number;
  readonly dataKey: KeyObject;
}

/** Gives the sealed bytes of a range, or null when there are none at all. */
export type SealedReader = (range: ByteRange) => Promise<AsyncIterable<Uint8Array> | null>;

/** What one chunk of a sealed stream holds; the last holds less, and is the only one of an empty value. */
export const STREAM_CHUNK_BYTES = 64 * 1024;
/** Format (1), key generation (4), salt (32). */
export const STREAM_HEADER_BYTES = 37;
/** The authentication tag that ends each chunk. */
export const STREAM_TAG_BYTES = 16;

/** How many bytes `sealStream` makes of `plainSize`. */
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
