export type Strength = 'short' | 'weak' | 'fair' | 'good';

const LENGTH_MIN = 8;
/** Guesses of a password double with each of these. */
const FAIR_BITS = 50;
const GOOD_BITS = 70;

/**
 * A rough idea of how hard a password is to guess: by its length and the kinds of characters in it, where repeated
 * characters and runs like "1234" count little.
 */
export function strengthOf(password: string): Strength {
  const characters = [...password];
  if (characters.length < LENGTH_MIN) return 'short';
  const surprising = characters.filter((character, at) => !isExpected(characters[at - 1], character)).length;
  const bits = surprising * Math.log2(alphabetOf(password));
  if (bits < FAIR_BITS) return 'weak';
  return bits < GOOD_BITS ? 'fair' : 'good';
}

/** Whether a character repeats the one before or is its neighbour. */
function isExpected(before: string | undefined, character: string): boolean {
  if (before === undefined) return false;
  return Math.abs((before.codePointAt(0) ?? 0) - (character.codePointAt(0) ?? 0)) <= 1;
}

function alphabetOf(password: string): number {
  const kinds: [RegExp, number][] = [
    [/[a-z]/, 26],
    [/[A-Z]/, 26],
    [/[0-9]/, 10],
    [/[ -/:-@[-`{-~]/, 33],
    [/[^ -~]/, 100],
  ];
  return kinds.reduce((sum, [kind, size]) => sum + (kind.test(password) ? size : 0), 0);
}
