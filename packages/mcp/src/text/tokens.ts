/*
 * Estimates how many tokens a language model makes of a text, without its vocabulary: prose of each script comes out
 * about right, and code, in which signs and digits are tokens of their own, is not underestimated.
 */

/** Units per token: estimates count in twentieths of a token. */
const UNITS = 20;
const WEIGHTS: readonly number[] = Array.from({ length: 128 }, (_, unit) => {
  const letter = String.fromCharCode(unit);
  if (/[a-zA-Z]/.test(letter)) return 5;
  if (/\d/.test(letter)) return 10;
  if (letter === ' ') return 3;
  return letter === '\n' ? 8 : 14;
});
/** Latin with accents, Cyrillic, Greek, Arabic and other alphabets; then all scripts of whole words and syllables. */
const ALPHABET = 10;
const SYLLABLE = 20;

export function tokensOf(text: string): number {
  return Math.ceil(weigh(text, 0, text.length) / UNITS);
}

/** Returns the end of the longest stretch from an offset that has at most so many tokens. */
export function endOfTokens(text: string, from: number, tokens: number): number {
  let left = tokens * UNITS;
  for (let at = from; at < text.length; at++) {
    left -= weigh(text, at, at + 1);
    if (left < 0) return at;
  }
  return text.length;
}

/** Returns a text of at most so many tokens; a longer one is cut, and ends with an ellipsis. */
export function cutTo(text: string, tokens: number): string {
  const end = endOfTokens(text, 0, tokens);
  return end === text.length ? text : `${text.slice(0, end).toWellFormed()}…`;
}

function weigh(text: string, from: number, to: number): number {
  let weight = 0;
  for (let at = from; at < to; at++) {
    const unit = text.charCodeAt(at);
    weight += WEIGHTS[unit] ?? (unit < 0x2e80 ? ALPHABET : SYLLABLE);
  }
  return weight;
}
