import { stemmer as dutch } from '@orama/stemmers/dutch';
import { stemmer as english } from '@orama/stemmers/english';
import { stemmer as french } from '@orama/stemmers/french';
import { stemmer as italian } from '@orama/stemmers/italian';
import { stemmer as portuguese } from '@orama/stemmers/portuguese';
import { stemmer as russian } from '@orama/stemmers/russian';
import { stemmer as spanish } from '@orama/stemmers/spanish';
import { stemmer as swedish } from '@orama/stemmers/swedish';
import type { AffixLanguage } from './affixes.ts';
import { cistem } from './cistem.ts';
import { fold } from './fold.ts';
import { functionWordLanguages } from './function-words.ts';

/** The languages in Latin letters that have a stemmer. */
export const LATIN_LANGUAGES = ['en', 'de', 'es', 'fr', 'it', 'nl', 'pt', 'sv'] as const;

/**
 * The language that a word is read as; `latin` for any of those in Latin letters, in a note that is too short to tell, and
 * `none` where neither a stemmer nor affixes are known.
 */
export type Language = (typeof LATIN_LANGUAGES)[number] | 'latin' | 'ru' | 'vi' | AffixLanguage | 'none';

/** The languages of a note: one each for its words in Latin, in Cyrillic and in Arabic letters. */
export interface Languages {
  readonly latin: Language;
  readonly cyrillic: Language;
  readonly arabic: Language;
}

const stemmers: Readonly<Partial<Record<Language, (word: string) => string>>> = {
  en: english,
  de: cistem,
  es: spanish,
  fr: french,
  it: italian,
  nl: dutch,
  // Plurals first, as in RSLP (Orengo and Huyck, 2001): Snowball gives `inscrição` and `inscrições` two stems.
  pt: (word) => portuguese(word.replace(/[õã]es$/, 'ão')),
  ru: russian,
  sv: swedish,
};

/** Words that occur in almost any text of the language, and in few texts of the others. */
const commonWords: Readonly<Partial<Record<Language, string>>> = {
  en: 'the and of to is that for with you this are it be your can from not have',
  de: 'der die und das ist nicht mit ein eine zu den auf für von sich auch werden kann',
  es: 'el los las una por con para que en del se su como más pero este',
  fr: 'le les et des une est dans pour que qui sur pas vous avec ce du au sont',
  it: 'il che per una sono con non gli della è nel anche come più questo alla',
  nl: 'de het een van en dat niet voor met zijn op je ook aan wordt deze naar',
  pt: 'os uma para não que em por mais como você são dos ao das pelo',
  sv: 'och att det som en på är av för med till den inte om ett har kan',
  vi: 'và của được không những các trong với một này cho đã khi người là',
};
const votes = new Map<string, Language[]>();
for (const [language, words] of Object.entries(commonWords)) {
  for (const word of words.split(' ').map(fold)) votes.set(word, [...(votes.get(word) ?? []), language as Language]);
}

/** Maximum number of words read; they suffice to recognise the language. */
const sample = 2000;
/** Minimum number of common words; a text with fewer may be names or code. */
const fewVotes = 5;

/** A note with fewer words is short: what little there is decides, and nothing is taken for English. */
const shortNote = 40;

/**
 * Patterns that identify the language of a few words: letters rare in other languages, and endings. The endings are the
 * commonest suffixes in the descriptions of the Snowball stemmers (snowballstem.org).
 */
const marks: readonly (readonly [RegExp, readonly Language[]])[] = [
  [/[ßü]|(?:heit|keit|ungen|schaft|isch|lich)$/, ['de']],
  [/ñ|(?:ción|ciones|miento|mientos)$/, ['es']],
  [/[œîûë]|(?:eux|eaux?|ées?|oirs?|ettes?)$/, ['fr']],
  [/[ìò]|(?:zione|zioni|mente|aggio|etto|ità)$/, ['it']],
  [/ij|(?:heid|lijke?|aan|oek|uur)$/, ['nl']],
  [/õ|(?:ção|ções|agem|inha|inho)$/, ['pt']],
  [/å|(?:ningar|arna|erna|ningen)$/, ['sv']],
  [/[đơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ]/, ['vi']],
  [/[äö]/, ['de', 'sv']],
  [/[áíóú]/, ['es', 'pt']],
  [/[çê]/, ['fr', 'pt']],
  [/[èàù]/, ['fr', 'it']],
];

/**
 * Detects the languages of a note.
 *
 * @param words its words, folded.
 * @param written the same words in lower case with their accents.
 */
export function languagesOf(words: readonly string[], written: readonly string[] = words): Languages {
  const counts = new Map<Language, number>();
  let left = sample;
  let cyrillic: Language = 'ru';
  let [inArabicLetters, persian] = [0, 0];
  for (const word of words) {
    if (left-- <= 0) break;
    for (const language of votes.get(word) ?? []) counts.set(language, (counts.get(language) ?? 0) + 1);
    // Letters that Russian does not have: Ukrainian, Belarusian, Serbian, Macedonian.
    if (cyrillic === 'ru' && /[іїєґўјљњћџѓќђ]/.test(word)) cyrillic = 'none';
    if (!isArabicLetter(word.charCodeAt(0))) continue;
    inArabicLetters++;
    if (isPersian(word)) persian++;
  }
  const arabic = inArabicLetters > 0 && persian * PERSIAN_SHARE >= inArabicLetters ? 'fa' : 'ar';
  const [best = 'en', most = 0] = [...counts].sort(([, a], [, b]) => b - a)[0] ?? [];
  const isClear = most >= fewVotes && most > 2 * (counts.get('en') ?? 0);
  if (isClear) return { latin: best, cyrillic, arabic };
  return { latin: words.length < shortNote ? languageOfFew(written) : 'en', cyrillic, arabic };
}

/** A note is in Persian if one in so many of its words in Arabic letters is surely Persian; about every third one is. */
const PERSIAN_SHARE = 10;
const isArabicLetter = (unit: number) => unit >= 0x600 && unit < 0x700;

/** Returns whether a word has letters that Arabic does not have, or is a function word of Persian alone. */
function isPersian(word: string): boolean {
  if (/[پچژگ]/.test(word)) return true;
  const languages = functionWordLanguages(word);
  return languages.has('fa') && !languages.has('ar');
}

/**
 * Returns the Latin language of a few written words, if there is a sign of it and at most half as much of any other.
 */
function languageOfFew(written: readonly string[]): Language {
  const scores = new Map<Language, number>();
  const add = (language: Language, score: number) => scores.set(language, (scores.get(language) ?? 0) + score);
  for (const word of written) {
    for (const [mark, languages] of marks) {
      if (mark.test(word)) for (const language of languages) add(language, 1 / languages.length);
    }
    // Vietnamese is told by its letters: without them many of its words are those of other languages.
    const languages = [...functionWordLanguages(word)].filter((language) => language !== 'vi');
    for (const language of languages) add(language as Language, 1 / languages.length);
  }
  const [[best, most] = ['latin', 0] as const, [, next] = ['latin', 0] as const] = [...scores].sort(
    ([, a], [, b]) => b - a,
  );
  return most >= 1 && most >= 2 * next ? best : 'latin';
}

/** Returns the language in which a folded word is read, by its first letter and its note's languages. */
export function languageOf(word: string, { latin, cyrillic, arabic }: Languages): Language {
  const first = word.charCodeAt(0);
  if (first >= 0x61 && first <= 0x7a) return latin;
  if (first >= 0x400 && first < 0x530) return cyrillic;
  if (first >= 0xc0 && first < 0x250) return latin;
  if (first >= 0xac00 && first <= 0xd7a3) return 'ko';
  if (isArabicLetter(first)) return arabic;
  return first >= 0x5d0 && first <= 0x5ea ? 'he' : 'none';
}

/**
 * Returns the folded stem that the inflected forms of a word share; the folded word itself for a language without
 * stemmer. The stemmers know endings as they are written, with their accents, so these are removed from the stem.
 *
 * @param written the word in lower case, not folded.
 */
export function stem(written: string, language: Language): string {
  const stemmer = stemmers[language];
  // Numbers, version names and the like are not inflected; nor are the shortest words.
  if (stemmer === undefined || written.length < 3 || /\d/.test(written)) return fold(written);
  return fold(stemmer(written));
}
