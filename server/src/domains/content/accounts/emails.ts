const EMAIL = /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u;
/** RFC 5321, section 4.5.3.1.3. */
const EMAIL_BYTES_MAX = 254;

/** The canonical form of an e-mail, which is stored and compared; null when the text is not an e-mail. */
export function canonicalEmail(text: unknown): string | null {
  if (typeof text !== 'string' || !text.isWellFormed()) return null;
  const email = text.trim().normalize('NFC').toLowerCase();
  return EMAIL.test(email) && Buffer.byteLength(email) <= EMAIL_BYTES_MAX ? email : null;
}
