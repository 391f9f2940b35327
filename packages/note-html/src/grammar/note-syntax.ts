import {
  Autolink,
  Emoji,
  type MarkdownConfig,
  parser,
  Strikethrough,
  Subscript,
  Superscript,
  TaskList,
} from '@lezer/markdown';
import { blockIdSyntax } from './block-id.ts';
import { commentSyntax } from './comment.ts';
import { footnoteSyntax } from './footnote.ts';
import { frontmatterSyntax } from './frontmatter.ts';
import { highlightSyntax } from './highlight.ts';
import { longTextSyntax } from './long-text.ts';
import { mathSyntax } from './math.ts';
import { syntaxStyles } from './syntax-styles.ts';
import { tableSyntax } from './table.ts';
import { tagSyntax } from './tag.ts';
import { wikilinkSyntax } from './wikilink.ts';

/** Every construct that notes have beyond CommonMark, those of GitHub Flavored Markdown first. */
export const NOTE_SYNTAX: readonly MarkdownConfig[] = [
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

/** The parser of notes outside of editors. */
export const pageParser = parser.configure([...NOTE_SYNTAX, longTextSyntax]);
