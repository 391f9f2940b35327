import { LanguageDescription, ParseContext } from '@codemirror/language';
import { languages } from '@codemirror/language-data';
import { parseCode } from '@lezer/markdown';

/** Parses fenced code in the named language. A language is loaded when a note first names it. */
export const codeParser = parseCode({
  codeParser: (info) => {
    const name = /^[\w#+.-]+/.exec(info.trim())?.[0] ?? '';
    const found = name === '' ? null : LanguageDescription.matchLanguageName(languages, name, true);
    if (found === null) return null;
    // The code is skipped until its language is loaded; then the parser returns to it.
    return found.support?.language.parser ?? ParseContext.getSkippingParser(found.load());
  },
});
