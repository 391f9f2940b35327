import { foldPath } from '@notevault/note-text/paths.ts';
import { type Language, stem } from '@notevault/note-text/words/languages.ts';

/*
 * A term is what the index looks up. A word term is a folded word and the language it was read as, so that terms are
 * ordered by word and one spelling's languages are neighbours. A filter term names a tag, folder, type or language.
 */

const SEPARATOR = '\0';

export const wordTerm = (word: string, language: string) => `${word}${SEPARATOR}${language}`;
/** The terms of a word in every language begin with this. */
export const wordTermPrefix = (word: string) => `${word}${SEPARATOR}`;
export const wordOfTerm = (term: string) => term.slice(0, term.indexOf(SEPARATOR));
export const languageOfTerm = (term: string) => term.slice(term.indexOf(SEPARATOR) + 1);

/** Filter terms sort below this, word terms above it. */
export const FILTER_TERMS_END = '\x02';
export const FOLDER_TERM_PREFIX = '\x01f';
/** These terms name the languages of a vault: a word of a query is stemmed in no other. */
export const LANGUAGE_TERM_PREFIX = '\x01l';
export const tagTerm = (tag: string) => `\x01t${foldPath(tag)}`;
export const folderTerm = (folder: string) => `${FOLDER_TERM_PREFIX}${foldPath(folder)}`;
export const typeTerm = (type: string) => `\x01y${foldPath(type)}`;

/** The key shared by all inflected forms of a word in one language; null for a filter term. */
export function stemKey(term: string): string | null {
  const end = term.indexOf(SEPARATOR);
  if (end < 0) return null;
  const language = term.slice(end + 1) as Language;
  return wordTerm(stem(term.slice(0, end), language), language);
}
