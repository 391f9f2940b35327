import type { EditorView } from '@codemirror/view';
import { directionOf } from '../core/text-direction.ts';
import { BlockWidget, element } from '../preview/widget-base.ts';
import { parseTable } from './model.ts';

/** A table in reading mode. */
export class TableWidget extends BlockWidget {
  readonly key: string;
  protected readonly className = 'nv-table';

  /** @param key the source of the table. */
  constructor(key: string) {
    super();
    this.key = key;
  }

  protected async fill(parent: HTMLElement, view: EditorView, signal: AbortSignal): Promise<void> {
    // Only reading mode renders cells as elements.
    const { drawInline } = await import('../reading/inline-dom.ts');
    if (signal.aborted) return;
    const table = parseTable(this.key);
    if (table === null) {
      parent.append(element('pre', '', this.key));
      return;
    }
    const node = element('table');
    node.dir = directionOf(this.key);
    const rowOf = (cells: readonly string[], name: 'th' | 'td') => {
      const row = element('tr');
      for (const [column, source] of cells.entries()) {
        const cell = element(name);
        if (name === 'th') cell.scope = 'col';
        cell.dir = 'auto';
        const alignment = table.alignments[column];
        if (alignment) cell.style.textAlign = alignment;
        drawInline(cell, source, view);
        row.append(cell);
      }
      return row;
    };
    const head = element('thead');
    head.append(rowOf(table.header, 'th'));
    const body = element('tbody');
    body.append(...table.rows.map((row) => rowOf(row, 'td')));
    node.append(head, body);
    parent.append(node);
  }
}
