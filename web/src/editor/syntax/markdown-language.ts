import { commonmarkLanguage } from '@codemirror/lang-markdown';
import { Language, LanguageSupport } from '@codemirror/language';
import {
  Autolink,
  Emoji,
  type MarkdownExtension,
  MarkdownParser,
  Strikethrough,
  Subscript,
  Superscript,
  TaskList,
} from '@lezer/markdown';
import { blockIdSyntax } from './block-id.ts';
import { commentSyntax } from './comment.ts';
import { footnoteSyntax } from './footnote.ts';
import { frontmatterSyntax } from './frontmatter.ts';
import { headingFolds } from './heading-folds.ts';
import { highlightSyntax } from './highlight.ts';
import { mathSyntax } from './math.ts';
import { syntaxStyles } from './syntax-styles.ts';
import { tableSyntax } from './table.ts';
import { tagSyntax } from './tag.ts';
import { wikilinkSyntax } from './wikilink.ts';

/** Every construct that notes have beyond CommonMark, those of GitHub Flavored Markdown first. */
export const NOTE_SYNTAX = [
  ...[tableSyntax, TaskList, Strikethrough, Autolink, Subscript, Superscript, Emoji],
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
  // With the data of the standard language, its commands work here too: continuing a list, removing its mark.
  const language = new Language(commonmarkLanguage.data, parser, [], 'markdown');
  return new LanguageSupport(language, headingFolds);
}
