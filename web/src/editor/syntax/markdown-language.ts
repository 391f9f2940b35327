import { commonmarkLanguage } from '@codemirror/lang-markdown';
import { foldNodeProp, Language, LanguageSupport } from '@codemirror/language';
import { type MarkdownExtension, MarkdownParser } from '@lezer/markdown';
import { NOTE_SYNTAX } from '@notevault/note-html/grammar/note-syntax.ts';
import { headingFolds } from './heading-folds.ts';

/** Folds tables below their first line. */
const tableFolds = foldNodeProp.add({ Table: ({ from, to }, { doc }) => ({ from: doc.lineAt(from).to, to }) });

export const noteParser = baseParser().configure([...NOTE_SYNTAX, { props: [tableFolds] }]);

function baseParser(): MarkdownParser {
  const { parser } = commonmarkLanguage;
  if (!(parser instanceof MarkdownParser)) throw new Error('the markdown language has another parser than expected');
  return parser;
}

/**
 * The language of notes.
 *
 * @param codeParser parses the code in fences; null leaves code unparsed.
 */
export function noteLanguage(codeParser: MarkdownExtension | null): LanguageSupport {
  const parser = codeParser === null ? noteParser : noteParser.configure(codeParser);
  // Uses the standard language's data, so that its commands work here too, such as continuing a list.
  const language = new Language(commonmarkLanguage.data, parser, [], 'markdown');
  return new LanguageSupport(language, headingFolds);
}
