import { foldPath } from '@notevault/note-text/paths.ts';
import { type AffixLanguage, affixKeys } from '@notevault/note-text/words/affixes.ts';
import { isUnspaced } from '@notevault/note-text/words/classes.ts';
import { type Language, stem } from '@notevault/note-text/words/languages.ts';

/*
 * A term is what the index looks up. A word term is a folded word, the language it was read as and, where accents were
 * folded, the word as it was written: terms are ordered by word, and all its spellings and languages are neighbours. A
 * filter term names a tag, folder, type, title or language.
 */

const SEPARATOR = '\0';

/** @param written the word in lower case, with its accents. */
export const wordTerm = (word: string, language: string, written = word) =>
  written === word ? `${word}${SEPARATOR}${language}` : `${word}${SEPARATOR}${language}${SEPARATOR}${written}`;
/** The terms of a word in every language and spelling begin with this. */
export const wordTermPrefix = (word: string) => `${word}${SEPARATOR}`;
export const wordOfTerm = (term: string) => term.slice(0, term.indexOf(SEPARATOR));

/** The parts of a word term. */
export interface WordOfTerm {
  readonly word: string;
  readonly language: Language;
  /** The word in lower case with accents. */
  readonly written: string;
}

export function partsOfTerm(term: string): WordOfTerm {
  const wordEnd = term.indexOf(SEPARATOR);
  const languageEnd = term.indexOf(SEPARATOR, wordEnd + 1);
  const word = term.slice(0, wordEnd);
  const language = term.slice(wordEnd + 1, languageEnd < 0 ? term.length : languageEnd) as Language;
  return { word, language, written: languageEnd < 0 ? word : term.slice(languageEnd + 1) };
}

/** Filter terms sort below this, word terms above it. */
export const FILTER_TERMS_END = '\x02';
export const FOLDER_TERM_PREFIX = '\x01f';
/** Prefix of terms that name a vault's languages: query words are stemmed only in these. */
export const LANGUAGE_TERM_PREFIX = '\x01l';
export const tagTerm = (tag: string) => `\x01t${foldPath(tag)}`;
export const folderTerm = (folder: string) => `${FOLDER_TERM_PREFIX}${foldPath(folder)}`;
export const typeTerm = (type: string) => `\x01y${foldPath(type)}`;

/** Names a whole title, alias or file name by its words: a query of exactly these words means the note. */
export const titleTerm = (words: readonly string[]) => `\x01n${joined(words).slice(0, MAX_TITLE_LENGTH)}`;
const MAX_TITLE_LENGTH = 200;

/** Scripts without spaces are joined, because the beginning of a title may be segmented differently. */
function joined(words: readonly string[]): string {
  let text = '';
  let wasUnspaced = true;
  for (const word of words) {
    const unspaced = isUnspaced(word);
    text += wasUnspaced && unspaced ? word : ` ${word}`;
    wasUnspaced = unspaced;
  }
  return text.trimStart();
}

/** Returns the keys that the forms of a word share in its language, see `formKeys`; none for a filter term. */
export function stemKeys(term: string): readonly string[] {
  if (!term.includes(SEPARATOR)) return [];
  const { word, language, written } = partsOfTerm(term);
  return formKeys(word, language, written);
}

/** Forms of a word have these letters in common in any of the stemmed languages. */
const LATIN_KEY_LETTERS = 3;

/**
 * Returns the keys that the inflected forms of a word share in a language, or its forms with other affixes. Of a word
 * whose language is not known only its first letters, which other words have too: a key for each language would make
 * the index of short notes a third larger.
 */
export function formKeys(word: string, language: Language, written = word): string[] {
  if (language === 'latin') return [wordTerm(word.slice(0, LATIN_KEY_LETTERS), language)];
  const keys = isAffixLanguage(language) ? affixKeys(word, language) : [stem(written, language)];
  return keys.map((key) => wordTerm(key, language));
}

export function isAffixLanguage(language: Language): language is AffixLanguage {
  return language === 'ar' || language === 'fa' || language === 'he' || language === 'ko';
}
