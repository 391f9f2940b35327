import { markdownLanguage } from '@codemirror/lang-markdown';
import { Language, LanguageSupport } from '@codemirror/language';
import { type MarkdownExtension, MarkdownParser } from '@lezer/markdown';
import { blockIdSyntax } from './block-id.ts';
import { commentSyntax } from './comment.ts';
import { footnoteSyntax } from './footnote.ts';
import { frontmatterSyntax } from './frontmatter.ts';
import { headingFolds } from './heading-folds.ts';
import { highlightSyntax } from './highlight.ts';
import { mathSyntax } from './math.ts';
import { syntaxStyles } from './syntax-styles.ts';
import { tagSyntax } from './tag.ts';
import { wikilinkSyntax } from './wikilink.ts';

/** Every construct that notes have beyond GitHub Flavored Markdown. */
export const NOTE_SYNTAX = [
  frontmatterSyntax,
  commentSyntax,
  mathSyntax,
  footnoteSyntax,
  wikilinkSyntax,
  highlightSyntax,
  tagSyntax,
  blockIdSyntax,
  syntaxStyles,
];

export const noteParser = baseParser().configure(NOTE_SYNTAX);

function baseParser(): MarkdownParser {
  const { parser } = markdownLanguage;
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
  // With the data of the standard language, its commands work here too: continuing a list, removing its mark.
  const language = new Language(markdownLanguage.data, parser, [], 'markdown');
  return new LanguageSupport(language, headingFolds);
}
