import type { EditorView } from '@codemirror/view';
import { type QueryTable, services } from '../core/services.ts';
import { BlockWidget, button, element } from '../preview/widget-base.ts';
import { stringsOf } from './inline-widgets.ts';

/** A block `query` or `base` as tables of the notes that fit. Texts of notes are only ever set as text. */
export class QueryWidget extends BlockWidget {
  readonly key: string;
  protected readonly className = 'nv-query nv-table';
  readonly #kind: 'query' | 'base';
  readonly #source: string;

  constructor(kind: 'query' | 'base', source: string) {
    super();
    this.key = `${kind} ${source}`;
    this.#kind = kind;
    this.#source = source;
  }

  protected async fill(parent: HTMLElement, view: EditorView): Promise<void> {
    const strings = stringsOf(view);
    const content = view.state.facet(services)?.content;
    try {
      const found = await content?.queryTables?.(this.#kind, this.#source);
      if (found === undefined) throw new Error();
      const { tables, unread } = found;
      parent.replaceChildren(...tables.flatMap((table) => tableOf(table, view)));
      if (unread.length === 0) return;
      const note = element('p', 'nv-query-note', `${strings.queryUnread} `);
      for (const part of unread) note.append(element('code', '', part), ' ');
      parent.append(note);
    } catch (error) {
      const reason = error instanceof Error && error.name.startsWith('YAML') ? error.message : content?.reasonOf(error);
      parent.replaceChildren(
        element('p', 'nv-query-note', `${strings.queryFailed} ${reason ?? ''}`),
        element('pre', '', this.#source),
      );
    }
  }
}

function tableOf({ name, columns, rows, total }: QueryTable, view: EditorView): HTMLElement[] {
  const strings = stringsOf(view);
  const title = name === '' ? [] : [element('p', 'nv-query-title', name)];
  if (rows.length === 0) return [...title, element('p', 'nv-query-note', strings.queryNone)];
  const table = element('table');
  const head = element('tr');
  for (const column of [strings.queryNote, ...columns]) {
    const cell = element('th', '', column);
    cell.scope = 'col';
    head.append(cell);
  }
  table.append(element('thead'), element('tbody'));
  table.tHead?.append(head);
  for (const { path, name: note, values } of rows) {
    const row = element('tr');
    const link = button('nv-query-link', note, ({ ctrlKey, metaKey }) =>
      view.state
        .facet(services)
        ?.links.open({ target: path, anchor: null, form: 'wikilink' }, { newTab: ctrlKey || metaKey }),
    );
    const first = element('td');
    first.append(link);
    row.append(first, ...values.map((value) => element('td', '', value)));
    for (const cell of row.cells) cell.dir = 'auto';
    table.tBodies[0]?.append(row);
  }
  const more = strings.queryMore.replace('{{shown}}', String(rows.length)).replace('{{total}}', String(total));
  return [...title, table, ...(total > rows.length ? [element('p', 'nv-query-note', more)] : [])];
}
