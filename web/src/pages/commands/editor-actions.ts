import type { EditorCommand } from '../../editor/index.ts';
import type { IconName } from '../../ui/controls/icon.tsx';
import type { Shortcut } from '../../ui/text/shortcut.ts';
import type { Action } from './action.ts';

type Keys = readonly [keys?: Shortcut, appleKeys?: Shortcut];

/** The commands of the editor in the order of the palette. A test compares the keys with those of the editor. */
const COMMANDS: readonly (readonly [EditorCommand & Action['id'], IconName, ...Keys])[] = [
  ['bold', 'note', 'Mod+B'],
  ['italic', 'note', 'Mod+I'],
  ['strikethrough', 'note', 'Mod+Shift+X'],
  ['highlight', 'note', 'Mod+Shift+H'],
  ['code', 'note', 'Mod+E'],
  ['link', 'link', 'Mod+K'],
  ['note-link', 'link'],
  ['insert', 'add'],
  ['heading-1', 'note', 'Mod+Alt+1'],
  ['heading-2', 'note', 'Mod+Alt+2'],
  ['heading-3', 'note', 'Mod+Alt+3'],
  ['heading-4', 'note', 'Mod+Alt+4'],
  ['heading-5', 'note', 'Mod+Alt+5'],
  ['heading-6', 'note', 'Mod+Alt+6'],
  ['bullet-list', 'list', 'Mod+Shift+8'],
  ['ordered-list', 'list', 'Mod+Shift+7'],
  ['toggle-task', 'check', 'Mod+L'],
  ['quote', 'note', 'Mod+Shift+9'],
  ['callout', 'note'],
  ['code-block', 'note'],
  ['table', 'note'],
  ['table-row', 'add'],
  ['table-column', 'add'],
  ['table-delete-row', 'trash'],
  ['table-delete-column', 'trash'],
  ['table-row-up', 'note', 'Alt+ArrowUp'],
  ['table-row-down', 'note', 'Alt+ArrowDown'],
  ['table-column-left', 'note', 'Alt+ArrowLeft'],
  ['table-column-right', 'note', 'Alt+ArrowRight'],
  ['table-align-left', 'note'],
  ['table-align-center', 'note'],
  ['table-align-right', 'note'],
  ['properties', 'tag'],
  ['undo', 'undo', 'Mod+Z'],
  ['redo', 'undo', 'Mod+Shift+Z'],
  ['find', 'search', 'Mod+F'],
  ['fold', 'chevron', 'Mod+Shift+[', 'Mod+Alt+['],
  ['unfold', 'down', 'Mod+Shift+]', 'Mod+Alt+]'],
  ['fold-all', 'chevron'],
  ['unfold-all', 'down'],
];

/** Editor commands for the open note. */
export const EDITOR_ACTIONS: readonly Action[] = COMMANDS.map(([command, icon, keys, appleKeys]) => ({
  id: command,
  icon,
  command,
  needsNote: true,
  ...(keys === undefined ? {} : { keys }),
  ...(appleKeys === undefined ? {} : { appleKeys }),
  run: ({ runInEditor }) => runInEditor(command),
}));
