import type { InlineContext, MarkdownConfig } from '@lezer/markdown';

const BRACKET = 91;
const CARET = 94;
const LABEL = /^\[\^([^\]\s]{1,200})\]:[ \t]*/;

/** `[^label]`, `^[text]`, and definitions `[^label]: text` with indented lines that continue them. */
export const footnoteSyntax: MarkdownConfig = {
  defineNodes: [
    {
      name: 'FootnoteDefinition',
      block: true,
      composite(_cx, line) {
        if (line.next < 0) return true;
        if (line.indent < line.baseIndent + 4) return false;
        line.moveBaseColumn(line.baseIndent + 4);
        return true;
      },
    },
    'FootnoteLabel',
    'FootnoteReference',
    'InlineFootnote',
    'FootnoteMark',
  ],
  parseBlock: [
    {
      name: 'FootnoteDefinition',
      before: 'LinkReference',
      endLeaf: (_cx, line) => LABEL.test(line.text.slice(line.pos)),
      parse(cx, line) {
        const match = LABEL.exec(line.text.slice(line.pos));
        // Four spaces make code of it.
        if (match === null || line.indent >= line.baseIndent + 4) return false;
        const from = cx.lineStart + line.pos;
        cx.startComposite('FootnoteDefinition', line.pos);
        cx.addElement(cx.elt('FootnoteLabel', from, from + match[0].trimEnd().length));
        line.moveBase(line.pos + match[0].length);
        return null;
      },
    },
  ],
  parseInline: [{ name: 'Footnote', before: 'Link', parse: parseFootnote }],
};

function parseFootnote(cx: InlineContext, next: number, pos: number): number {
  if (next !== BRACKET && next !== CARET) return -1;
  const text = cx.text.slice(pos - cx.offset);
  if (next === BRACKET && cx.char(pos + 1) === CARET) {
    const label = /^\[\^[^\]\s[]{1,200}\]/.exec(text)?.[0];
    if (label === undefined) return -1;
    return cx.addElement(cx.elt('FootnoteReference', pos, pos + label.length));
  }
  if (next !== CARET || cx.char(pos + 1) !== BRACKET) return -1;
  const close = text.indexOf(']', 2);
  if (close <= 2) return -1;
  const marks = [cx.elt('FootnoteMark', pos, pos + 2), cx.elt('FootnoteMark', pos + close, pos + close + 1)];
  return cx.addElement(cx.elt('InlineFootnote', pos, pos + close + 1, marks));
}
