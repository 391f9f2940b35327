import type { MarkdownConfig } from '@lezer/markdown';

const CARET = 94;

/** `^block-id` at the end of a line, which links to the block can name. */
export const blockIdSyntax: MarkdownConfig = {
  defineNodes: ['BlockId'],
  parseInline: [
    {
      name: 'BlockId',
      parse(cx, next, pos) {
        const at = pos - cx.offset;
        if (next !== CARET || (at > 0 && !/\s/.test(cx.text.charAt(at - 1)))) return -1;
        const id = /^\^[A-Za-z0-9-]{1,100}(?=[ \t]*(?:\n|$))/.exec(cx.text.slice(at, at + 200))?.[0];
        return id === undefined ? -1 : cx.addElement(cx.elt('BlockId', pos, pos + id.length));
      },
    },
  ],
};
