/** The character classes of the word search, per UTF-16 unit. */
export const BREAK = 0;
export const LETTER = 1;
/** A letter of a script written without spaces: a dictionary finds the word boundaries. */
export const UNSPACED = 2;
/** Belongs to the character before it: accents, vowel signs, joiners. */
export const MARK = 3;
/** An emoji, which is a word by itself. */
export const SYMBOL = 5;
/** Half of a surrogate pair: the whole code point decides. */
const PAIR = 4;

const letter = /^[\p{L}\p{N}]$/u;
const mark = /^[\p{M}\p{Join_Control}\u0640]$/u;
const unspaced = /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]$/u;
/** Prolonged sound marks and the voicing marks of half-width kana, which several scripts share. */
const kanaSign = /^[\u30fc\uff70\uff9e\uff9f\u3099\u309a]$/u;

/** Pictures, and the letters that flags are made of; no signs that stand inside of texts. */
const symbol = /^(?![©®™‼⁉〰〽㊗㊙])[\p{Extended_Pictographic}\p{Regional_Indicator}]$/u;

function classOf(character: string): number {
  if (kanaSign.test(character)) return UNSPACED;
  if (mark.test(character)) return MARK;
  if (symbol.test(character)) return SYMBOL;
  if (!letter.test(character)) return BREAK;
  return unspaced.test(character) ? UNSPACED : LETTER;
}

let table: Uint8Array | undefined;

/**
 * Returns a table with one byte per UTF-16 unit. It is built at first use, because testing a regular expression each
 * time is slow.
 */
function classes(): Uint8Array {
  if (table !== undefined) return table;
  const made = new Uint8Array(0x10000);
  for (let unit = 0; unit < 0x10000; unit++) {
    made[unit] = unit >= 0xd800 && unit < 0xe000 ? PAIR : classOf(String.fromCharCode(unit));
  }
  table = made;
  return made;
}

/** Returns the class of the code point at an offset. */
export function classAt(text: string, at: number): number {
  const found = classes()[text.charCodeAt(at)] ?? BREAK;
  return found === PAIR ? classOf(String.fromCodePoint(text.codePointAt(at) ?? 0)) : found;
}

/** Returns the number of UTF-16 units of the code point at an offset. */
export function unitsAt(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  if (unit < 0xd800 || unit >= 0xdc00) return 1;
  const next = text.charCodeAt(at + 1);
  return next >= 0xdc00 && next < 0xe000 ? 2 : 1;
}

/** Returns whether a folded word begins in a script without spaces. */
export function isUnspaced(word: string): boolean {
  return classAt(word, 0) === UNSPACED;
}
