import type { EditorView } from '@codemirror/view';
import { COMMANDS } from '../commands/commands.ts';
import { hasMark } from '../commands/inline-marks.ts';
import type { EditorCommand } from '../core/controller.ts';
import { stringsOf } from '../media/inline-widgets.ts';
import { fillToolbar, type Tool } from './toolbar.ts';

/** Icons as paths on a grid of 24. */
const ICONS = {
  bold: 'M7 5h6a3.5 3.5 0 0 1 0 7H7zM7 12h7a3.5 3.5 0 0 1 0 7H7z',
  italic: 'M10 5h8M6 19h8M14.5 5l-5 14',
  strikethrough:
    'M4 12h16M16.5 7.5C16 5.8 14.3 5 12 5c-2.6 0-4.5 1.2-4.5 3.3 0 1.6 1 2.5 2.5 3M7 16c.4 2 2.3 3 5 3 2.8 0 4.8-1.2 4.8-3.4 0-1.2-.6-2.1-1.6-2.7',
  highlight: 'M13.5 5.5l5 5L10 19H5v-5zM11 8l5 5M13 20h7',
  code: 'm8 7-5 5 5 5M16 7l5 5-5 5',
  link: 'M10 14a4 4 0 0 0 5.7 0l3.3-3.3a4 4 0 0 0-5.7-5.7L12 6.3M14 10a4 4 0 0 0-5.7 0L5 13.3a4 4 0 0 0 5.7 5.7l1.3-1.3',
  'note-link': 'M9 5H5v14h4M15 5h4v14h-4M9 12h6',
  'heading-2': 'M4 6v12M12 6v12M4 12h8M16 11a2 2 0 1 1 3.6 1.2L16 18h4.5',
  'bullet-list': 'M9 6h11M9 12h11M9 18h11M4.5 6h.01M4.5 12h.01M4.5 18h.01',
  'toggle-task': 'M4 5h16v14H4zM8 12l3 3 5-6',
  quote: 'M5 5v14M10 8h9M10 12h9M10 16h6',
} as const satisfies Partial<Record<EditorCommand, string>>;

export type FormatName = keyof typeof ICONS;

const GROUPS: readonly (readonly FormatName[])[] = [
  ['bold', 'italic', 'strikethrough', 'highlight', 'code'],
  ['note-link', 'link'],
  ['heading-2', 'bullet-list', 'toggle-task', 'quote'],
];

/** Marks of the buttons that show as pressed while the selection has their format. */
const MARKS: Partial<Record<FormatName, string>> = {
  bold: '**',
  italic: '*',
  strikethrough: '~~',
  highlight: '==',
  code: '`',
};

/** Fills the bar over a selection. Returns a function that updates the pressed buttons after a change. */
export function addFormatTools(view: EditorView, dom: HTMLElement): () => void {
  const { formatTools, formats } = stringsOf(view);
  const toolOf = (name: FormatName): Tool => ({
    label: formats[name],
    icon: ICONS[name],
    run() {
      COMMANDS[name](view);
      // The bar disappears with the selection, and the focus inside it would be lost.
      if (view.state.selection.main.empty) view.focus();
    },
  });
  const groups = GROUPS.map((names) => names.map(toolOf));
  const buttons = fillToolbar(view, dom, formatTools, groups);
  const names = GROUPS.flat();
  const show = () => {
    for (const [at, name] of names.entries()) {
      const mark = MARKS[name];
      const button = buttons[at];
      if (mark !== undefined && button !== undefined) button.ariaPressed = String(hasMark(view.state, mark));
    }
  };
  show();
  return show;
}
