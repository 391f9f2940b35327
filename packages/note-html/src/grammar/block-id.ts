import type { MarkdownConfig } from '@lezer/markdown';
import { blockIdIn } from '@notevault/note-text/links/anchors.ts';

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
        const [line = ''] = cx.text.slice(at, at + 200).split('\n', 1);
        const id = blockIdIn(line);
        if (id === null || line.trimEnd() !== `^${id}`) return -1;
        return cx.addElement(cx.elt('BlockId', pos, pos + 1 + id.length));
      },
    },
  ],
};
