/** Consonants that look like no other letter and no digit, and spell no words (RFC 8628, section 6.1). */
const ALPHABET = 'BCDFGHJKLMNPQRSTVWXZ';
const LENGTH = 8;
/** Bytes from here on would favour the first letters. */
const FAIR_BELOW = 256 - (256 % ALPHABET.length);

/** A user code, `XXXX-XXXX`: 34 bits, each good for a few tries. */
export function newUserCode(random: (count: number) => Buffer): string {
  let letters = '';
  while (letters.length < LENGTH) {
    for (const byte of random(LENGTH)) {
      if (byte < FAIR_BELOW && letters.length < LENGTH) letters += ALPHABET[byte % ALPHABET.length];
    }
  }
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}

/** The code that a person typed, whatever case, hyphens and spaces they gave it; null when it can be none. */
export function readUserCode(typed: string): string | null {
  const letters = typed
    .slice(0, 64)
    .replace(/[\s\p{Pd}]/gu, '')
    .toUpperCase();
  if (letters.length !== LENGTH || [...letters].some((letter) => !ALPHABET.includes(letter))) return null;
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}
