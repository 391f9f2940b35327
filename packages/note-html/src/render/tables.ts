import type { SyntaxNode } from '@lezer/common';
import { openTag } from './html-text.ts';
import type { NoteWriter, Write, Written } from './note-writer.ts';

/** The table that is being written. Rows without a cell have a pipe less, so that columns are counted by pipes. */
export class TableState {
  /** The class of each column; null for the side where the text begins. */
  readonly #alignments: readonly (string | null)[];
  #column = 0;
  #hasCell = false;

  constructor(delimiters: string) {
    const cells = delimiters
      .trim()
      .replace(/^\||\|$/g, '')
      .split('|');
    this.#alignments = cells.map((cell) => {
      const [isLeft, isRight] = [cell.trim().startsWith(':'), cell.trim().endsWith(':')];
      if (isRight) return isLeft ? 'center' : 'right';
      return isLeft ? 'left' : null;
    });
  }

  startRow(): void {
    this.#column = 0;
    this.#hasCell = false;
  }

  /** Ends a cell; returns an empty one where there was none. */
  endCell(name: string): string {
    const empty = this.#hasCell || this.#column >= this.#alignments.length ? '' : `<${name}></${name}>`;
    this.#column += 1;
    this.#hasCell = false;
    return empty;
  }

  /** Begins a cell; null beyond the columns of the table, where it is left out. */
  startCell(name: string): Written | null {
    if (this.#column >= this.#alignments.length) return null;
    this.#hasCell = true;
    const attributes = { class: this.#alignments[this.#column], dir: 'auto' };
    return { open: openTag(name, attributes), close: `</${name}>`, hasText: true };
  }
}

export const table: Write = (node, writer) => {
  const rule = node.getChild('TableDelimiter');
  writer.table = new TableState(rule === null ? '' : writer.text(rule.from, rule.to));
  return { open: '<div class="table" tabindex="0"><table>', close: '</tbody></table></div>' };
};

export const row: Write = (node, writer) => {
  writer.table?.startRow();
  return isHeader(node) ? { open: '<thead><tr>', close: '</tr></thead><tbody>' } : { open: '<tr>', close: '</tr>' };
};

export const cell: Write = (node, writer) => writer.table?.startCell(cellName(node.parent)) ?? { html: '' };

/** The row below the header, or a pipe between two cells. */
export const delimiter: Write = (node: SyntaxNode, writer: NoteWriter) => {
  const isPipe = node.parent !== null && node.parent.name !== 'Table' && node.from > node.parent.from;
  return { html: isPipe ? (writer.table?.endCell(cellName(node.parent)) ?? '') : '' };
};

function cellName(row: SyntaxNode | null): string {
  return row !== null && isHeader(row) ? 'th' : 'td';
}

function isHeader(row: SyntaxNode): boolean {
  return row.name === 'TableHeader';
}
