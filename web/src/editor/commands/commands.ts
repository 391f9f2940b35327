import { foldAll, foldCode, unfoldAll, unfoldCode } from '@codemirror/language';
import { openSearchPanel } from '@codemirror/search';
import type { EditorState } from '@codemirror/state';
import { type Command, EditorView } from '@codemirror/view';
import { redo, undo } from '../collab/binding.ts';
import type { EditorCommand } from '../core/controller.ts';
import { openSlashMenu } from '../slash/open-slash-menu.ts';
import { editTable, insertTable, tableAtCursor } from '../table/commands.ts';
import { insertLink, insertNoteLink, toggleMark } from './inline-marks.ts';
import {
  insertCodeBlock,
  toggleBullets,
  toggleCallout,
  toggleHeading,
  toggleNumbers,
  toggleQuote,
} from './line-marks.ts';
import { toggleTask } from './tasks.ts';

/** Adds a property to the note; begins the frontmatter if there is none. */
const addFrontmatter: Command = (view) => {
  if (view.state.readOnly) return false;
  if (/^\ufeff?---[ \t]*$/.test(view.state.doc.line(1).text)) {
    view.dispatch({ effects: EditorView.scrollIntoView(0) });
    return true;
  }
  view.dispatch({ changes: { from: 0, insert: '---\ntags: []\n---\n' }, userEvent: 'input.properties' });
  return true;
};

/** Every command that the app can run by name. */
export const COMMANDS: Readonly<Record<EditorCommand, Command>> = {
  bold: toggleMark('**'),
  italic: toggleMark('*'),
  strikethrough: toggleMark('~~'),
  highlight: toggleMark('=='),
  code: toggleMark('`'),
  link: insertLink,
  'note-link': insertNoteLink,
  insert: openSlashMenu,
  'heading-1': toggleHeading(1),
  'heading-2': toggleHeading(2),
  'heading-3': toggleHeading(3),
  'heading-4': toggleHeading(4),
  'heading-5': toggleHeading(5),
  'heading-6': toggleHeading(6),
  'bullet-list': toggleBullets,
  'ordered-list': toggleNumbers,
  'task-list': toggleTask,
  quote: toggleQuote,
  callout: toggleCallout,
  'code-block': insertCodeBlock,
  table: (view) => (tableAtCursor(view.state) === null ? insertTable(view) : false),
  'table-row': editTable('add-row'),
  'table-column': editTable('add-column'),
  'table-delete-row': editTable('delete-row'),
  'table-delete-column': editTable('delete-column'),
  'table-row-up': editTable('row-up'),
  'table-row-down': editTable('row-down'),
  'table-column-left': editTable('column-left'),
  'table-column-right': editTable('column-right'),
  'table-align-left': editTable('align-left'),
  'table-align-center': editTable('align-center'),
  'table-align-right': editTable('align-right'),
  'toggle-task': toggleTask,
  undo,
  redo,
  find: openSearchPanel,
  fold: foldCode,
  unfold: unfoldCode,
  'fold-all': foldAll,
  'unfold-all': unfoldAll,
  properties: addFrontmatter,
};

/** Commands that also work in a read-only text. */
const READING: ReadonlySet<EditorCommand> = new Set(['find', 'fold', 'unfold', 'fold-all', 'unfold-all']);

/** Whether a command applies in a state. */
export function canRun(command: EditorCommand, state: EditorState): boolean {
  if (READING.has(command)) return true;
  if (state.readOnly) return false;
  const isInTable = () => tableAtCursor(state) !== null;
  return command === 'table' ? !isInTable() : !command.startsWith('table-') || isInTable();
}
