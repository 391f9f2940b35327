import { acceptCompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, indentLess, indentMore } from '@codemirror/commands';
import { deleteMarkupBackward, insertNewlineContinueMarkup } from '@codemirror/lang-markdown';
import { foldKeymap } from '@codemirror/language';
import { searchKeymap } from '@codemirror/search';
import { type Extension, Prec } from '@codemirror/state';
import { type Command, type EditorView, type KeyBinding, keymap } from '@codemirror/view';
import { COMMANDS } from '../commands/commands.ts';
import { destinationAt, openDestination } from '../links/link-click.ts';
import { editTable, moveCell, nextRow, tableAtCursor } from '../table/commands.ts';

/** Follows the link at the cursor. */
const followLink: Command = (view) => {
  const destination = destinationAt(view, view.state.selection.main.head);
  if (destination === null) return false;
  openDestination(view, destination, false);
  return true;
};

/** Tab belongs to lists and tables; elsewhere it leaves the editor after Escape, as everywhere on the web. */
const indentItem =
  (command: Command): Command =>
  (view) => {
    const { state } = view;
    const line = state.doc.lineAt(state.selection.main.head);
    const isItem = /^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]/.test(line.text);
    return isItem || !state.selection.main.empty || /^[ \t]+/.test(line.text) ? command(view) : false;
  };

const insertTab: Command = (view) => {
  if (view.state.readOnly) return false;
  view.dispatch({ ...view.state.replaceSelection('\t'), userEvent: 'input' });
  return true;
};

const notePairs: KeyBinding[] = [
  { key: 'Mod-b', run: COMMANDS.bold, preventDefault: true },
  { key: 'Mod-i', run: COMMANDS.italic, preventDefault: true },
  { key: 'Mod-Shift-x', run: COMMANDS.strikethrough, preventDefault: true },
  { key: 'Mod-Shift-h', run: COMMANDS.highlight, preventDefault: true },
  { key: 'Mod-e', run: COMMANDS.code, preventDefault: true },
  { key: 'Mod-k', run: COMMANDS.link, preventDefault: true },
  { key: 'Mod-Enter', run: (view) => COMMANDS['toggle-task'](view) },
  { key: 'Mod-l', run: COMMANDS['toggle-task'], preventDefault: true },
  { key: 'Alt-Enter', run: followLink },
  { key: 'Mod-Alt-1', run: COMMANDS['heading-1'] },
  { key: 'Mod-Alt-2', run: COMMANDS['heading-2'] },
  { key: 'Mod-Alt-3', run: COMMANDS['heading-3'] },
];

const tableKeys: KeyBinding[] = [
  { key: 'Tab', run: moveCell(1), shift: moveCell(-1) },
  { key: 'Enter', run: (view) => isInTable(view) && nextRow(view) },
  { key: 'Alt-ArrowUp', run: editTable('row-up') },
  { key: 'Alt-ArrowDown', run: editTable('row-down') },
  { key: 'Alt-ArrowLeft', run: editTable('column-left') },
  { key: 'Alt-ArrowRight', run: editTable('column-right') },
];

function isInTable(view: EditorView): boolean {
  return view.state.selection.main.empty && tableAtCursor(view.state) !== null;
}

/** The keys of the editor, the most specific first. Undo and redo are with the binding to Yjs. */
export const noteKeymaps: Extension = [
  Prec.high(keymap.of([{ key: 'Tab', run: acceptCompletion }])),
  Prec.high(keymap.of(tableKeys)),
  Prec.high(
    keymap.of([
      { key: 'Enter', run: insertNewlineContinueMarkup },
      { key: 'Backspace', run: deleteMarkupBackward },
    ]),
  ),
  keymap.of([
    ...notePairs,
    ...closeBracketsKeymap,
    ...completionKeymap,
    ...searchKeymap,
    ...foldKeymap,
    { key: 'Tab', run: indentItem(indentMore), shift: indentItem(indentLess) },
    { key: 'Tab', run: insertTab },
    ...defaultKeymap,
  ]),
  closeBrackets(),
];
