import type { LanguageSupport } from '@codemirror/language';
import { noteLanguage } from './markdown-language.ts';

/**
 * Returns the language for markdown in fences: the language of notes with code unparsed. The build substitutes it for
 * the standard one.
 */
export function markdown(): LanguageSupport {
  return noteLanguage(null);
}
