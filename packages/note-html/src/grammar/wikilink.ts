import type { InlineContext, MarkdownConfig } from '@lezer/markdown';
import { readWikilink, type Wikilink } from '@notevault/note-text/scan/wikilink.ts';

const BRACKET = 91;
const EXCLAMATION = 33;

/**
 * `[[target#anchor|alias]]` and its embed `![[…]]`, read as the server reads them. The node `WikiLink` (or `WikiEmbed`)
 * has the children `WikiMark`, `WikiTarget` and, with an alias, `WikiAlias`.
 */
export const wikilinkSyntax: MarkdownConfig = {
  defineNodes: ['WikiLink', 'WikiEmbed', 'WikiMark', 'WikiTarget', 'WikiAlias'],
  parseInline: [{ name: 'WikiLink', before: 'Link', parse: parseWikilink }],
};

function parseWikilink(cx: InlineContext, next: number, pos: number): number {
  const isEmbed = next === EXCLAMATION;
  if (!isEmbed && next !== BRACKET) return -1;
  const open = isEmbed ? pos + 1 : pos;
  if (cx.char(open) !== BRACKET || cx.char(open + 1) !== BRACKET) return -1;
  const { link } = readWikilink(cx.text, open - cx.offset);
  return link === null ? -1 : addElements(cx, link, { pos, open, isEmbed });
}

interface LinkStart {
  /** Offset of the link, including the `!` of an embed. */
  readonly pos: number;
  readonly open: number;
  readonly isEmbed: boolean;
}

function addElements(cx: InlineContext, link: Wikilink, { pos, open, isEmbed }: LinkStart): number {
  const [targetStart, targetEnd, end] = [link.targetStart, link.targetEnd, link.end].map((at) => at + cx.offset);
  if (targetStart === undefined || targetEnd === undefined || end === undefined) return -1;
  const children = [cx.elt('WikiMark', pos, open + 2), cx.elt('WikiTarget', targetStart, targetEnd)];
  const pipe = cx.text.slice(targetEnd - cx.offset, end - 2 - cx.offset).indexOf('|');
  if (pipe >= 0) {
    const bar = targetEnd + pipe;
    children.push(cx.elt('WikiMark', bar, bar + 1));
    if (bar + 1 < end - 2) children.push(cx.elt('WikiAlias', bar + 1, end - 2));
  }
  children.push(cx.elt('WikiMark', end - 2, end));
  return cx.addElement(cx.elt(isEmbed ? 'WikiEmbed' : 'WikiLink', pos, end, children));
}
