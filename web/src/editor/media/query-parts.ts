import type { EditorView } from '@codemirror/view';
import { type QueryTable, services } from '../core/services.ts';
import { button, element } from '../preview/widget-base.ts';
import { stringsOf } from './inline-widgets.ts';

/** Creates the elements of a table or list: its title, its rows, and a button for more. */
export function partsOf(table: QueryTable, view: EditorView): HTMLElement[] {
  const strings = stringsOf(view);
  const { name, rows, total, more } = table;
  const title = name === '' ? [] : [element('p', 'nv-query-title', name)];
  if (rows.length === 0) return [...title, element('p', 'nv-query-note', strings.queryNone)];
  const drawn = table.isList ? element('ul', 'nv-query-list') : headedTable(table, view);
  const body = drawn instanceof HTMLTableElement ? (drawn.tBodies[0] ?? drawn) : drawn;
  const add = ({ rows: added, isList }: QueryTable) =>
    body.append(...added.map((row) => (isList ? itemOf(row, view) : rowOf(row, view))));
  add(table);
  if (total <= rows.length) return [...title, drawn];
  return [...title, drawn, footOf(rows.length, total, more, add, view)];
}

/** Creates the footer: the number of rows shown and matching, and a button while there are more. */
function footOf(
  first: number,
  total: number,
  more: QueryTable['more'],
  add: (table: QueryTable) => void,
  view: EditorView,
): HTMLElement {
  const strings = stringsOf(view);
  const foot = element('p', 'nv-query-note');
  let [shown, next] = [first, more];
  const text = () => strings.queryMore.replace('{{shown}}', String(shown)).replace('{{total}}', String(total));
  const count = element('span', '', text());
  count.setAttribute('role', 'status');
  const ask = button('nv-query-more', strings.more, async () => {
    if (next === null || ask.ariaDisabled === 'true') return;
    ask.ariaDisabled = 'true';
    try {
      const table = await next();
      add(table);
      [shown, next] = [shown + table.rows.length, table.more];
      count.textContent = text();
      if (next === null) ask.remove();
    } catch (error) {
      count.textContent = `${strings.queryFailed} ${view.state.facet(services)?.content.reasonOf(error) ?? ''}`;
    }
    ask.ariaDisabled = 'false';
  });
  foot.append(count, ...(next === null ? [] : [' ', ask]));
  return foot;
}

function headedTable({ columns }: QueryTable, view: EditorView): HTMLTableElement {
  const table = element('table');
  const head = element('tr');
  for (const column of [stringsOf(view).queryNote, ...columns]) {
    const cell = element('th', '', column);
    cell.scope = 'col';
    cell.dir = 'auto';
    head.append(cell);
  }
  table.append(element('thead'), element('tbody'));
  table.tHead?.append(head);
  return table;
}

type Row = QueryTable['rows'][number];

function rowOf({ path, name, values }: Row, view: EditorView): HTMLElement {
  const row = element('tr');
  const first = element('td');
  first.append(linkTo(path, name, view));
  row.append(first, ...values.map((value) => element('td', '', value)));
  for (const cell of row.cells) cell.dir = 'auto';
  return row;
}

function itemOf({ path, name, values }: Row, view: EditorView): HTMLElement {
  const item = element('li');
  item.dir = 'auto';
  const known = values.filter((value) => value !== '').join(' · ');
  item.append(linkTo(path, name, view), ...(known === '' ? [] : [' ', element('small', '', known)]));
  return item;
}

function linkTo(path: string, name: string, view: EditorView): HTMLElement {
  return button('nv-query-link', name, ({ ctrlKey, metaKey }) =>
    view.state
      .facet(services)
      ?.links.open({ target: path, anchor: null, form: 'wikilink' }, { newTab: ctrlKey || metaKey }),
  );
}
