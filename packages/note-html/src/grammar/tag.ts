import type { MarkdownConfig } from '@lezer/markdown';
import { tagEnd } from '@notevault/note-text/tags.ts';

const HASH = 35;

/** `#tag` and `#nested/tag`, after white space or at the start of a line, as the server reads them. */
export const tagSyntax: MarkdownConfig = {
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
