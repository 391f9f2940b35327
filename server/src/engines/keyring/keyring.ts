/**
 * Keys and what is done with them. Nobody outside this folder sees key bytes.
 *
 * One random data key per owner (a vault or a user), wrapped by the master key and stored by the caller. From it come
 * subkeys by HKDF-SHA-256 (RFC 5869): one per purpose and generation for sealing, one per purpose for blinding.
 */
export interface Keyring {
  /** Names the master key (a short hash of it), so that a wrapped key can say which one opens it. */
  readonly masterKeyId: string;
  /** A new data key for an owner, wrapped: AES-256-GCM under the master key, bound to the owner. */
  createDataKey(owner: KeyOwner): WrappedKey;
  /** The owner's keys. Throws KeyringError `wrong_master_key` or `damaged_key`. */
  openDataKey(owner: KeyOwner, wrapped: WrappedKey): SealingKey;
  /** The same data key wrapped by this keyring's master key, for rotation. `from` opens it. */
  rewrap(owner: KeyOwner, wrapped: WrappedKey, from: Keyring): WrappedKey;
  /** Keys of the server itself (not of a vault or user), derived from the master key by purpose. */
  readonly server: SealingKey;
}

export interface KeyOwner {
  readonly kind: 'vault' | 'user';
  readonly id: string;
}

export interface WrappedKey {
  readonly masterKeyId: string;
  readonly bytes: Buffer;
}

/** Where a sealed value stands: it opens nowhere else. `version` is what changes when the row is written again, or 0. */
export interface Place {
  readonly table: string;
  readonly owner: string;
  readonly row: string;
  readonly column: string;
  readonly version: number;
}

export interface SealingKey {
  /** AES-256-GCM (NIST SP 800-38D) over `plain`, compressed (zstd) first when that helps; bound to `place`. */
  seal(place: Place, plain: Uint8Array): Buffer;
  /** What was sealed at `place`. Throws KeyringError `damaged_value` for changed bytes or another place. */
  open(place: Place, sealed: Uint8Array): Buffer;
  /** A 16-byte blind index of `value`: HMAC-SHA-256 under the purpose's subkey, truncated. Equal values, equal bytes. */
  blind(purpose: string, value: string): Buffer;
}

export class KeyringError extends Error {
  override readonly name = 'KeyringError';
  readonly code: 'wrong_master_key' | 'damaged_key' | 'damaged_value' | 'unusable_master_key';
  constructor(code: KeyringError['code'], message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}
