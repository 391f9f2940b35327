import { stemmer as dutch } from '@orama/stemmers/dutch';
import { stemmer as english } from '@orama/stemmers/english';
import { stemmer as french } from '@orama/stemmers/french';
import { stemmer as german } from '@orama/stemmers/german';
import { stemmer as italian } from '@orama/stemmers/italian';
import { stemmer as portuguese } from '@orama/stemmers/portuguese';
import { stemmer as russian } from '@orama/stemmers/russian';
import { stemmer as spanish } from '@orama/stemmers/spanish';
import { stemmer as swedish } from '@orama/stemmers/swedish';
import type { AffixLanguage } from './affixes.ts';
import { fold } from './fold.ts';

/** The language that a word is read as; `none` where neither a stemmer nor affixes are known. */
export type Language = 'en' | 'de' | 'es' | 'fr' | 'it' | 'nl' | 'pt' | 'ru' | 'sv' | 'vi' | AffixLanguage | 'none';

/** The languages of a note: one for its words in Latin letters, one for those in Cyrillic letters. */
export interface Languages {
  readonly latin: Language;
  readonly cyrillic: Language;
}

const stemmers: Readonly<Partial<Record<Language, (word: string) => string>>> = {
  en: english,
  de: german,
  es: spanish,
  fr: french,
  it: italian,
  nl: dutch,
  pt: portuguese,
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

/** Only this many words are read: they are enough to recognise the language. */
const sample = 2000;
/** With fewer common words than this, the text may be names or code. */
const fewVotes = 5;

/** Detects the languages of a note from its folded words. With too few common words the Latin language is English. */
export function languagesOf(words: Iterable<string>): Languages {
  const counts = new Map<Language, number>();
  let left = sample;
  let cyrillic: Language = 'ru';
  for (const word of words) {
    if (left-- <= 0) break;
    for (const language of votes.get(word) ?? []) counts.set(language, (counts.get(language) ?? 0) + 1);
    // Letters that Russian does not have: Ukrainian, Belarusian, Serbian, Macedonian.
    if (cyrillic === 'ru' && /[іїєґўјљњћџѓќђ]/.test(word)) cyrillic = 'none';
  }
  const [best = 'en', most = 0] = [...counts].sort(([, a], [, b]) => b - a)[0] ?? [];
  const latin = most >= fewVotes && most > 2 * (counts.get('en') ?? 0) ? best : 'en';
  return { latin, cyrillic };
}

/** Which language a folded word is read as, by its first letter and the languages of its note. */
export function languageOf(word: string, { latin, cyrillic }: Languages): Language {
  const first = word.charCodeAt(0);
  if (first >= 0x61 && first <= 0x7a) return latin;
  if (first >= 0x400 && first < 0x530) return cyrillic;
  if (first >= 0xc0 && first < 0x250) return latin;
  if (first >= 0xac00 && first <= 0xd7a3) return 'ko';
  if (first >= 0x600 && first < 0x700) return 'ar';
  return first >= 0x5d0 && first <= 0x5ea ? 'he' : 'none';
}

/**
 * The folded stem that the inflected forms of a word share; the folded word itself for a language without stemmer. The
 * stemmers know endings as they are written, with their accents, so these are removed from the stem.
 *
 * @param written the word in lower case, not folded.
 */
export function stem(written: string, language: Language): string {
  const stemmer = stemmers[language];
  // Numbers, version names and the like are not inflected; nor are the shortest words.
  if (stemmer === undefined || written.length < 3 || /\d/.test(written)) return fold(written);
  return fold(stemmer(written));
}
