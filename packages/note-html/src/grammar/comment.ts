import type { BlockContext, Line, MarkdownConfig } from '@lezer/markdown';
import { isInside } from './containers.ts';

const PERCENT = 37;

/** `%% … %%` within a paragraph, and as a block from a line that begins with `%%` to one that ends with it. */
export const commentSyntax: MarkdownConfig = {
  defineNodes: [{ name: 'BlockComment', block: true }, 'InlineComment'],
  parseBlock: [
    {
      name: 'BlockComment',
      before: 'SetextHeading',
      endLeaf: (_cx, line) => isOpening(line),
      parse: parseBlock,
    },
  ],
  parseInline: [
    {
      name: 'InlineComment',
      parse(cx, next, pos) {
        if (next !== PERCENT || cx.char(pos + 1) !== PERCENT) return -1;
        const close = cx.text.indexOf('%%', pos + 2 - cx.offset);
        return close < 0 ? -1 : cx.addElement(cx.elt('InlineComment', pos, close + 2 + cx.offset));
      },
    },
  ],
};

/** Returns a line of `%%` alone, or one that begins a comment which it does not end. */
function isOpening(line: Line): boolean {
  const text = line.text.slice(line.pos);
  return text.startsWith('%%') && !text.slice(2).includes('%%');
}

function parseBlock(cx: BlockContext, line: Line): boolean {
  if (!isOpening(line)) return false;
  const from = cx.lineStart + line.pos;
  let to = cx.lineStart + line.text.length;
  while (cx.nextLine() && isInside(cx, line)) {
    to = cx.lineStart + line.text.length;
    if (!line.text.includes('%%')) continue;
    cx.nextLine();
    break;
  }
  cx.addElement(cx.elt('BlockComment', from, to));
  return true;
}
