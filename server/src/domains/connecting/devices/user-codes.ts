/** Consonants that look unlike any other letter and digit, and spell no words (RFC 8628, section 6.1). */
const ALPHABET = 'BCDFGHJKLMNPQRSTVWXZ';
const LENGTH = 8;
/** Larger bytes are skipped, because they would favour the first letters. */
const FAIR_BELOW = 256 - (256 % ALPHABET.length);

/** A new user code, `XXXX-XXXX`: 34 bits, of which an attacker can try only a few. */
export function newUserCode(random: (count: number) => Buffer): string {
  let letters = '';
  while (letters.length < LENGTH) {
    for (const byte of random(LENGTH)) {
      if (byte < FAIR_BELOW && letters.length < LENGTH) letters += ALPHABET[byte % ALPHABET.length];
    }
  }
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}

/** Returns the code that a person typed, ignoring case, hyphens and spaces; null for an impossible code. */
export function readUserCode(typed: string): string | null {
  const letters = typed
    .slice(0, 64)
    .replace(/[\s\p{Pd}]/gu, '')
    .toUpperCase();
  if (letters.length !== LENGTH || [...letters].some((letter) => !ALPHABET.includes(letter))) return null;
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}
