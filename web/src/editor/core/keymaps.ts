import { acceptCompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap } from '@codemirror/commands';
import { deleteMarkupBackward, insertNewlineContinueMarkupCommand } from '@codemirror/lang-markdown';
import { foldKeymap } from '@codemirror/language';
import { searchKeymap } from '@codemirror/search';
import { type Extension, Prec, type StateCommand } from '@codemirror/state';
import { type Command, type EditorView, type KeyBinding, keymap } from '@codemirror/view';
import { focusFormatBar } from '../bars/format-bar.ts';
import { COMMANDS } from '../commands/commands.ts';
import { indentItems } from '../commands/indent-items.ts';
import { COMMAND_KEYS } from '../commands/keys.ts';
import { destinationAt, openDestination } from '../links/link-click.ts';
import { cellKeys } from '../table/cell-keys.ts';
import { moveCell, nextRow, tableAtCursor } from '../table/commands.ts';
import { focusTableBar } from '../table/table-bar.ts';

/** Follows the link at the cursor. */
const followLink: Command = (view) => {
  const destination = destinationAt(view, view.state.selection.main.head);
  if (destination === null) return false;
  openDestination(view, destination, false);
  return true;
};

/** Tab indents list items and moves in tables. Elsewhere, and after Escape, it moves the focus as usual. */
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

/** Turns the selection into a link; without a selection, the app handles the keys. */
const linkSelection: Command = (view) => !view.state.selection.main.empty && COMMANDS.link(view);

/** Commands whose keys are bound here, not by CodeMirror or the Yjs binding. */
const BOUND = [
  ...(['bold', 'italic', 'strikethrough', 'highlight', 'code', 'toggle-task', 'quote'] as const),
  ...(['bullet-list', 'ordered-list'] as const),
  ...(['heading-1', 'heading-2', 'heading-3', 'heading-4', 'heading-5', 'heading-6'] as const),
];

const notePairs: KeyBinding[] = [
  ...BOUND.map((name) => ({ ...COMMAND_KEYS[name], run: COMMANDS[name], preventDefault: true })),
  { ...COMMAND_KEYS.link, run: linkSelection },
  { key: 'Mod-Enter', run: COMMANDS['toggle-task'] },
  { key: 'Alt-Enter', run: followLink },
];

/** Disables a command in read-only texts, because CodeMirror's markdown commands do not check. */
const unlessReadOnly =
  (command: StateCommand): StateCommand =>
  (target) =>
    !target.state.readOnly && command(target);

/** Enter on an empty item ends the list, even after the first item, where CodeMirror's default inserts a blank line. */
const continueMarkup = insertNewlineContinueMarkupCommand({ nonTightLists: false });

const tableKeys: KeyBinding[] = [
  { key: 'Tab', run: moveCell(1), shift: moveCell(-1) },
  { key: 'Enter', run: (view) => isInTable(view) && nextRow(view) },
  ...(['table-row-up', 'table-row-down', 'table-column-left', 'table-column-right'] as const).map((name) => ({
    ...COMMAND_KEYS[name],
    run: COMMANDS[name],
  })),
];

function isInTable(view: EditorView): boolean {
  return view.state.selection.main.empty && tableAtCursor(view.state) !== null;
}

/** Moves the focus to the visible bar: that of the selection, else that of the table. */
const focusBar: Command = (view) => focusFormatBar(view) || focusTableBar(view);

/** The keys of the editor, the most specific first. Undo and redo are with the binding to Yjs. */
export const noteKeymaps: Extension = [
  Prec.high(keymap.of([{ key: 'Tab', run: acceptCompletion }])),
  Prec.high(keymap.of(cellKeys)),
  Prec.high(keymap.of(tableKeys)),
  Prec.high(
    keymap.of([
      { key: 'Enter', run: unlessReadOnly(continueMarkup) },
      { key: 'Backspace', run: unlessReadOnly(deleteMarkupBackward) },
    ]),
  ),
  keymap.of([
    { key: 'Alt-F10', run: focusBar },
    ...notePairs,
    ...closeBracketsKeymap,
    ...completionKeymap,
    ...searchKeymap,
    ...foldKeymap,
    { key: 'Tab', run: indentItem(indentItems(1)), shift: indentItem(indentItems(-1)) },
    { key: 'Tab', run: insertTab },
    ...defaultKeymap,
  ]),
  closeBrackets(),
];
