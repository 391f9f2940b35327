/** Letters that Unicode does not decompose, though readers leave their strokes out as they do accents. */
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
};
const unplain = /[ßæœøłđðþıħς]/g;

/**
 * The form under which a word is found whatever its case, accents and width.
 *
 * Accents fall in Latin and Greek, points in Hebrew and vowel signs in Arabic. In Cyrillic only `ё` (people write `е`)
 * and marks of stress do: `й`, `ї`, `ў` are letters of their own. Other scripts keep their marks, which are vowels there
 * or, in Japanese, other sounds.
 */
export function fold(word: string): string {
  if (isSimple(word)) return word.toLowerCase();
  const lower = word
    .normalize('NFKC')
    .toLowerCase()
    .replace(unplain, (letter) => plain[letter] ?? letter);
  return lower
    .normalize('NFD')
    .replace(/е\u0308/g, 'е')
    .replace(/([аеиоуыэюяєіѣ])[\u0300\u0301]/g, '$1')
    .replace(/([\p{sc=Latin}\p{sc=Greek}])[\u0300-\u036f]+/gu, '$1')
    .replace(
      /[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0640\u200c\u200d]/g,
      '',
    )
    .normalize('NFC');
}

/** Whether lower case is all that can change: ASCII, Russian without `ё`, composed kana and the common ideographs. */
function isSimple(word: string): boolean {
  for (let at = 0; at < word.length; at++) {
    const unit = word.charCodeAt(at);
    if (unit < 0x80 || (unit >= 0x410 && unit < 0x450)) continue;
    if ((unit >= 0x3041 && unit <= 0x3096) || (unit >= 0x30a1 && unit <= 0x30fe)) continue;
    if (unit < 0x4e00 || unit > 0x9fff) return false;
  }
  return true;
}
