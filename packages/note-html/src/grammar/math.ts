import type { BlockContext, InlineContext, Line, MarkdownConfig } from '@lezer/markdown';
import { isInside } from './containers.ts';

const DOLLAR = 36;

/** `$x$`, `$$x$$` within a paragraph, and blocks between lines with `$$`. */
export const mathSyntax: MarkdownConfig = {
  defineNodes: [{ name: 'BlockMath', block: true }, 'InlineMath', 'DisplayMath', 'MathMark'],
  parseBlock: [
    { name: 'BlockMath', before: 'SetextHeading', endLeaf: (_cx, line) => startsMath(line), parse: parseBlockMath },
  ],
  parseInline: [{ name: 'InlineMath', before: 'Emphasis', parse: parseInlineMath }],
};

function startsMath(line: Line): boolean {
  return line.text.startsWith('$$', line.pos);
}

function parseBlockMath(cx: BlockContext, line: Line): boolean {
  if (!startsMath(line)) return false;
  const from = cx.lineStart + line.pos;
  const rest = line.text.slice(line.pos + 2);
  const close = rest.indexOf('$$');
  // Text after the closing marks makes it a paragraph that begins with a formula.
  if (close >= 0 && rest.slice(close + 2).trim() !== '') return false;
  let to = cx.lineStart + line.text.trimEnd().length;
  if (close >= 0) cx.nextLine();
  else {
    while (cx.nextLine() && isInside(cx, line)) {
      to = cx.lineStart + line.text.trimEnd().length;
      if (!line.text.includes('$$')) continue;
      cx.nextLine();
      break;
    }
  }
  cx.addElement(cx.elt('BlockMath', from, to));
  return true;
}

function parseInlineMath(cx: InlineContext, next: number, pos: number): number {
  if (next !== DOLLAR) return -1;
  const isDisplay = cx.char(pos + 1) === DOLLAR;
  const size = isDisplay ? 2 : 1;
  const start = pos + size - cx.offset;
  const close = isDisplay ? cx.text.indexOf('$$', start) : closingDollar(cx.text, start);
  if (close <= start) return -1;
  const end = close + cx.offset;
  const marks = [cx.elt('MathMark', pos, pos + size), cx.elt('MathMark', end, end + size)];
  return cx.addElement(cx.elt(isDisplay ? 'DisplayMath' : 'InlineMath', pos, end + size, marks));
}

/**
 * Returns the offset of the `$` that closes a formula begun before `start`; -1 without one. A price is not a formula:
 * the opening mark has no space after it, the closing one none before it and no digit after it.
 */
function closingDollar(text: string, start: number): number {
  if (/\s|^$/.test(text.charAt(start))) return -1;
  for (let at = start; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === '\\') at++;
    else if (char === '\n') return -1;
    else if (char === '$') return /\s/.test(text.charAt(at - 1)) || /\d/.test(text.charAt(at + 1)) ? -1 : at;
  }
  return -1;
}
