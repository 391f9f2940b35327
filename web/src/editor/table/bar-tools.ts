import type { Command, EditorView } from '@codemirror/view';
import { stringsOf } from '../media/inline-widgets.ts';
import { button, drawn } from '../preview/widget-base.ts';
import { toggleSource } from './cell-keys.ts';
import { editTable, type TableEdit } from './commands.ts';

/** Icons as paths on a grid of 24: the row or column, and what becomes of it. */
const ICONS: Readonly<Record<TableEdit | 'source', string>> = {
  'add-row': 'M4 5h16v5H4zM12 13.5v7M8.5 17h7',
  'row-up': 'M4 14h16v5H4zM12 11V4M8.5 7.5 12 4l3.5 3.5',
  'row-down': 'M4 5h16v5H4zM12 13v7M8.5 16.5 12 20l3.5-3.5',
  'delete-row': 'M4 5h16v5H4zM9 14.5l6 6M15 14.5l-6 6',
  'add-column': 'M5 4v16h5V4zM13.5 12h7M17 8.5v7',
  'column-left': 'M14 4v16h5V4zM11 12H4M7.5 8.5 4 12l3.5 3.5',
  'column-right': 'M5 4v16h5V4zM13 12h7M16.5 8.5 20 12l-3.5 3.5',
  'delete-column': 'M5 4v16h5V4zM14.5 9l6 6M20.5 9l-6 6',
  'align-left': 'M4 6h16M4 12h9M4 18h13',
  'align-center': 'M4 6h16M8 12h8M6 18h12',
  'align-right': 'M4 6h16M11 12h9M7 18h13',
  source: 'm8 7-5 5 5 5M16 7l5 5-5 5',
};

/** The groups of the bar. Each begins after a line. */
const GROUPS: readonly (readonly (TableEdit | 'source')[])[] = [
  ['add-row', 'row-up', 'row-down', 'delete-row'],
  ['add-column', 'column-left', 'column-right', 'delete-column'],
  ['align-left', 'align-center', 'align-right'],
  ['source'],
];

/** Fills the bar of a table with its tools. In a file of its own, loaded with the first table that is edited. */
export function addTools(view: EditorView, dom: HTMLElement): void {
  const { tableTools, tableEdits } = stringsOf(view);
  dom.setAttribute('role', 'toolbar');
  dom.ariaLabel = tableTools;
  for (const names of GROUPS) {
    const group = document.createElement('div');
    group.append(...names.map((name) => tool(view, name, tableEdits[name])));
    dom.append(group);
  }
  const [first] = dom.querySelectorAll('button');
  if (first !== undefined) first.tabIndex = 0;
  dom.addEventListener('keydown', (event) => moveInBar(view, dom, event));
}

function tool(view: EditorView, name: TableEdit | 'source', label: string): HTMLButtonElement {
  const run: Command = name === 'source' ? toggleSource : editTable(name);
  const made = button('nv-table-tool', '', () => void run(view));
  made.ariaLabel = label;
  made.title = label;
  made.tabIndex = -1;
  // The press must not take the focus, and with it the keyboard of a phone, from the cell.
  made.addEventListener('mousedown', (event) => event.preventDefault());
  made.append(drawn(ICONS[name]));
  return made;
}

/** The arrow keys move in the bar, which takes one step of Tab; Escape returns to the cell. */
function moveInBar(view: EditorView, bar: HTMLElement, event: KeyboardEvent): void {
  const tools = [...bar.querySelectorAll('button')];
  const at = tools.findIndex((one) => one.matches(':focus'));
  const last = tools.length - 1;
  const places: Readonly<Record<string, number>> = {
    ArrowRight: at === last ? 0 : at + 1,
    ArrowLeft: at <= 0 ? last : at - 1,
    Home: 0,
    End: last,
  };
  const next = tools[places[event.key] ?? -1];
  if (event.key === 'Escape') view.focus();
  else if (next === undefined) return;
  else focusTool(tools, next);
  event.preventDefault();
  event.stopPropagation();
}

function focusTool(tools: readonly HTMLButtonElement[], next: HTMLButtonElement): void {
  for (const one of tools) one.tabIndex = one === next ? 0 : -1;
  next.focus();
}
