import { createCipheriv, createDecipheriv, createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { type KeyOwner, type Keyring, KeyringError, type WrappedKey } from './keyring.ts';
import { sealingKey, subkey } from './sealing.ts';

export const MASTER_KEY_BYTES = 32;
const DATA_KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;

export class MasterKeyring implements Keyring {
  readonly masterKeyId: string;
  readonly #masterKey: KeyObject;
  readonly #wrapKey: KeyObject;
  readonly #random: (bytes: number) => Buffer;

  /**
   * @param masterKey 32 bytes; throws KeyringError `unusable_master_key` otherwise.
   * @param random returns unpredictable bytes.
   */
  constructor(masterKey: Buffer, random: (bytes: number) => Buffer) {
    if (masterKey.length !== MASTER_KEY_BYTES) {
      throw new KeyringError(
        'unusable_master_key',
        `A master key has ${MASTER_KEY_BYTES} bytes, this one ${masterKey.length}.`,
      );
    }
    this.#masterKey = createSecretKey(masterKey);
    this.#wrapKey = subkey(masterKey, 'notevault wrap data keys');
    this.masterKeyId = subkey(masterKey, 'notevault name master key').export().subarray(0, 8).toString('hex');
    this.#random = random;
  }

  createDataKey(owner: KeyOwner): WrappedKey {
    return this.#wrap(owner, this.#random(DATA_KEY_BYTES));
  }

  openDataKey(owner: KeyOwner, wrapped: WrappedKey, generation: number) {
    return sealingKey(this.#unwrap(owner, wrapped), owner, generation, this.#random);
  }

  rewrap(owner: KeyOwner, wrapped: WrappedKey, to: Keyring): WrappedKey {
    if (!(to instanceof MasterKeyring))
      throw new TypeError('data keys can be rewrapped only for a keyring that holds its master key');
    return to.#wrap(owner, this.#unwrap(owner, wrapped));
  }

  mac(purpose: string, text: string): Buffer {
    return createHmac('sha256', subkey(this.#masterKey, `notevault mac ${purpose}`))
      .update(text, 'utf8')
      .digest();
  }

  #wrap(owner: KeyOwner, dataKey: Buffer): WrappedKey {
    const iv = this.#random(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#wrapKey, iv);
    cipher.setAAD(boundTo(owner));
    const bytes = Buffer.concat([iv, cipher.update(dataKey), cipher.final(), cipher.getAuthTag()]);
    return { masterKeyId: this.masterKeyId, bytes };
  }

  #unwrap(owner: KeyOwner, wrapped: WrappedKey): Buffer {
    if (wrapped.masterKeyId !== this.masterKeyId) {
      throw new KeyringError(
        'wrong_master_key',
        `The data was sealed under master key ${wrapped.masterKeyId}, but the key given is ${this.masterKeyId}.`,
      );
    }
    try {
      const iv = wrapped.bytes.subarray(0, IV_BYTES);
      const decipher = createDecipheriv('aes-256-gcm', this.#wrapKey, iv, { authTagLength: TAG_BYTES });
      decipher.setAAD(boundTo(owner));
      decipher.setAuthTag(wrapped.bytes.subarray(-TAG_BYTES));
      return Buffer.concat([decipher.update(wrapped.bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
    } catch (cause) {
      throw new KeyringError('damaged_key', `The data key of ${owner.kind} ${owner.id} cannot be opened.`, cause);
    }
  }
}

function boundTo(owner: KeyOwner): Buffer {
  return Buffer.from(`${owner.kind}\0${owner.id}`, 'utf8');
}
