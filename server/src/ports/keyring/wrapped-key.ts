import { argon2, createCipheriv, createDecipheriv } from 'node:crypto';
import { promisify } from 'node:util';
import { KeyringError } from './keyring.ts';

/** A master key under a passphrase; the bytes are in base64. */
export interface PassphraseWrapped {
  readonly kdf: 'argon2id';
  /** Memory in KiB. */
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
  readonly salt: string;
  readonly iv: string;
  readonly sealed: string;
}

/** RFC 9106's second choice: 64 MiB, three passes. A passphrase guards everything, and is used rarely. */
const COST = { memory: 65_536, passes: 3, parallelism: 4 };
const SALT_BYTES = 16;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
const CHARACTERS_MIN = 12;
const BOUND = Buffer.from('notevault master key in a backup');

const derive = promisify(argon2);

/** Seals a master key under a passphrase. Throws KeyringError for one that is too short. */
export async function wrapKey(
  masterKey: Buffer,
  passphrase: string,
  random: (count: number) => Buffer,
): Promise<PassphraseWrapped> {
  if ([...passphrase].length < CHARACTERS_MIN) {
    throw new KeyringError(
      'unusable_master_key',
      `The passphrase guards the master key, and with it every note: take ${CHARACTERS_MIN} characters or more.`,
    );
  }
  const salt = random(SALT_BYTES);
  const iv = random(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', await keyOf(passphrase, salt, COST), iv);
  cipher.setAAD(BOUND);
  const sealed = Buffer.concat([cipher.update(masterKey), cipher.final(), cipher.getAuthTag()]);
  const text = (bytes: Buffer) => bytes.toString('base64');
  return { kdf: 'argon2id', ...COST, salt: text(salt), iv: text(iv), sealed: text(sealed) };
}

/** Opens what wrapKey sealed. Throws KeyringError for another passphrase. */
export async function unwrapKey(wrapped: PassphraseWrapped, passphrase: string): Promise<Buffer> {
  const bytes = (text: string) => Buffer.from(text, 'base64');
  const key = await keyOf(passphrase, bytes(wrapped.salt), wrapped);
  const sealed = bytes(wrapped.sealed);
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, bytes(wrapped.iv), { authTagLength: TAG_BYTES });
    decipher.setAAD(BOUND);
    decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
    return Buffer.concat([decipher.update(sealed.subarray(0, -TAG_BYTES)), decipher.final()]);
  } catch (cause) {
    throw new KeyringError('unusable_master_key', 'The passphrase does not open the master key.', cause);
  }
}

async function keyOf(passphrase: string, nonce: Buffer, cost: typeof COST): Promise<Buffer> {
  const { memory, passes, parallelism } = cost;
  // Depending on the device, the same letters are typed composed or decomposed.
  const message = passphrase.normalize('NFKC');
  return (await derive('argon2id', { message, nonce, memory, passes, parallelism, tagLength: KEY_BYTES })) as Buffer;
}
