import { isTraditional, simplified, traditional } from './simplified.ts';

/**
 * Letters that Unicode does not decompose, although people leave out their strokes when they search, as they do
 * accents.
 */
const plain: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
  ħ: 'h',
  ς: 'σ',
  // Persian letters, for which Arabic keyboards have others.
  ی: 'ي',
  ک: 'ك',
  ۀ: 'ه',
};
const unplain = /[ßæœøłđðþıħςیکۀ]/g;
/** The digits of Arabic and of Persian. */
const easternDigit = /[\u0660-\u0669\u06f0-\u06f9]/g;

/** Variation selectors and skin tones, which make no other word of an emoji. */
const emojiVariants = /[\ufe0f\u{1f3fb}-\u{1f3ff}]/gu;

/**
 * Folds a word, so that it is found whatever its case, accents and width.
 *
 * Accents are removed in Latin and Greek, points in Hebrew and vowel signs in Arabic. In Cyrillic only the dots of `ё`
 * (people write `е`) and stress marks are removed: `й`, `ї`, `ў` are letters of their own. Other scripts keep their
 * marks, which are vowels there or, in Japanese, other sounds. Traditional Chinese characters become simplified ones,
 * Persian letters the Arabic ones that many keyboards type for them, and their digits those of ASCII.
 */
export function fold(word: string): string {
  if (isSimple(word)) return word.toLowerCase();
  const inSimplified = simplified(word);
  if (isSimple(inSimplified)) return inSimplified.toLowerCase();
  const lower = word
    .normalize('NFKC')
    .toLowerCase()
    .replace(unplain, (letter) => plain[letter] ?? letter)
    .replace(easternDigit, (digit) => String(digit.charCodeAt(0) & 15));
  return lower
    .normalize('NFD')
    .replace(/е\u0308/g, 'е')
    .replace(/([аеиоуыэюяєіѣ])[\u0300\u0301]/g, '$1')
    .replace(/([\p{sc=Latin}\p{sc=Greek}])[\u0300-\u036f]+/gu, '$1')
    .replace(
      /[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0640\u200c\u200d]/g,
      '',
    )
    .replace(emojiVariants, '')
    .normalize('NFC')
    .replace(traditional, simplified);
}

/** Returns whether lower-casing is all that folding does to the word. */
function isSimple(word: string): boolean {
  for (let at = 0; at < word.length; at++) if (lowerUnit(word.charCodeAt(at)) < 0) return false;
  return true;
}

/**
 * Returns the lower case of a UTF-16 unit for which lower-casing is all that folding does, unless marks follow it:
 * ASCII, Russian without `ё`, composed kana and the common ideographs without traditional ones. -1 for all others.
 */
export function lowerUnit(unit: number): number {
  if (unit < 0x80) return unit >= 0x41 && unit <= 0x5a ? unit + 0x20 : unit;
  if (unit >= 0x410 && unit < 0x450) return unit < 0x430 ? unit + 0x20 : unit;
  const isPlain =
    (unit >= 0x3041 && unit <= 0x3096) ||
    (unit >= 0x30a1 && unit <= 0x30fe) ||
    (unit >= 0x4e00 && unit <= 0x9fff && !isTraditional(unit));
  return isPlain ? unit : -1;
}
