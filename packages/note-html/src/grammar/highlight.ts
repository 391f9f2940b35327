import type { DelimiterType, MarkdownConfig } from '@lezer/markdown';

const EQUALS = 61;
const delimiter: DelimiterType = { resolve: 'Highlight', mark: 'HighlightMark' };

/** `==highlighted==`. The marks touch the text, as those of bold do. */
export const highlightSyntax: MarkdownConfig = {
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
