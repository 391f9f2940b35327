import { tags } from '@lezer/highlight';
import type { BlockContext, Element, LeafBlock, LeafBlockParser, Line, MarkdownConfig } from '@lezer/markdown';
import { beginsTable, splitRow } from '@notevault/note-text/scan/table.ts';

/**
 * Tables with the cells that note-text and the server see: a pipe within `[[…]]` parts no cells there, and must not
 * part a link from its alias here either.
 */
export const tableSyntax: MarkdownConfig = {
  defineNodes: [
    { name: 'Table', block: true },
    { name: 'TableHeader', style: { 'TableHeader/...': tags.heading } },
    'TableRow',
    { name: 'TableCell', style: tags.content },
    { name: 'TableDelimiter', style: tags.processingInstruction },
  ],
  parseBlock: [
    {
      name: 'Table',
      leaf: (_cx, { content }) => (content.includes('|') ? new TableParser() : null),
      endLeaf(cx, line, leaf) {
        if (leaf.parsers.some((parser) => parser instanceof TableParser) || !line.text.includes('|')) return false;
        return isHead(line.text.slice(line.basePos), cx.peekLine().slice(line.basePos));
      },
      before: 'SetextHeading',
    },
  ],
};

function isHead(header: string, rule: string): boolean {
  const [one, other] = [header.trim(), rule.trim()];
  const start = one.length + 1;
  return beginsTable(`${one}\n${other}`, { start: 0, end: one.length }, { start, end: start + other.length });
}

/** Underline that would turn a paragraph into a heading. */
const UNDERLINE = /^(?:=+|-+)[ \t]*$/;

class TableParser implements LeafBlockParser {
  /** Null before the second line, which decides; empty when that is no delimiter row. */
  #rows: Element[] | null = null;

  nextLine(cx: BlockContext, line: Line, leaf: LeafBlock): boolean {
    const { lineStart } = cx;
    const [start, end] = [lineStart + line.pos, lineStart + line.text.length];
    const text = line.text.slice(line.pos);
    if (this.#rows === null) {
      const header = () =>
        cx.elt('TableHeader', leaf.start, leaf.start + leaf.content.length, rowOf(cx, leaf.content, leaf.start));
      this.#rows = isHead(leaf.content, text) ? [header(), cx.elt('TableDelimiter', start, end)] : [];
    } else if (this.#rows.length > 0) {
      // Else the parser of headings would take the table for the text above the underline.
      if (UNDERLINE.test(text)) return this.finish(cx, leaf);
      this.#rows.push(cx.elt('TableRow', start, end, rowOf(cx, text, start)));
    }
    return false;
  }

  finish(cx: BlockContext, leaf: LeafBlock): boolean {
    if (this.#rows === null || this.#rows.length === 0) return false;
    cx.addLeafElement(leaf, cx.elt('Table', leaf.start, leaf.start + leaf.content.length, this.#rows));
    return true;
  }
}

/** Returns the cells of a row without the blanks around them, and the pipes between. */
function rowOf(cx: BlockContext, line: string, offset: number): Element[] {
  const elements: Element[] = [];
  const pipeAt = (at: number) => {
    if (line.charAt(at) === '|') elements.push(cx.elt('TableDelimiter', offset + at, offset + at + 1));
  };
  const row = { start: line.length - line.trimStart().length, end: line.length };
  pipeAt(row.start);
  for (const { start, end } of splitRow(line, row)) {
    const source = line.slice(start, end);
    const from = start + source.length - source.trimStart().length;
    const text = source.trim();
    const place = [offset + from, offset + from + text.length] as const;
    if (text !== '') elements.push(cx.elt('TableCell', ...place, cx.parser.parseInline(text, place[0])));
    pipeAt(end);
  }
  return elements;
}
