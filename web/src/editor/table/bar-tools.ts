import type { EditorView } from '@codemirror/view';
import { fillToolbar, type Tool } from '../bars/toolbar.ts';
import { stringsOf } from '../media/inline-widgets.ts';
import { toggleSource } from './cell-keys.ts';
import { editTable, type TableEdit } from './commands.ts';

/** Icons as paths on a grid of 24: a row or column, and the action. */
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

/** Groups of tools, separated by lines. */
const GROUPS: readonly (readonly (TableEdit | 'source')[])[] = [
  ['add-row', 'row-up', 'row-down', 'delete-row'],
  ['add-column', 'column-left', 'column-right', 'delete-column'],
  ['align-left', 'align-center', 'align-right'],
  ['source'],
];

/** Fills the bar of a table with its tools. In a file of its own, loaded with the first table that is edited. */
export function addTools(view: EditorView, dom: HTMLElement): void {
  const { tableTools, tableEdits } = stringsOf(view);
  const toolOf = (name: TableEdit | 'source'): Tool => ({
    label: tableEdits[name],
    icon: ICONS[name],
    run: name === 'source' ? toggleSource : editTable(name),
  });
  const groups = GROUPS.map((names) => names.map(toolOf));
  fillToolbar(view, dom, tableTools, groups);
}
