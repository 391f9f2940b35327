import { argon2, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import { FairSemaphore } from '../../../concurrency/semaphore.ts';
import { currentTenant } from '../../../concurrency/tenant.ts';
import { PASSWORD_HASHES } from '../../../config/limits.ts';

/** The cost of a hash for an attacker; memory in KiB. */
export interface PasswordCost {
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
}

/** OWASP's second choice for argon2id (Password Storage Cheat Sheet): 19 MiB, two passes, one lane. */
export const PASSWORD_COST: PasswordCost = { memory: 19_456, passes: 2, parallelism: 1 };
const SALT_BYTES = 16;
const HASH_BYTES = 32;
const CHARACTERS_MIN = 8;
const BYTES_MAX = 256;

const argon2Async = promisify(argon2);

/** Argon2id hashes in PHC strings, few at once, shared fairly between callers. */
export interface Passwords {
  hash(password: string): Promise<string>;
  /** Takes the same time without a stored hash, so that it does not reveal which accounts exist. */
  verify(password: string, encoded: string | null): Promise<boolean>;
}

/** Throws `password_too_short` or `password_too_long`. */
export function checkPassword(password: string): void {
  if ([...password].length < CHARACTERS_MIN) throw new NotevaultError('password_too_short');
  checkPasswordLength(password);
}

/** Throws `password_too_long` for a password that no check would accept. */
export function checkPasswordLength(password: string): void {
  if (Buffer.byteLength(password) > BYTES_MAX) throw new NotevaultError('password_too_long');
}

/** @param cost of new hashes, and of the check for an account that does not exist. Stored hashes have their own. */
export function createPasswords(
  random: (count: number) => Buffer,
  cost: PasswordCost = PASSWORD_COST,
  derivation: typeof argon2Async = argon2Async,
): Passwords {
  const turns = new FairSemaphore(PASSWORD_HASHES);
  const derive = (password: string, nonce: Buffer, cost: PasswordCost) => {
    // Depending on the device, the same letters are typed composed or decomposed.
    const input = { message: password.normalize('NFC'), nonce, tagLength: HASH_BYTES, ...cost };
    return turns.run(currentTenant(), () => derivation('argon2id', input));
  };

  return {
    async hash(password) {
      const salt = random(SALT_BYTES);
      return encode(salt, await derive(password, salt, cost), cost);
    },
    async verify(password, encoded) {
      // No stored password is over the limit, so a longer text is wrong; hashing it would only cost time.
      const tooLong = Buffer.byteLength(password) > BYTES_MAX;
      const stored = encoded === null ? null : decode(encoded);
      const { salt, cost: paid } = stored ?? { salt: Buffer.alloc(SALT_BYTES), cost };
      const hash = await derive(tooLong ? '' : password, salt, paid);
      return stored !== null && !tooLong && timingSafeEqual(hash, stored.hash);
    },
  };
}

const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

/** Encodes a PHC string: base64 without padding, version 19 (0x13). */
function encode(salt: Buffer, hash: Buffer, { memory, passes, parallelism }: PasswordCost): string {
  const plain = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${plain(salt)}$${plain(hash)}`;
}

function decode(encoded: string) {
  const match = PHC.exec(encoded);
  if (match === null) throw new Error('a stored password hash is not an argon2id PHC string');
  const [, memory, passes, parallelism, salt = '', hash = ''] = match;
  return {
    cost: { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) },
    salt: Buffer.from(salt, 'base64'),
    hash: Buffer.from(hash, 'base64'),
  };
}
