import { commonmarkLanguage } from '@codemirror/lang-markdown';
import { Language, LanguageSupport } from '@codemirror/language';
import {
  Autolink,
  type DelimiterType,
  Emoji,
  type MarkdownConfig,
  type MarkdownExtension,
  MarkdownParser,
  Strikethrough,
  Subscript,
  Superscript,
  TaskList,
} from '@lezer/markdown';
import { blockIdIn } from '@notevault/note-text/links/anchors.ts';
import { tagEnd } from '@notevault/note-text/tags.ts';
import { commentSyntax } from './comment.ts';
import { footnoteSyntax } from './footnote.ts';
import { frontmatterSyntax } from './frontmatter.ts';
import { headingFolds } from './heading-folds.ts';
import { mathSyntax } from './math.ts';
import { syntaxStyles } from './syntax-styles.ts';
import { tableSyntax } from './table.ts';
import { wikilinkSyntax } from './wikilink.ts';

const EQUALS = 61;
const delimiter: DelimiterType = { resolve: 'Highlight', mark: 'HighlightMark' };

/** `==highlighted==`. The marks touch the text, as those of bold do. */
const highlightSyntax: MarkdownConfig = {
  defineNodes: ['Highlight', 'HighlightMark'],
  parseInline: [
    {
      name: 'Highlight',
      parse(cx, next, pos) {
        if (next !== EQUALS || cx.char(pos + 1) !== EQUALS || cx.char(pos + 2) === EQUALS) return -1;
        if (cx.char(pos - 1) === EQUALS) return -1;
        const before = cx.slice(pos - 1, pos);
        const after = cx.slice(pos + 2, pos + 3);
        return cx.addDelimiter(delimiter, pos, pos + 2, /\S/.test(after), /\S/.test(before));
      },
    },
  ],
};

const HASH = 35;

/** `#tag` and `#nested/tag`, after white space or at the start of a line, as the server reads them. */
const tagSyntax: MarkdownConfig = {
  defineNodes: ['Tag'],
  parseInline: [
    {
      name: 'Tag',
      parse(cx, next, pos) {
        if (next !== HASH) return -1;
        const at = pos - cx.offset;
        if (at > 0 && !/\s/.test(cx.text.charAt(at - 1))) return -1;
        const end = tagEnd(cx.text, at);
        return end < 0 ? -1 : cx.addElement(cx.elt('Tag', pos, end + cx.offset));
      },
    },
  ],
};

const CARET = 94;

/** `^block-id` at the end of a line, which links to the block can name. */
const blockIdSyntax: MarkdownConfig = {
  defineNodes: ['BlockId'],
  parseInline: [
    {
      name: 'BlockId',
      parse(cx, next, pos) {
        const at = pos - cx.offset;
        if (next !== CARET || (at > 0 && !/\s/.test(cx.text.charAt(at - 1)))) return -1;
        const [line = ''] = cx.text.slice(at, at + 200).split('\n', 1);
        const id = blockIdIn(line);
        if (id === null || line.trimEnd() !== `^${id}`) return -1;
        return cx.addElement(cx.elt('BlockId', pos, pos + 1 + id.length));
      },
    },
  ],
};

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
