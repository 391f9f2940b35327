import { stemmer as dutch } from '@orama/stemmers/dutch';
import { stemmer as english } from '@orama/stemmers/english';
import { stemmer as french } from '@orama/stemmers/french';
import { stemmer as german } from '@orama/stemmers/german';
import { stemmer as italian } from '@orama/stemmers/italian';
import { stemmer as portuguese } from '@orama/stemmers/portuguese';
import { stemmer as russian } from '@orama/stemmers/russian';
import { stemmer as spanish } from '@orama/stemmers/spanish';
import { stemmer as swedish } from '@orama/stemmers/swedish';
import { fold } from './fold.ts';

/** The language by which a note's words are stemmed; `none` where no stemmer is known. */
export type Language = 'en' | 'de' | 'es' | 'fr' | 'it' | 'nl' | 'pt' | 'ru' | 'sv' | 'none';

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
};
const votes = new Map<string, Language[]>();
for (const [language, words] of Object.entries(commonWords)) {
  for (const word of words.split(' ').map(fold)) votes.set(word, [...(votes.get(word) ?? []), language as Language]);
}

/** Function words, which say nothing about the subject of a question. */
const functionWords = new Set(
  [
    'a an the and or but if so as at by for from in into of on to up with without than then that this these those it its',
    'is are was were be been am do does did can could will would should may must have has had not no',
    'i me my we us our you your he she they them their who what which when where why how there here one some any',
    'и а но или да не ни же ли бы в во на за из к ко с со по о об от до для при у это этот эта эти то тот как что где',
    'когда почему какой какая какие можно нужно ли мне мой моя мои мы я он она они вы ваш есть был быть чтобы если',
    'の を に が は で と も や へ から まで より て た し する いる ある ない です ます たい な い れる られる か こと もの',
    'der die das und ist nicht mit ein eine zu den auf für von wie was ich wo wann warum',
    'el los las una por con para que en del es un y de le les et des une est dans pour comment',
  ].flatMap((words) => words.split(' ').map(fold)),
);

/** Whether a folded word is a function word, which counts little beside the other words of a query. */
export const isFunctionWord = (word: string): boolean => functionWords.has(word);

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

/** Which of a note's languages a folded word belongs to, by its first letter. */
export function languageOf(word: string, { latin, cyrillic }: Languages): Language {
  const first = word.charCodeAt(0);
  if (first >= 0x61 && first <= 0x7a) return latin;
  if (first >= 0x400 && first < 0x530) return cyrillic;
  return first >= 0xc0 && first < 0x250 ? latin : 'none';
}

/** The stem that the inflected forms of a folded word share; the word itself for an unknown language. */
export function stem(word: string, language: Language): string {
  const stemmer = stemmers[language];
  // Numbers, version names and the like are not inflected; nor are the shortest words.
  if (stemmer === undefined || word.length < 3 || /\d/.test(word)) return word;
  return stemmer(word);
}
