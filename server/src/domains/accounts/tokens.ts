import { createHash } from 'node:crypto';

const SECRET_BYTES = 32;

export interface Token {
  /** Given out once. */
  readonly raw: string;
  /** What is stored. */
  readonly hash: Buffer;
}

/** A token nobody can guess. It is looked up by its hash, so how long a look-up takes says nothing about any token. */
export function newToken(random: (count: number) => Buffer, prefix: string): Token {
  const raw = prefix + random(SECRET_BYTES).toString('base64url');
  return { raw, hash: hashOf(raw) };
}

export function hashOf(raw: string): Buffer {
  return createHash('sha256').update(raw).digest();
}

const EMAIL = /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u;
/** RFC 5321, section 4.5.3.1.3. */
const EMAIL_BYTES_MAX = 254;

/** The one form of an e-mail that is stored and compared, or null when the text is none. */
export function canonicalEmail(text: unknown): string | null {
  if (typeof text !== 'string' || !text.isWellFormed()) return null;
  const email = text.trim().normalize('NFC').toLowerCase();
  return EMAIL.test(email) && Buffer.byteLength(email) <= EMAIL_BYTES_MAX ? email : null;
}
