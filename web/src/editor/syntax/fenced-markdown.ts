import type { LanguageSupport } from '@codemirror/language';
import { noteLanguage } from './markdown-language.ts';

/** The language of markdown in fences: that of notes, with code unparsed. The build puts it in place of the standard one. */
export function markdown(): LanguageSupport {
  return noteLanguage(null);
}
