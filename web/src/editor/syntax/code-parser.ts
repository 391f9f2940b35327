import { LanguageDescription, ParseContext } from '@codemirror/language';
import { languages } from '@codemirror/language-data';
import { parseCode } from '@lezer/markdown';

/** Parses the code in fences by the language that they name. Each language is loaded when a note first names it. */
export const codeParser = parseCode({
  codeParser: (info) => {
    const name = /^[\w#+.-]+/.exec(info.trim())?.[0] ?? '';
    const found = name === '' ? null : LanguageDescription.matchLanguageName(languages, name, true);
    if (found === null) return null;
    // Until its language is loaded, the code is skipped; the parser comes back to it by itself.
    return found.support?.language.parser ?? ParseContext.getSkippingParser(found.load());
  },
});
