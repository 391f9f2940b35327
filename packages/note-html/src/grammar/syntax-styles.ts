import { styleTags, Tag, tags } from '@lezer/highlight';
import type { MarkdownConfig } from '@lezer/markdown';

/** Tags of highlighting for what markdown has no standard tags for. */
export const noteTags = {
  highlight: Tag.define('highlight'),
  hashtag: Tag.define('hashtag'),
  math: Tag.define('math'),
  wikilink: Tag.define('wikilink'),
  footnote: Tag.define('footnote'),
  /** Tag without a style: the standard tag is that of escapes in code, which have a colour. */
  escape: Tag.define('escape'),
};

export const syntaxStyles: MarkdownConfig = {
  props: [
    styleTags({
      'WikiTarget WikiAlias': noteTags.wikilink,
      'WikiMark HighlightMark MathMark FootnoteMark': tags.processingInstruction,
      'Highlight/...': noteTags.highlight,
      Tag: noteTags.hashtag,
      Escape: noteTags.escape,
      'InlineMath DisplayMath BlockMath': noteTags.math,
      'FootnoteReference FootnoteLabel InlineFootnote': noteTags.footnote,
      'InlineComment BlockComment': tags.comment,
      Frontmatter: tags.meta,
      BlockId: tags.labelName,
    }),
  ],
};
