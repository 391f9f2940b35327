import { foldAll, foldCode, unfoldAll, unfoldCode } from '@codemirror/language';
import { openSearchPanel } from '@codemirror/search';
import { type Command, EditorView } from '@codemirror/view';
import { redo, undo } from '../collab/binding.ts';
import type { EditorCommand } from '../core/controller.ts';
import { editTable, insertTable, tableAtCursor } from '../table/commands.ts';
import { insertLink, toggleMark } from './inline-marks.ts';
import { insertCodeBlock, toggleBullets, toggleHeading, toggleNumbers, toggleQuote } from './line-marks.ts';
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
  'heading-1': toggleHeading(1),
  'heading-2': toggleHeading(2),
  'heading-3': toggleHeading(3),
  'bullet-list': toggleBullets,
  'ordered-list': toggleNumbers,
  'task-list': toggleTask,
  quote: toggleQuote,
  'code-block': insertCodeBlock,
  table: (view) => (tableAtCursor(view.state) === null ? insertTable(view) : false),
  'table-row': editTable('add-row'),
  'table-column': editTable('add-column'),
  'table-delete-row': editTable('delete-row'),
  'table-delete-column': editTable('delete-column'),
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
